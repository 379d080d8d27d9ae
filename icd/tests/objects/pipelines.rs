//! Pipelines: constants of every width, batches, and caches that are saved.

use crate::bed::{Bed, CACHE, Way, can_compile, everywhere, spirv};
use ash::vk::{self, Handle};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

/// A shader that no cache can know: it stores a constant and a number of this run.
pub fn fresh() -> String {
    let unique = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u32;
    format!(
        "#version 450
        layout(constant_id = 0) const uint value = 3;
        layout(set = 0, binding = 0) buffer Out {{ uint words[]; }};
        void main() {{ words[0] = value; words[1] = {unique}u; }}"
    )
}

pub fn stage(module: vk::ShaderModule) -> vk::PipelineShaderStageCreateInfo<'static> {
    vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module).name(c"main")
}

pub fn layout(bed: &Bed) -> (vk::DescriptorSetLayout, vk::PipelineLayout) {
    let set = bed.set_layout(&[(0, STORAGE, 1)]);
    (set, bed.pipeline_layout(&[set], 0))
}

#[test]
fn constants_of_every_width() {
    if can_compile() {
        everywhere("pipelines::constants_of_every_width", constants);
    }
}

fn constants(bed: &Bed) {
    let glsl = "#version 450
        layout(local_size_x_id = 7) in;
        layout(constant_id = 0) const uint a = 1;
        layout(constant_id = 1) const int b = -1;
        layout(constant_id = 2) const float c = 1.0;
        layout(constant_id = 3) const bool d = false;
        layout(constant_id = 4) const uint e = 5;
        layout(set = 0, binding = 0) buffer Out { uint words[]; };
        shared uint lanes;
        void main() {
            lanes = 0;
            barrier();
            atomicAdd(lanes, 1);
            barrier();
            uint many[a];
            for (uint i = 0; i < a; i++) many[i] = i;
            words[0] = many[a - 1]; words[1] = uint(b); words[2] = floatBitsToUint(c);
            words[3] = uint(d); words[4] = e * a; words[5] = lanes;
        }";
    let (set_layout, layout) = layout(bed);
    let module = bed.module(&spirv(glsl));
    // Unaligned in the program's data.
    let mut data = vec![0u8];
    let mut entries = Vec::new();
    for (id, bits) in [(0u32, 9u32), (1, -5i32 as u32), (2, 2.5f32.to_bits()), (3, 1), (7, 24)] {
        entries.push(vk::SpecializationMapEntry { constant_id: id, offset: data.len() as u32, size: 4 });
        data.extend(bits.to_le_bytes());
    }
    let spec = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
    let infos =
        [vk::ComputePipelineCreateInfo::default().stage(stage(module).specialization_info(&spec)).layout(layout)];
    // SAFETY: valid usage.
    let pipeline = unsafe { bed.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None) }.unwrap()[0];
    // SAFETY: not used any more then.
    bed.later(move |d| unsafe { d.destroy_pipeline(pipeline, None) });
    let (out, set) = (bed.buffer(8), bed.set(set_layout, &[(STORAGE, 1)], None));
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    bed.dispatch(pipeline, layout, &[set], 1);
    assert_eq!(out.get()[..6], [8, -5i32 as u32, 2.5f32.to_bits(), 1, 45, 24]);
}

#[test]
fn caches_are_saved_merged_and_looked_into() {
    if can_compile() {
        everywhere("pipelines::caches_are_saved_merged_and_looked_into", caches);
    }
}

