//! What a pipeline's compiled code is like (VK_KHR_pipeline_executable_properties, VK_AMD_shader_info). A compute pipeline has one executable.

use crate::entry::{Call, config, entry};
use crate::identity::put_string;
use crate::pipelines::Pipeline;
use ash::vk;
use std::cell::Cell;
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::Statistic;

fn put<const N: usize>(place: &mut [c_char; N], text: &str) {
    put_string(place, &CString::new(text).unwrap_or_default());
}

/// VkShaderStatisticsInfoAMD as bytes, its padding zero.
fn statistics(code: &runtime::hw::code::CodeObject, machine: &runtime::hw::machine::Machine) -> Vec<u8> {
    let rows = Statistic::of(code, machine);
    let value = |name: &str| rows.iter().find(|row| row.name == name).map_or(0, |row| row.value);
    let caps = code.isa.caps();
    let lds = machine.lds.bytes.value;
    let dwords = |words: &[u32]| words.iter().flat_map(|w| w.to_ne_bytes()).collect::<Vec<u8>>();
    let (vgprs, sgprs) = (256, u32::from(caps.sgprs));
    let mut out = dwords(&[vk::ShaderStageFlags::COMPUTE.as_raw(), 0, value("VGPRs") as u32, value("SGPRs") as u32]);
    out.extend(dwords(&[lds as u32, 0]));
    out.extend((value("LDS size") as usize).to_ne_bytes());
    out.extend((value("Scratch size") as usize).to_ne_bytes());
    out.extend(dwords(&[vgprs, sgprs, vgprs, sgprs]));
    out.extend(dwords(&code.workgroup));
    out.resize(size_of::<vk::ShaderStatisticsInfoAMD>(), 0);
    out
}

impl Call {
    fn executable(&self, pipeline: vk::Pipeline) -> &Arc<runtime::ComputePipeline> {
        &self.get::<Pipeline>(pipeline).runtime
    }
}

entry! { call;
    fn vkGetPipelineExecutablePropertiesKHR(
        device: vk::Device,
        info: *const vk::PipelineInfoKHR<'_>,
        count: *mut u32,
        properties: *mut vk::PipelineExecutablePropertiesKHR<'_>,
    ) -> vk::Result {
        let code = call.executable(call.read(info).pipeline).code_object();
        call.enumerate_with(count, properties, 1, |_, p| {
            p.stages = vk::ShaderStageFlags::COMPUTE;
            put(&mut p.name, &code.name);
            put(&mut p.description, &format!("Compute shader, {}", code.isa.name()));
            p.subgroup_size = code.wave.lanes();
        })
    }

    fn vkGetPipelineExecutableStatisticsKHR(
        device: vk::Device,
        info: *const vk::PipelineExecutableInfoKHR<'_>,
        count: *mut u32,
        statistics: *mut vk::PipelineExecutableStatisticKHR<'_>,
    ) -> vk::Result {
        let rows = Statistic::of(call.executable(call.read(info).pipeline).code_object(), &config().machine);
        call.enumerate_with(count, statistics, rows.len(), |i, s| {
            put(&mut s.name, rows[i].name);
            put(&mut s.description, rows[i].description);
            s.format = vk::PipelineExecutableStatisticFormatKHR::UINT64;
            s.value = vk::PipelineExecutableStatisticValueKHR { u64: rows[i].value };
        })
    }

    fn vkGetPipelineExecutableInternalRepresentationsKHR(
        device: vk::Device,
        info: *const vk::PipelineExecutableInfoKHR<'_>,
        count: *mut u32,
        representations: *mut vk::PipelineExecutableInternalRepresentationKHR<'_>,
    ) -> vk::Result {
        let rows = call.executable(call.read(info).pipeline).representations();
        let cut = Cell::new(false);
        let result = call.enumerate_with(count, representations, rows.len(), |i, r| {
            put(&mut r.name, rows[i].name);
            put(&mut r.description, rows[i].description);
            r.is_text = vk::TRUE;
            // With the NUL that ends a text.
            let text = [rows[i].text.as_bytes(), &[0]].concat();
            if !r.p_data.is_null() {
                let bytes = r.data_size.min(text.len());
                call.bytes_mut(r.p_data, bytes).copy_from_slice(&text[..bytes]);
                cut.set(cut.get() || bytes < text.len());
                r.data_size = bytes;
            } else {
                r.data_size = text.len();
            }
        })?;
        Ok(if cut.get() { vk::Result::INCOMPLETE } else { result })
    }

    fn vkGetShaderInfoAMD(
        device: vk::Device,
        pipeline: vk::Pipeline,
        stage: vk::ShaderStageFlags,
        kind: vk::ShaderInfoTypeAMD,
        size: *mut usize,
        info: *mut c_void,
    ) -> vk::Result {
        let code = call.executable(pipeline).code_object();
        if stage != vk::ShaderStageFlags::COMPUTE {
            return Err(vk::Result::ERROR_FEATURE_NOT_PRESENT.into());
        }
        let bytes = match kind {
            vk::ShaderInfoTypeAMD::STATISTICS => statistics(code, &config().machine),
            vk::ShaderInfoTypeAMD::BINARY => code.text.clone(),
            // With the NUL that ends a text.
            vk::ShaderInfoTypeAMD::DISASSEMBLY => [runtime::disassembly_with_registers(code).as_bytes(), &[0]].concat(),
            _ => return Err(vk::Result::ERROR_FEATURE_NOT_PRESENT.into()),
        };
        if info.is_null() {
            call.write(size, bytes.len());
            return Ok(vk::Result::SUCCESS);
        }
        let room = (*call.read(size)).min(bytes.len());
        call.bytes_mut(info, room).copy_from_slice(&bytes[..room]);
        call.write(size, room);
        Ok(if room < bytes.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS })
    }
}
