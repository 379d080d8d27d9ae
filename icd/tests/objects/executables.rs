//! What can be asked of compiled code: figures, forms, and the text of its machine code.

use crate::bed::{Bed, can_compile, everywhere, spirv};
use crate::pipelines::{fresh, layout, stage};
use ash::vk;
use std::path::Path;

#[test]
fn figures_and_forms_of_a_kernel() {
    if can_compile() {
        everywhere("executables::figures_and_forms_of_a_kernel", executables);
    }
}

fn executables(bed: &Bed) {
    if !bed.has(ash::khr::pipeline_executable_properties::NAME) {
        return;
    }
    let of = ash::khr::pipeline_executable_properties::Device::new(&bed.instance, &bed.device);
    let (_, layout) = layout(bed);
    let module = bed.module(&spirv(&fresh()));
    let flags =
        vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR | vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
    let infos = [vk::ComputePipelineCreateInfo::default().stage(stage(module)).layout(layout).flags(flags)];
    // SAFETY: valid usage throughout.
    unsafe {
        let pipeline = bed.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None).unwrap()[0];
        let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
        let all = of.get_pipeline_executable_properties(&info).unwrap();
        assert_eq!((all.len(), all[0].stages, all[0].subgroup_size), (1, vk::ShaderStageFlags::COMPUTE, 32));
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        let statistics = of.get_pipeline_executable_statistics(&info).unwrap();
        let value = |name: &str| {
            let named = |s: &&vk::PipelineExecutableStatisticKHR<'_>| {
                s.name_as_c_str().is_ok_and(|n| n.to_string_lossy() == name)
            };
            statistics.iter().find(named).unwrap_or_else(|| panic!("no {name}")).value.u64
        };
        let (bytes, instructions) = (value("Code size"), value("Instructions"));
        assert!(instructions >= 3 && bytes >= 4 * instructions && bytes <= 12 * instructions, "{bytes} {instructions}");
        assert!(value("VGPRs") > 0 && value("Subgroups per SIMD") > 0 && value("Spilled VGPRs") == 0);
        if bed.has(ash::amd::shader_info::NAME) {
            // RADV's names, in its order: `src/util/shader_stats.xml` of Mesa 25.
            let names: Vec<_> = statistics.iter().map(|s| s.name_as_c_str().unwrap().to_str().unwrap()).collect();
            assert_eq!(names, RADV);
            shader_info(bed, pipeline, &value);
        }
        let forms = forms(bed, &of, pipeline);
        let names: Vec<&str> = forms.iter().map(|f| f.0.as_str()).collect();
        let own = bed.has(ash::amd::shader_info::NAME);
        assert!(!own || names == ["SPIR-V", "IR", "MIR", "Assembly"], "{names:?}");
        let isa = &forms.last().unwrap().1;
        assert!(isa.contains("s_endpgm") && isa.ends_with('\0'), "{isa}");
        bed.device.destroy_pipeline(pipeline, None);
    }
}

/// The forms of a pipeline's only executable: names, and texts with the NUL that ends them.
fn forms(
    bed: &Bed,
    of: &ash::khr::pipeline_executable_properties::Device,
    pipeline: vk::Pipeline,
) -> Vec<(String, String)> {
    let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
    // SAFETY: a live pipeline, whose forms are captured; each is written where there is room for so many bytes.
    unsafe {
        let mut forms = of.get_pipeline_executable_internal_representations(&info).unwrap();
        for form in &forms {
            assert!(form.is_text == vk::TRUE && form.data_size > 10);
        }
        let mut texts: Vec<Vec<u8>> = forms.iter().map(|f| vec![0u8; f.data_size]).collect();
        for (form, text) in forms.iter_mut().zip(&mut texts) {
            form.p_data = text.as_mut_ptr().cast();
        }
        let mut count = forms.len() as u32;
        let ask = of.fp().get_pipeline_executable_internal_representations_khr;
        assert_eq!(ask(bed.device.handle(), &info, &mut count, forms.as_mut_ptr()), vk::Result::SUCCESS);
        let names = forms.iter().map(|f| f.name_as_c_str().unwrap().to_str().unwrap().to_owned());
        names.zip(texts.iter().map(|text| String::from_utf8_lossy(text).into_owned())).collect()
    }
}

/// A loop, a branch that lanes take one by one, and shared memory.
const SUMS: &str = "\
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float part[64];
void main() {
    uint i = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint n = 0; n < 8; n++) {
        sum += data[64 * n + i];
    }
    part[i] = sum;
    barrier();
    if (i < 32) {
        data[i] = part[i] + part[i + 32];
    }
}
";

