//! Plain Vulkan programs against the driver, no loader between.

use crate::common::{self, Gpu, spirv};
use ash::vk;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
const DYNAMIC: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER_DYNAMIC;

#[test]
fn copies_fills_and_updates() {
    let gpu = Gpu::new();
    let (a, b) = (gpu.buffer(4096), gpu.buffer(4096));
    a.set(0..1024);
    let commands = gpu.commands(|c| {
        let d = &gpu.device;
        // SAFETY: valid usage throughout.
        unsafe {
            d.cmd_fill_buffer(c, b.buffer, 0, vk::WHOLE_SIZE, 0xabcd_ef01);
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)];
            let stage = vk::PipelineStageFlags::TRANSFER;
            d.cmd_pipeline_barrier(c, stage, stage, vk::DependencyFlags::empty(), &barrier, &[], &[]);
            let region = [vk::BufferCopy { src_offset: 4, dst_offset: 8, size: 16 }];
            d.cmd_copy_buffer(c, a.buffer, b.buffer, &region);
            d.cmd_update_buffer(c, b.buffer, 64, &7u32.to_le_bytes());
        }
    });
    gpu.run(commands).unwrap();
    let got = b.get();
    assert_eq!(got[..8], [0xabcd_ef01, 0xabcd_ef01, 1, 2, 3, 4, 0xabcd_ef01, 0xabcd_ef01]);
    assert_eq!((got[16], got[17], got[1023]), (7, 0xabcd_ef01, 0xabcd_ef01));
    gpu.free(a);
    gpu.free(b);
}

#[test]
fn a_kernel_in_both_wave_sizes() {
    let gpu = Gpu::new();
    for lanes in [None, Some(32), Some(64)] {
        let data = gpu.buffer(4 * 300);
        data.set(0..300);
        let kernel = gpu.kernel(&spirv::double_and_add(100), STORAGE, lanes).unwrap();
        gpu.point(&kernel, &data);
        let commands = gpu.commands(|c| {
            gpu.bind(c, &kernel, 5, &[]);
            // SAFETY: valid usage. The third group's work-items past the end are dropped by the range check.
            unsafe { gpu.device.cmd_dispatch(c, 4, 1, 1) };
        });
        gpu.run(commands).unwrap();
        assert!(data.get().iter().enumerate().all(|(i, v)| *v == 2 * i as u32 + 5), "{lanes:?}");
        gpu.free_kernel(kernel);
        gpu.free(data);
    }
    assert_eq!(gpu.kernel(&spirv::double_and_add(1), STORAGE, Some(16)).err(), Some(vk::Result::ERROR_UNKNOWN));
}

#[test]
fn indirect_based_and_secondary_dispatches() {
    let gpu = Gpu::new();
    let data = gpu.buffer(4 * 64);
    let counts = gpu.buffer(16);
    data.set(std::iter::repeat_n(1, 64));
    counts.set([9, 2, 1, 1]);
    let kernel = gpu.kernel(&spirv::double_and_add(16), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    let d = &gpu.device;
    let info = vk::CommandBufferAllocateInfo::default()
        .command_pool(gpu.pool)
        .level(vk::CommandBufferLevel::SECONDARY)
        .command_buffer_count(1);
    // SAFETY: valid usage throughout.
    unsafe {
        let secondary = d.allocate_command_buffers(&info).unwrap()[0];
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        d.begin_command_buffer(secondary, &vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance))
            .unwrap();
        gpu.bind(secondary, &kernel, 100, &[]);
        d.cmd_dispatch_indirect(secondary, counts.buffer, 4);
        d.end_command_buffer(secondary).unwrap();
        let commands = gpu.commands(|c| {
            d.cmd_execute_commands(c, &[secondary]);
            gpu.bind(c, &kernel, 200, &[]);
            d.cmd_dispatch_base(c, 3, 0, 0, 1, 1, 1);
        });
        gpu.run(commands).unwrap();
    }
    let got = data.get();
    assert_eq!((got[0], got[31], got[32], got[47], got[48], got[63]), (102, 102, 1, 1, 202, 202));
    gpu.free_kernel(kernel);
    gpu.free(data);
    gpu.free(counts);
}

