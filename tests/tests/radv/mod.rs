//! ACO's code of a compute shader: Mesa's RADV prints it, for a card that need not be there.
//!
//! All `unsafe` of the golden tests is in this file. It runs in a process of its own, on one thread, which ends with the
//! pipeline made: the system takes back what it made.

use ash::vk;
use std::path::PathBuf;
use wavepipe_runtime::WaveSize;
use wavepipe_runtime::compiler::reflect;
use wavepipe_runtime::compiler::spirv::EntryInfo;
use wavepipe_runtime::hw::launch::BindingKind;

/// RADV's manifest, where distributions put it.
pub fn manifest() -> Option<PathBuf> {
    let files = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?.flatten().map(|file| file.path());
    files.into_iter().find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("radeon_icd")))
}

/// Settings under which RADV compiles for gfx1010 without one, and prints what it compiled to stderr.
pub const SETTINGS: [(&str, &str); 2] = [("RADV_FORCE_FAMILY", "NAVI10"), ("RADV_DEBUG", "nocache,shaders")];

/// The code of the one shader that RADV was given, out of what it printed.
pub fn code(printed: &str) -> String {
    let lines = printed.lines().skip_while(|l| !l.starts_with("disasm:")).skip(1);
    lines.take_while(|l| !l.contains("SHADER STATS")).map(|l| format!("{l}\n")).collect()
}

fn kind(kind: BindingKind) -> Result<vk::DescriptorType, String> {
    Ok(match kind {
        BindingKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
        BindingKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        BindingKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        BindingKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        BindingKind::Sampler => vk::DescriptorType::SAMPLER,
        other => return Err(format!("no golden shader has a {other:?}")),
    })
}

fn device(instance: &ash::Instance) -> Result<ash::Device, vk::Result> {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
    let mut sizes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default().subgroup_size_control(true);
    let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut sizes);
    // SAFETY: a live instance; `create` and what it points to outlive the call.
    unsafe {
        let physical =
            *instance.enumerate_physical_devices()?.first().ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        instance.create_device(physical, &create, None)
    }
}

fn layout(device: &ash::Device, entry: &EntryInfo) -> Result<vk::PipelineLayout, String> {
    let mut bindings = Vec::new();
    for r in &entry.resources {
        let binding = vk::DescriptorSetLayoutBinding::default().binding(r.binding).descriptor_type(kind(r.kind)?);
        bindings.push(binding.descriptor_count(r.count.max(1)).stage_flags(vk::ShaderStageFlags::COMPUTE));
        if r.set != 0 {
            return Err("golden shaders have set 0 alone".into());
        }
    }
    let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: a live device; what is created from outlives the calls.
    let made = unsafe {
        device.create_descriptor_set_layout(&create, None).and_then(|set| {
            device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&[set]), None)
        })
    };
    made.map_err(|e| e.to_string())
}

/// Makes a pipeline of the module's first entry point with the driver that the loader finds.
pub fn compile(words: &[u32], wave: WaveSize) -> Result<(), String> {
    let entry = reflect(words).map_err(|e| e.to_string())?.remove(0);
    // SAFETY: the loader has no preconditions; it stays loaded until the process ends.
    let loader = unsafe { ash::Entry::load() }.map_err(|e| e.to_string())?;
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let create = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: `create` and what it points to outlive the call.
    let instance = unsafe { loader.create_instance(&create, None) }.map_err(|e| e.to_string())?;
    let device = device(&instance).map_err(|e| e.to_string())?;
    let layout = layout(&device, &entry)?;
    let name = std::ffi::CString::new(entry.name).map_err(|e| e.to_string())?;
    let mut size =
        vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default().required_subgroup_size(wave.lanes());
    // SAFETY: a live device; the module is valid SPIR-V, its layout has its bindings, and all outlive the calls.
    let made = unsafe {
        device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None).and_then(|module| {
            let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE);
            let stage = stage.module(module).name(&name).push_next(&mut size);
            let create = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            device.create_compute_pipelines(vk::PipelineCache::null(), &create, None).map_err(|(_, e)| e)
        })
    };
    made.map(|_| ()).map_err(|e| e.to_string())
}