fn caches(bed: &Bed) {
    let d = &bed.device;
    let (_, layout) = layout(bed);
    let words = spirv(&fresh());
    let module = bed.module(&words);
    let make_with = |cache, stage, flags| {
        let mut feedback = vk::PipelineCreationFeedback::default();
        let mut of_stage = [vk::PipelineCreationFeedback::default()];
        let mut info = vk::PipelineCreationFeedbackCreateInfo::default()
            .pipeline_creation_feedback(&mut feedback)
            .pipeline_stage_creation_feedbacks(&mut of_stage);
        let infos =
            [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags).push_next(&mut info)];
        // SAFETY: valid usage.
        match unsafe { d.create_compute_pipelines(cache, &infos, None) } {
            Ok(pipelines) => {
                // SAFETY: not used.
                unsafe { d.destroy_pipeline(pipelines[0], None) };
                assert!(feedback.flags.contains(vk::PipelineCreationFeedbackFlags::VALID) || bed.way == Way::Lavapipe);
                Ok(feedback.flags.contains(vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT))
            }
            Err((pipelines, result)) => {
                assert!(pipelines[0].is_null());
                Err(result)
            }
        }
    };
    let only_cached = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    let make = |cache, flags| make_with(cache, stage(module), flags);
    let none = vk::PipelineCreateFlags::empty();
    let create = |data: &[u8]| {
        // SAFETY: valid usage.
        let cache =
            unsafe { d.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default().initial_data(data), None) };
        let cache = cache.unwrap();
        // SAFETY: not used any more then.
        bed.later(move |d| unsafe { d.destroy_pipeline_cache(cache, None) });
        cache
    };
    let ours = bed.way != Way::Lavapipe;
    let cache = create(&[]);
    if ours {
        assert_eq!(make(cache, only_cached), Err(vk::Result::PIPELINE_COMPILE_REQUIRED));
        assert_eq!(make(cache, none), Ok(false));
        assert_eq!(make(cache, only_cached), Ok(true));
        // Another cache learns it from the process.
        assert_eq!(make(create(&[]), only_cached), Ok(false));
    } else {
        make(cache, none).unwrap();
    }
    // SAFETY: valid usage.
    let data = unsafe { d.get_pipeline_cache_data(cache) }.unwrap();
    // SAFETY: valid usage.
    let properties = unsafe { bed.instance.get_physical_device_properties(bed.physical) };
    let word = |at: usize| u32::from_le_bytes(*data[at..].first_chunk().unwrap());
    assert_eq!((word(0), word(4), word(8), word(12)), (32, 1, properties.vendor_id, properties.device_id));
    assert_eq!(data[16..32], properties.pipeline_cache_uuid);
    if !ours {
        return;
    }
    assert_eq!(make(create(&data), none), Ok(true));
    for at in (0..data.len()).step_by(7) {
        let mut damaged = data.clone();
        damaged[at] ^= 0x55;
        assert_eq!(make(create(&damaged), none), Ok(false), "byte {at}");
    }
    let (merged, sources) = (create(&[]), [create(&data), create(&[])]);
    // SAFETY: valid usage.
    unsafe { d.merge_pipeline_caches(merged, &sources) }.unwrap();
    assert_eq!(make(merged, none), Ok(true));
    // A place too small for the entry gets the header, and the word that there is more.
    let mut bytes = vec![0u8; data.len() - 1];
    let mut size = bytes.len();
    // SAFETY: valid usage.
    let result =
        unsafe { (d.fp_v1_0().get_pipeline_cache_data)(d.handle(), cache, &mut size, bytes.as_mut_ptr().cast()) };
    assert_eq!((result, size), (vk::Result::INCOMPLETE, 32));

    if bed.has(ash::ext::shader_module_identifier::NAME) {
        let identify = ash::ext::shader_module_identifier::DeviceFn::load(|name| {
            // SAFETY: valid usage.
            unsafe { std::mem::transmute(bed.instance.get_device_proc_addr(d.handle(), name.as_ptr())) }
        });
        let mut id = vk::ShaderModuleIdentifierEXT::default();
        let mut same = vk::ShaderModuleIdentifierEXT::default();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: valid usage.
        unsafe {
            (identify.get_shader_module_identifier_ext)(d.handle(), module, &mut id);
            (identify.get_shader_module_create_info_identifier_ext)(d.handle(), &info, &mut same);
        }
        let name = &id.identifier[..id.identifier_size as usize];
        assert_eq!(name, &same.identifier[..same.identifier_size as usize]);
        let mut by_name = vk::PipelineShaderStageModuleIdentifierCreateInfoEXT::default().identifier(name);
        let named = stage(vk::ShaderModule::null()).push_next(&mut by_name);
        assert_eq!(make_with(cache, named, only_cached), Ok(true));
        let other = [1; 32];
        let mut by_name = vk::PipelineShaderStageModuleIdentifierCreateInfoEXT::default().identifier(&other);
        let named = stage(vk::ShaderModule::null()).push_next(&mut by_name);
        assert_eq!(make_with(cache, named, only_cached), Err(vk::Result::PIPELINE_COMPILE_REQUIRED));
    }
}

/// Words in the stage itself, and flags of 64 bits.
#[test]
fn modules_in_the_stage() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    assert!(bed.has(ash::khr::maintenance5::NAME));
    let (set_layout, layout) = layout(&bed);
    let words = spirv(&fresh());
    let make = |flags| {
        let mut inline = vk::ShaderModuleCreateInfo::default().code(&words);
        let mut wide = vk::PipelineCreateFlags2CreateInfoKHR::default().flags(flags);
        let stage = stage(vk::ShaderModule::null()).push_next(&mut inline);
        let infos = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).push_next(&mut wide)];
        // SAFETY: valid usage.
        unsafe { bed.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None) }
    };
    let refused = make(vk::PipelineCreateFlags2KHR::FAIL_ON_PIPELINE_COMPILE_REQUIRED);
    assert_eq!(refused.map_err(|(_, result)| result), Err(vk::Result::PIPELINE_COMPILE_REQUIRED));
    let pipeline = make(vk::PipelineCreateFlags2KHR::empty()).unwrap()[0];
    // SAFETY: not used any more then.
    bed.later(move |d| unsafe { d.destroy_pipeline(pipeline, None) });
    let (out, set) = (bed.buffer(2), bed.set(set_layout, &[(STORAGE, 1)], None));
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    bed.dispatch(pipeline, layout, &[set], 1);
    assert_eq!(out.get()[0], 3);
}