/// SIMULTANEOUS_USE: one command buffer pending several times; a secondary one in two primaries at once.
#[test]
fn a_command_buffer_is_pending_in_many_places() {
    let gpu = Gpu::new();
    let data = gpu.buffer(4 * 16);
    data.set([1; 16]);
    let kernel = gpu.kernel(&spirv::double_and_add(16), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    let d = &gpu.device;
    let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
    let inheritance = vk::CommandBufferInheritanceInfo::default();
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    // SAFETY: valid usage throughout.
    unsafe {
        let allocate = |level| {
            let info = vk::CommandBufferAllocateInfo::default();
            let info = info.command_pool(gpu.pool).level(level).command_buffer_count(2);
            d.allocate_command_buffers(&info).unwrap()
        };
        let secondary = allocate(vk::CommandBufferLevel::SECONDARY)[0];
        d.begin_command_buffer(secondary, &begin.inheritance_info(&inheritance)).unwrap();
        gpu.bind(secondary, &kernel, 3, &[]);
        d.cmd_dispatch(secondary, 1, 1, 1);
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
        d.cmd_pipeline_barrier(secondary, all, all, vk::DependencyFlags::empty(), &barrier, &[], &[]);
        d.end_command_buffer(secondary).unwrap();
        let primaries = allocate(vk::CommandBufferLevel::PRIMARY);
        for primary in &primaries {
            d.begin_command_buffer(*primary, &begin).unwrap();
            d.cmd_set_device_mask(*primary, 1);
            d.cmd_execute_commands(*primary, &[secondary]);
            d.end_command_buffer(*primary).unwrap();
        }
        // Two and two and one in submissions that nobody waits for in between.
        let (fence, twice) = (d.create_fence(&Default::default(), None).unwrap(), [primaries[0], primaries[1]]);
        let both = vk::SubmitInfo::default().command_buffers(&twice);
        let one = vk::SubmitInfo::default().command_buffers(&twice[..1]);
        d.queue_submit(gpu.queue, &[both, both], vk::Fence::null()).unwrap();
        d.queue_submit(gpu.queue, &[one], fence).unwrap();
        d.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        d.destroy_fence(fence, None);
    }
    // x → 2x + 3, five times.
    assert_eq!(data.get(), [32 + 3 * 31; 16]);
    gpu.free_kernel(kernel);
    gpu.free(data);
}

#[test]
fn dynamic_offsets_copies_of_sets_and_templates() {
    let gpu = Gpu::new();
    let data = gpu.buffer(1024);
    data.set(std::iter::repeat_n(3, 256));
    let kernel = gpu.kernel(&spirv::double_and_add(1), DYNAMIC, None).unwrap();
    let d = &gpu.device;
    // SAFETY: valid usage throughout.
    unsafe {
        let entries = [vk::DescriptorUpdateTemplateEntry {
            dst_binding: 0,
            dst_array_element: 0,
            descriptor_count: 1,
            descriptor_type: DYNAMIC,
            offset: 4,
            stride: 0,
        }];
        let info = vk::DescriptorUpdateTemplateCreateInfo::default()
            .descriptor_update_entries(&entries)
            .descriptor_set_layout(kernel.set_layout);
        let template = d.create_descriptor_update_template(&info, None).unwrap();
        // The descriptor lies unaligned in the program's data, which the specification allows.
        let buffer = vk::DescriptorBufferInfo { buffer: data.buffer, offset: 0, range: 4 };
        let mut bytes = vec![0u8; 4 + size_of::<vk::DescriptorBufferInfo>()];
        bytes.as_mut_ptr().add(4).cast::<vk::DescriptorBufferInfo>().write_unaligned(buffer);

        let sizes = [vk::DescriptorPoolSize { ty: DYNAMIC, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let layouts = [kernel.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let source = d.allocate_descriptor_sets(&info).unwrap()[0];
        assert_eq!(d.allocate_descriptor_sets(&info).err(), Some(vk::Result::ERROR_OUT_OF_POOL_MEMORY));
        d.update_descriptor_set_with_template(source, template, bytes.as_ptr().cast());
        let copies = [vk::CopyDescriptorSet::default().src_set(source).dst_set(kernel.set).descriptor_count(1)];
        d.update_descriptor_sets(&[], &copies);
        d.destroy_descriptor_pool(pool, None);
        d.destroy_descriptor_update_template(template, None);

        let commands = gpu.commands(|c| {
            for offset in [0, 64, 512] {
                gpu.bind(c, &kernel, offset, &[offset]);
                d.cmd_dispatch(c, 1, 1, 1);
            }
        });
        gpu.run(commands).unwrap();
    }
    let got = data.get();
    assert_eq!((got[0], got[16], got[128], got[1], got[17]), (6, 70, 518, 3, 3));
    gpu.free_kernel(kernel);
    gpu.free(data);
}

#[test]
fn a_pool_gives_its_room_back_although_a_command_buffer_holds_the_set() {
    let gpu = Gpu::new();
    let kernel = gpu.kernel(&spirv::double_and_add(1), STORAGE, None).unwrap();
    let data = gpu.buffer(64);
    gpu.point(&kernel, &data);
    let _pending = gpu.commands(|c| gpu.bind(c, &kernel, 0, &[]));
    let layouts = [kernel.set_layout];
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(kernel.pool).set_layouts(&layouts);
    // SAFETY: valid usage: the command buffer is not submitted any more.
    unsafe {
        gpu.device.reset_descriptor_pool(kernel.pool, vk::DescriptorPoolResetFlags::empty()).unwrap();
        gpu.device.allocate_descriptor_sets(&info).unwrap();
    }
    gpu.free_kernel(kernel);
    gpu.free(data);
}

#[test]
fn a_timeline_orders_two_queues_and_the_host() {
    let gpu = Gpu::new();
    let data = gpu.buffer(4);
    data.set([1]);
    let kernel = gpu.kernel(&spirv::double_and_add(1), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    let step = |push| {
        gpu.commands(|c| {
            gpu.bind(c, &kernel, push, &[]);
            // SAFETY: valid usage.
            unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
        })
    };
    let (first, second) = (step(10), step(100));
    let d = &gpu.device;
    let timeline = ash::khr::timeline_semaphore::Device::new(&gpu.instance, d);
    // SAFETY: valid usage throughout.
    unsafe {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let semaphore = [d.create_semaphore(&info, None).unwrap()];
        let submit = |queue, wait: u64, signal: u64, commands: vk::CommandBuffer| {
            let (waits, signals, commands) = ([wait], [signal], [commands]);
            let mut values = vk::TimelineSemaphoreSubmitInfo::default()
                .wait_semaphore_values(&waits)
                .signal_semaphore_values(&signals);
            let info = vk::SubmitInfo::default()
                .wait_semaphores(&semaphore)
                .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS])
                .command_buffers(&commands)
                .signal_semaphores(&semaphore)
                .push_next(&mut values);
            d.queue_submit(queue, &[info], vk::Fence::null()).unwrap();
        };
        // The later step is submitted first, and nothing runs before the host says so.
        submit(gpu.other_queue, 2, 3, second);
        submit(gpu.queue, 1, 2, first);
        let wait = |value: u64, ns: u64| {
            let values = [value];
            let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphore).values(&values);
            timeline.wait_semaphores(&info, ns)
        };
        assert_eq!(wait(2, 20_000_000), Err(vk::Result::TIMEOUT));
        assert_eq!(data.get(), [1]);
        timeline.signal_semaphore(&vk::SemaphoreSignalInfo::default().semaphore(semaphore[0]).value(1)).unwrap();
        wait(3, u64::MAX).unwrap();
        assert_eq!(timeline.get_semaphore_counter_value(semaphore[0]), Ok(3));
        assert_eq!(data.get(), [(2 + 10) * 2 + 100]);
        d.device_wait_idle().unwrap();
        d.destroy_semaphore(semaphore[0], None);
    }
    gpu.free_kernel(kernel);
    gpu.free(data);
}

#[test]
fn binary_semaphores_events_and_fences() {
    let gpu = Gpu::new();
    let data = gpu.buffer(8);
    data.set([0, 0]);
    let d = &gpu.device;
    // SAFETY: valid usage throughout.
    unsafe {
        let event = d.create_event(&vk::EventCreateInfo::default(), None).unwrap();
        assert!(!d.get_event_status(event).unwrap());
        d.set_event(event).unwrap();
        assert!(d.get_event_status(event).unwrap());
        d.reset_event(event).unwrap();

        let host = vk::PipelineStageFlags::ALL_COMMANDS;
        let first = gpu.commands(|c| {
            d.cmd_wait_events(c, &[event], host, host, &[], &[], &[]);
            d.cmd_fill_buffer(c, data.buffer, 0, 4, 1);
            d.cmd_reset_event(c, event, host);
        });
        let second = gpu.commands(|c| {
            d.cmd_copy_buffer(c, data.buffer, data.buffer, &[vk::BufferCopy { src_offset: 0, dst_offset: 4, size: 4 }])
        });
        let semaphore = [d.create_semaphore(&vk::SemaphoreCreateInfo::default(), None).unwrap()];
        let fences = [0, 1].map(|_| d.create_fence(&vk::FenceCreateInfo::default(), None).unwrap());
        let (one, two) = ([first], [second]);
        let info = vk::SubmitInfo::default().command_buffers(&one).signal_semaphores(&semaphore);
        d.queue_submit(gpu.queue, &[info], fences[0]).unwrap();
        let info = vk::SubmitInfo::default()
            .command_buffers(&two)
            .wait_semaphores(&semaphore)
            .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS]);
        d.queue_submit(gpu.other_queue, &[info], fences[1]).unwrap();
        assert_eq!(d.wait_for_fences(&fences, false, 20_000_000), Err(vk::Result::TIMEOUT));
        assert_eq!(d.get_fence_status(fences[1]), Ok(false));
        d.set_event(event).unwrap();
        d.wait_for_fences(&fences, true, u64::MAX).unwrap();
        assert_eq!(data.get(), [1, 1]);
        assert!(!d.get_event_status(event).unwrap());
        d.reset_fences(&fences).unwrap();
        assert_eq!(d.get_fence_status(fences[0]), Ok(false));
        d.device_wait_idle().unwrap();
        fences.iter().for_each(|f| d.destroy_fence(*f, None));
        d.destroy_semaphore(semaphore[0], None);
        d.destroy_event(event, None);
    }
    gpu.free(data);
}