/// The driver's text of a kernel: machine code, the source lines that the module knows, and registers that are live, as
/// `assembly.txt` has them. WAVEPIPE_BLESS=1 writes that; read it.
#[test]
fn the_assembly_has_lines_and_live_registers() {
    let bed = Bed::linked();
    let of = ash::khr::pipeline_executable_properties::Device::new(&bed.instance, &bed.device);
    let (_, layout) = layout(&bed);
    let module = bed.module(&wavepipe_glsl::compile(SUMS, Path::new("sums.comp")).unwrap());
    let flags = vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
    let infos = [vk::ComputePipelineCreateInfo::default().stage(stage(module)).layout(layout).flags(flags)];
    // SAFETY: valid usage throughout.
    let text = unsafe {
        let pipeline = bed.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None).unwrap()[0];
        let forms = forms(&bed, &of, pipeline);
        bed.device.destroy_pipeline(pipeline, None);
        forms.into_iter().find(|f| f.0 == "Assembly").expect("a form called Assembly").1
    };
    let text = text.trim_end_matches('\0');
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects/assembly.txt");
    if std::env::var_os("WAVEPIPE_BLESS").is_some() {
        std::fs::write(&golden, text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&golden).unwrap(), "{}; WAVEPIPE_BLESS=1 writes it", golden.display());
    for line in [9, 11, 14] {
        assert!(text.contains(&format!("; sums.comp:{line}\n")), "line {line} has code\n{text}");
    }
    let code = || text.lines().filter(|l| l.contains(" // "));
    assert!(code().count() > 20 && code().all(|l| l.contains(" vgpr ") && l.ends_with(" sgpr")), "{text}");
}

const RADV: [&str; 26] = [
    "Driver pipeline hash",
    "SGPRs",
    "VGPRs",
    "Spilled SGPRs",
    "Spilled VGPRs",
    "Code size",
    "LDS size",
    "Scratch size",
    "Subgroups per SIMD",
    "Combined inputs",
    "Combined outputs",
    "Hash",
    "Instructions",
    "Copies",
    "Branches",
    "Latency",
    "Inverse Throughput",
    "VMEM Clause",
    "SMEM Clause",
    "Pre-Sched SGPRs",
    "Pre-Sched VGPRs",
    "VALU",
    "SALU",
    "VMEM",
    "SMEM",
    "VOPD",
];

/// VK_AMD_shader_info, and figures counted in the text that it gives.
fn shader_info(bed: &Bed, pipeline: vk::Pipeline, value: &dyn Fn(&str) -> u64) {
    let of = ash::amd::shader_info::Device::new(&bed.instance, &bed.device);
    let stage = vk::ShaderStageFlags::COMPUTE;
    // SAFETY: a live compute pipeline.
    let (info, binary, text) = unsafe {
        (
            of.get_shader_info_statistics(pipeline, stage).unwrap(),
            of.get_shader_info_binary(pipeline, stage).unwrap(),
            of.get_shader_info_disassembly(pipeline, stage).unwrap(),
        )
    };
    assert_eq!(info.shader_stage_mask, stage);
    let used = info.resource_usage;
    assert_eq!((u64::from(used.num_used_vgprs), u64::from(used.num_used_sgprs)), (value("VGPRs"), value("SGPRs")));
    assert_eq!((used.lds_usage_size_in_bytes, used.scratch_mem_usage_in_bytes), (0, 0));
    assert!(info.num_available_vgprs == 256 && used.lds_size_per_local_work_group >= 32 << 10);
    assert!(info.compute_work_group_size.iter().product::<u32>() > 0);
    assert!(binary.len() as u64 >= value("Code size") && binary.len().is_multiple_of(4));
    let text = String::from_utf8(text).unwrap();
    let lines = || text.lines().map(str::trim).filter(|l| l.contains(" // "));
    let count = |starts: &[&str]| lines().filter(|l| starts.iter().any(|s| l.starts_with(s))).count() as u64;
    assert_eq!(lines().count() as u64, value("Instructions"), "{text}");
    assert_eq!(count(&["v_"]), value("VALU"), "{text}");
    assert_eq!(count(&["s_branch", "s_cbranch"]), value("Branches"), "{text}");
    assert_eq!(count(&["s_load", "s_buffer_load"]), value("SMEM"), "{text}");
    assert_eq!(count(&["buffer_load", "buffer_store", "global_", "image_", "tbuffer_"]), value("VMEM"), "{text}");
    let scalar = count(&["s_"]) - count(&["s_load", "s_buffer_load"]);
    let control =
        ["s_branch", "s_cbranch", "s_waitcnt", "s_endpgm", "s_nop", "s_inst_prefetch", "s_barrier", "s_clause"];
    assert_eq!(scalar - count(&control), value("SALU"), "{text}");
    // Every access is in a clause, and what waits for memory takes its time.
    assert!((1..=value("VMEM")).contains(&value("VMEM Clause")) && value("SMEM Clause") <= value("SMEM"));
    assert!(value("Latency") > 50 && value("Inverse Throughput") > 0);
    assert!(value("Pre-Sched VGPRs") > 0 && value("Pre-Sched SGPRs") > 0);
}