/// One shader of a batch cannot be compiled: the others are made, or those behind it are not.
#[test]
fn batches_with_a_failure() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let (_, layout) = layout(&bed);
    let (good, bad) = (bed.module(&spirv(&fresh())), bed.module(&[0x0723_0203, 0x0001_0000, 0, 1, 0]));
    let make = |flags| {
        let specs: Vec<_> = (0..9u32).map(|n| n.to_le_bytes()).collect();
        let entries = [vk::SpecializationMapEntry { constant_id: 0, offset: 0, size: 4 }];
        let specs: Vec<_> =
            specs.iter().map(|s| vk::SpecializationInfo::default().map_entries(&entries).data(s)).collect();
        let infos: Vec<_> = (0..9)
            .map(|n| {
                let stage = stage(if n == 4 { bad } else { good });
                let stage = if n == 4 { stage } else { stage.specialization_info(&specs[n]) };
                vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags)
            })
            .collect();
        // SAFETY: valid usage, but for the module that is none.
        let (pipelines, result) =
            unsafe { bed.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None) }.unwrap_err();
        assert_eq!(result, vk::Result::ERROR_UNKNOWN);
        let made: Vec<bool> = pipelines.iter().map(|p| !p.is_null()).collect();
        // SAFETY: not used; null is nothing.
        pipelines.iter().for_each(|p| unsafe { bed.device.destroy_pipeline(*p, None) });
        made
    };
    assert_eq!(make(vk::PipelineCreateFlags::empty()), [true, true, true, true, false, true, true, true, true]);
    let early = vk::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE;
    assert_eq!(make(early), [true, true, true, true, false, false, false, false, false]);
}

/// Private memory that no wave can have is known when the pipeline is made, not when it is recorded or runs.
#[test]
fn too_much_private_memory_is_no_pipeline() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let (_, layout) = layout(&bed);
    let make = |words: u32| {
        let glsl = format!(
            "#version 450
            layout(set = 0, binding = 0) buffer Data {{ uint words[]; }};
            void main() {{
                uint many[{words}];
                for (uint i = 0; i < words[0]; i++) many[words[i]] = i;
                words[1] = many[words[2]];
            }}"
        );
        let module = bed.module(&spirv(&glsl));
        let infos = [vk::ComputePipelineCreateInfo::default().stage(stage(module)).layout(layout)];
        // SAFETY: valid usage; destroying null is nothing.
        unsafe {
            let made = bed.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None);
            let (pipelines, result) = made.map_or_else(|(p, e)| (p, Err(e)), |p| (p, Ok(())));
            pipelines.iter().for_each(|&p| bed.device.destroy_pipeline(p, None));
            result
        }
    };
    assert_eq!(make(32 << 10), Ok(()));
    assert_eq!(make(4 << 20), Err(vk::Result::ERROR_UNKNOWN));
}

/// In a process of its own: makes a pipeline of the shader that the caller names, from a cache only if it says so.
#[test]
fn the_next_process() {
    let Ok(glsl) = std::env::var(SHADER) else { return };
    let bed = Bed::linked();
    let (_, layout) = layout(&bed);
    let module = bed.module(&spirv(&glsl));
    let flags = match std::env::var_os(ONLY_CACHED) {
        Some(_) => vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED,
        None => vk::PipelineCreateFlags::empty(),
    };
    let infos = [vk::ComputePipelineCreateInfo::default().stage(stage(module)).layout(layout).flags(flags)];
    // SAFETY: valid usage; the pipeline is not used.
    match unsafe { bed.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None) } {
        Ok(made) => {
            // SAFETY: as above.
            unsafe { bed.device.destroy_pipeline(made[0], None) };
            println!("made");
        }
        Err((_, result)) => println!("{result:?}"),
    }
}

const SHADER: &str = "WAVEPIPE_TEST_SHADER";
const ONLY_CACHED: &str = "WAVEPIPE_TEST_ONLY_CACHED";