#[test]
fn timestamps() {
    let gpu = Gpu::new();
    let data = gpu.buffer(1 << 20);
    let results = gpu.buffer(32);
    let d = &gpu.device;
    let reset = ash::ext::host_query_reset::Device::new(&gpu.instance, d);
    // SAFETY: valid usage throughout.
    unsafe {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        let pool = d.create_query_pool(&info, None).unwrap();
        let commands = gpu.commands(|c| {
            d.cmd_reset_query_pool(c, pool, 0, 2);
            d.cmd_write_timestamp(c, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
            d.cmd_fill_buffer(c, data.buffer, 0, vk::WHOLE_SIZE, 1);
            d.cmd_write_timestamp(c, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 1);
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            d.cmd_copy_query_pool_results(c, pool, 0, 2, results.buffer, 0, 8, flags);
        });
        gpu.run(commands).unwrap();
        let mut times = [0u64; 2];
        d.get_query_pool_results(pool, 0, &mut times, vk::QueryResultFlags::TYPE_64).unwrap();
        assert!(times[1] > times[0], "{times:?}");
        let copied = results.get();
        let copied = [0, 2].map(|i| u64::from(copied[i]) | u64::from(copied[i + 1]) << 32);
        assert_eq!(copied, times);

        (reset.fp().reset_query_pool_ext)(d.handle(), pool, 0, 1);
        let mut with = [[0u64; 2]; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        assert_eq!(d.get_query_pool_results(pool, 0, &mut with, flags), Err(vk::Result::NOT_READY));
        assert_eq!((with[0][1], with[1]), (0, [times[1], 1]));
        d.destroy_query_pool(pool, None);
    }
    gpu.free(data);
    gpu.free(results);
}

#[test]
fn synchronization2_and_addresses() {
    let gpu = Gpu::new();
    let data = gpu.buffer(8);
    data.set([5, 0]);
    let d = &gpu.device;
    let sync = ash::khr::synchronization2::Device::new(&gpu.instance, d);
    let address = ash::khr::buffer_device_address::Device::new(&gpu.instance, d);
    // SAFETY: valid usage throughout.
    unsafe {
        let info = vk::BufferDeviceAddressInfo::default().buffer(data.buffer);
        assert_ne!(address.get_buffer_device_address(&info), 0);
        let commands = gpu.commands(|c| {
            let barrier = [vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .dst_access_mask(vk::AccessFlags2::MEMORY_READ)];
            d.cmd_fill_buffer(c, data.buffer, 0, 4, 6);
            sync.cmd_pipeline_barrier2(c, &vk::DependencyInfo::default().memory_barriers(&barrier));
            let region = [vk::BufferCopy { src_offset: 0, dst_offset: 4, size: 4 }];
            d.cmd_copy_buffer(c, data.buffer, data.buffer, &region);
        });
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let info = vk::SubmitInfo2::default().command_buffer_infos(&commands);
        sync.queue_submit2(gpu.queue, &[info], vk::Fence::null()).unwrap();
        d.queue_wait_idle(gpu.queue).unwrap();
    }
    assert_eq!(data.get(), [6, 6]);
    gpu.free(data);
}

#[test]
fn a_kernel_follows_an_address() {
    let gpu = Gpu::new();
    let (target, data) = (gpu.buffer(16), gpu.buffer(16));
    target.set([40, 41, 42, 43]);
    let address = ash::khr::buffer_device_address::Device::new(&gpu.instance, &gpu.device);
    let info = vk::BufferDeviceAddressInfo::default().buffer(target.buffer);
    // SAFETY: valid usage.
    let at = unsafe { address.get_buffer_device_address(&info) } + 8;
    data.set([at as u32, (at >> 32) as u32]);
    let kernel = gpu.kernel(&spirv::add_two_at_address(), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    let commands = gpu.commands(|c| {
        gpu.bind(c, &kernel, 0, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
    });
    gpu.run(commands).unwrap();
    assert_eq!(target.get(), [40, 41, 44, 43]);
    gpu.free_kernel(kernel);
    gpu.free(data);
    gpu.free(target);
}

#[test]
fn commands_that_draw_are_refused_at_the_end() {
    let gpu = Gpu::new();
    let info = vk::CommandBufferAllocateInfo::default().command_pool(gpu.pool).command_buffer_count(1);
    let d = &gpu.device;
    // SAFETY: invalid usage that the driver must survive.
    unsafe {
        let c = d.allocate_command_buffers(&info).unwrap()[0];
        d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()).unwrap();
        d.cmd_draw(c, 3, 1, 0, 0);
        assert_eq!(d.end_command_buffer(c), Err(vk::Result::ERROR_UNKNOWN));
        let info = [vk::GraphicsPipelineCreateInfo::default()];
        let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &info, None);
        assert_eq!(made.err().map(|(_, r)| r), Some(vk::Result::ERROR_UNKNOWN));
    }
}

#[test]
fn what_cannot_be_made_is_an_error_with_words() {
    use std::ffi::{CStr, c_void};
    use std::sync::Mutex;
    static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    unsafe extern "system" fn hear(
        _: vk::DebugUtilsMessageSeverityFlagsEXT,
        _: vk::DebugUtilsMessageTypeFlagsEXT,
        data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
        _: *mut c_void,
    ) -> vk::Bool32 {
        // SAFETY: the driver gives a live structure with a C string.
        let text = unsafe { CStr::from_ptr((*data).p_message) };
        HEARD.lock().unwrap().push(text.to_string_lossy().into_owned());
        vk::FALSE
    }
    let entry = common::entry();
    let instance = common::instance(&entry, vk::API_VERSION_1_1, &[ash::ext::debug_utils::NAME]);
    let utils = ash::ext::debug_utils::Instance::new(&entry, &instance);
    // SAFETY: valid usage, but for the module.
    unsafe {
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
            .pfn_user_callback(Some(hear));
        let messenger = utils.create_debug_utils_messenger(&info, None).unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let d = instance.create_device(physical, &info, None).unwrap();
        let mut words = spirv::double_and_add(1);
        words.truncate(40);
        let module = d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None).unwrap();
        let names = ash::ext::debug_utils::Device::new(&instance, &d);
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(module).object_name(c"broken");
        names.set_debug_utils_object_name(&info).unwrap();
        let layout = d.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let infos = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        let made = d.create_compute_pipelines(vk::PipelineCache::null(), &infos, None);
        assert_eq!(made.err().map(|(_, r)| r), Some(vk::Result::ERROR_UNKNOWN));
        let heard = HEARD.lock().unwrap().join("\n");
        assert!(heard.starts_with("vkCreateComputePipelines: shader module `broken`: "), "{heard}");
        HEARD.lock().unwrap().clear();
        let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[Default::default()], None);
        assert!(made.is_err());
        let heard = HEARD.lock().unwrap().join("\n");
        assert_eq!(heard, "vkCreateGraphicsPipelines: graphics pipelines are not supported: the device only computes");
        d.destroy_pipeline_layout(layout, None);
        d.destroy_shader_module(module, None);
        d.destroy_device(None);
        utils.destroy_debug_utils_messenger(messenger, None);
        instance.destroy_instance(None);
    }
}