#[test]
fn compiled_code_outlives_the_process() {
    if !can_compile() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("wavepipe-next-{}", std::process::id()));
    let shader = fresh();
    let run = |only_cached: bool| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "pipelines::the_next_process", "--nocapture"]);
        command.env(CACHE, &folder).env(SHADER, &shader);
        if only_cached {
            command.env(ONLY_CACHED, "1");
        }
        let output = command.output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{said}");
        said
    };
    assert!(run(true).contains("PIPELINE_COMPILE_REQUIRED"));
    assert!(run(false).contains("made"));
    assert!(run(true).contains("made"));
    let inner = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::read_dir(inner).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    assert!(run(true).contains("PIPELINE_COMPILE_REQUIRED"), "damaged");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Threads that share a device, a layout and a pipeline cache, each with pools of its own, as the specification's rules of
/// external synchronisation allow.
#[test]
fn threads_share_a_device() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let (set_layout, layout) = layout(&bed);
    let module = bed.module(&spirv(&fresh()));
    let d = &bed.device;
    let mapped = bed.buffer(8 * 64);
    mapped.set([0; 8 * 64]);
    // SAFETY: valid usage throughout; each thread has its own pools, sets, memory and part of the buffer.
    unsafe {
        let cache = d.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None).unwrap();
        let work = |thread: u32, buffer: vk::Buffer| {
            let sizes = [vk::DescriptorPoolSize { ty: STORAGE, descriptor_count: 1 }];
            let pool = d
                .create_descriptor_pool(&vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes), None)
                .unwrap();
            let commands = d.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
            let info = vk::CommandBufferAllocateInfo::default().command_pool(commands).command_buffer_count(1);
            let command_buffer = d.allocate_command_buffers(&info).unwrap()[0];
            let fence = d.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
            for round in 0..40u32 {
                let data = (round % 10).to_le_bytes();
                let entries = [vk::SpecializationMapEntry { constant_id: 0, offset: 0, size: 4 }];
                let spec = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
                let stage = stage(module).specialization_info(&spec);
                let infos = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
                let pipeline = d.create_compute_pipelines(cache, &infos, None).unwrap()[0];
                let memory = d.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(4096), None).unwrap();
                let layouts = [set_layout];
                let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
                let set = d.allocate_descriptor_sets(&info).unwrap()[0];
                bed.point(set, (0, 0), STORAGE, (buffer, u64::from(thread) * 256, 256));
                d.begin_command_buffer(command_buffer, &vk::CommandBufferBeginInfo::default()).unwrap();
                let compute = vk::PipelineBindPoint::COMPUTE;
                d.cmd_bind_pipeline(command_buffer, compute, pipeline);
                d.cmd_bind_descriptor_sets(command_buffer, compute, layout, 0, &[set], &[]);
                d.cmd_dispatch(command_buffer, 1, 1, 1);
                d.end_command_buffer(command_buffer).unwrap();
                bed.submit_shared(command_buffer, fence);
                d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
                d.reset_fences(&[fence]).unwrap();
                d.reset_command_pool(commands, vk::CommandPoolResetFlags::empty()).unwrap();
                d.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()).unwrap();
                d.destroy_pipeline(pipeline, None);
                d.free_memory(memory, None);
            }
            d.destroy_fence(fence, None);
            d.destroy_command_pool(commands, None);
            d.destroy_descriptor_pool(pool, None);
        };
        let (work, buffer) = (&work, mapped.handle);
        std::thread::scope(|scope| {
            (0..8).for_each(|thread| drop(scope.spawn(move || work(thread, buffer))));
        });
        d.destroy_pipeline_cache(cache, None);
    }
    let got = mapped.get();
    assert!((0..8).all(|thread| got[64 * thread] == 9), "the last round's constant");
}

/// Resident bytes of this process.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
fn ten_thousand_pipelines_leave_nothing_behind() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let (_, layout) = layout(&bed);
    let module = bed.module(&spirv(&fresh()));
    let make = |n: u32| {
        let data = n.to_le_bytes();
        let entries = [vk::SpecializationMapEntry { constant_id: 0, offset: 0, size: 4 }];
        let spec = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let infos =
            [vk::ComputePipelineCreateInfo::default().stage(stage(module).specialization_info(&spec)).layout(layout)];
        // SAFETY: valid usage; the pipeline is not used.
        unsafe {
            let made = bed.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None).unwrap();
            bed.device.destroy_pipeline(made[0], None);
        }
    };
    (0..2000).for_each(make);
    let before = resident();
    (2000..10_000).for_each(make);
    let grown = resident().saturating_sub(before);
    // Of each, the process's bounded cache keeps the code.
    assert!(grown < 24 << 20, "{grown} bytes more after 8,000 pipelines");
}
