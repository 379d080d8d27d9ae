//! A Vulkan program's usual beginnings, against the driver without a loader.
#![allow(dead_code)]

pub mod child;
pub mod spirv;
pub mod wgsl;

use ash::vk::{self, Handle};
use std::ffi::{CStr, c_char};

/// The driver linked into the test, entered as a program without a loader would.
pub fn entry() -> ash::Entry {
    unsafe extern "system" fn get(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
        // SAFETY: same contract.
        unsafe { vulkan_wavepipe::vk_icdGetInstanceProcAddr(instance, name) }
    }
    // SAFETY: `get` is a vkGetInstanceProcAddr.
    unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: get }) }
}

pub fn get(instance: vk::Instance, name: &CStr) -> bool {
    // SAFETY: a live or null instance and a C string.
    unsafe { vulkan_wavepipe::vk_icdGetInstanceProcAddr(instance, name.as_ptr()) }.is_some()
}

/// The generation that the driver here runs on.
pub fn isa() -> String {
    std::env::var("WAVEPIPE_MACHINE").unwrap_or_else(|_| wavepipe_runtime::isa::Gen::default().name().into())
}

pub fn names(list: &[&CStr]) -> Vec<*const c_char> {
    list.iter().map(|n| n.as_ptr()).collect()
}

pub fn instance(entry: &ash::Entry, version: u32, extensions: &[&CStr]) -> ash::Instance {
    let app = vk::ApplicationInfo::default().api_version(version);
    let extensions = names(extensions);
    let info = vk::InstanceCreateInfo::default().application_info(&app).enabled_extension_names(&extensions);
    // SAFETY: valid usage.
    unsafe { entry.create_instance(&info, None) }.expect("vkCreateInstance")
}

/// One device with a queue of each family, and what most tests need.
pub struct Gpu {
    pub entry: ash::Entry,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub other_queue: vk::Queue,
    pub pool: vk::CommandPool,
}

pub const DEVICE_EXTENSIONS: &[&CStr] = &[
    ash::khr::timeline_semaphore::NAME,
    ash::khr::synchronization2::NAME,
    ash::khr::buffer_device_address::NAME,
    ash::ext::host_query_reset::NAME,
    ash::ext::subgroup_size_control::NAME,
];

impl Gpu {
    pub fn new() -> Gpu {
        Gpu::with_entry(entry())
    }

    pub fn with_entry(entry: ash::Entry) -> Gpu {
        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let mut sync = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
        let mut address = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
        let mut reset = vk::PhysicalDeviceHostQueryResetFeatures::default().host_query_reset(true);
        let mut lanes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default().subgroup_size_control(true);
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut lanes)
            .push_next(&mut timeline)
            .push_next(&mut sync)
            .push_next(&mut address)
            .push_next(&mut reset);
        Gpu::with_features(entry, vk::API_VERSION_1_1, DEVICE_EXTENSIONS, |_, _| &mut features)
    }

    /// A device of `version` with the features that `choose` gives, which may ask the physical device before.
    pub fn with_features<'a, 'b: 'a>(
        entry: ash::Entry,
        version: u32,
        extensions: &[&CStr],
        choose: impl FnOnce(&ash::Instance, vk::PhysicalDevice) -> &'a mut vk::PhysicalDeviceFeatures2<'b>,
    ) -> Gpu {
        let instance = instance(&entry, version, &[]);
        Gpu::of_instance(entry, instance, extensions, choose)
    }

    /// The same of an instance that is there already.
    pub fn of_instance<'a, 'b: 'a>(
        entry: ash::Entry,
        instance: ash::Instance,
        extensions: &[&CStr],
        choose: impl FnOnce(&ash::Instance, vk::PhysicalDevice) -> &'a mut vk::PhysicalDeviceFeatures2<'b>,
    ) -> Gpu {
        // SAFETY: valid usage throughout.
        unsafe {
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let families = instance.get_physical_device_queue_family_properties(physical);
            assert!(families.len() >= 2);
            let priorities = [0.5];
            let queues = [0, 1]
                .map(|f| vk::DeviceQueueCreateInfo::default().queue_family_index(f).queue_priorities(&priorities));
            let extensions = names(extensions);
            let mut info =
                vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
            info.p_next = std::ptr::from_mut(choose(&instance, physical)).cast();
            let device = instance.create_device(physical, &info, None).expect("vkCreateDevice");
            let queue = device.get_device_queue(0, 0);
            let other_queue = device.get_device_queue(1, 0);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
            Gpu { entry, instance, physical, device, queue, other_queue, pool }
        }
    }

    pub fn buffer(&self, bytes: u64) -> Buffer {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        // SAFETY: valid usage throughout.
        unsafe {
            let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
            let buffer = self.device.create_buffer(&info, None).unwrap();
            let needs = self.device.get_buffer_memory_requirements(buffer);
            assert_eq!(needs.memory_type_bits, 1);
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).push_next(&mut flags);
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_buffer_memory(buffer, memory, 0).unwrap();
            let map = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap();
            Buffer { buffer, memory, map: map.cast(), bytes }
        }
    }

    pub fn free(&self, buffer: Buffer) {
        // SAFETY: nothing uses it any more.
        unsafe {
            self.device.destroy_buffer(buffer.buffer, None);
            self.device.free_memory(buffer.memory, None);
        }
    }

    pub fn commands(&self, record: impl FnOnce(vk::CommandBuffer)) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: valid usage throughout.
        unsafe {
            let commands = self.device.allocate_command_buffers(&info).unwrap()[0];
            self.device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).unwrap();
            record(commands);
            self.device.end_command_buffer(commands).unwrap();
            commands
        }
    }

    /// Submits and waits for the fence.
    pub fn run(&self, commands: vk::CommandBuffer) -> Result<(), vk::Result> {
        // SAFETY: valid usage throughout.
        unsafe {
            let fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            let buffers = [commands];
            let info = vk::SubmitInfo::default().command_buffers(&buffers);
            let submitted = self.device.queue_submit(self.queue, &[info], fence);
            let result = submitted.and_then(|()| self.device.wait_for_fences(&[fence], true, u64::MAX));
            self.device.destroy_fence(fence, None);
            result
        }
    }

    /// A pipeline over `words` with one storage buffer at set 0, binding 0, and 4 bytes of push constants.
    pub fn kernel(
        &self,
        words: &[u32],
        storage: vk::DescriptorType,
        required_lanes: Option<u32>,
    ) -> Result<Kernel, vk::Result> {
        let d = &self.device;
        // SAFETY: valid usage throughout.
        unsafe {
            let bindings = [vk::DescriptorSetLayoutBinding::default()
                .descriptor_type(storage)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)];
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = d.create_descriptor_set_layout(&info, None)?;
            let set_layouts = [set_layout];
            let ranges = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: 4 }];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts).push_constant_ranges(&ranges);
            let layout = d.create_pipeline_layout(&info, None)?;
            let module = d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)?;
            let mut lanes = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
                .required_subgroup_size(required_lanes.unwrap_or(0));
            let mut stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            if required_lanes.is_some() {
                stage = stage.push_next(&mut lanes);
            }
            let infos = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let made = d.create_compute_pipelines(vk::PipelineCache::null(), &infos, None);
            d.destroy_shader_module(module, None);
            let pipeline = match made {
                Ok(pipelines) => pipelines[0],
                Err((pipelines, result)) => {
                    assert!(pipelines.iter().all(|p| p.is_null()));
                    d.destroy_pipeline_layout(layout, None);
                    d.destroy_descriptor_set_layout(set_layout, None);
                    return Err(result);
                }
            };
            let sizes = [vk::DescriptorPoolSize { ty: storage, descriptor_count: 1 }];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
            let set = d.allocate_descriptor_sets(&info)?[0];
            Ok(Kernel { set_layout, layout, pipeline, pool, set, storage })
        }
    }

    pub fn point(&self, kernel: &Kernel, buffer: &Buffer) {
        let infos = [vk::DescriptorBufferInfo { buffer: buffer.buffer, offset: 0, range: vk::WHOLE_SIZE }];
        let writes =
            [vk::WriteDescriptorSet::default().dst_set(kernel.set).descriptor_type(kernel.storage).buffer_info(&infos)];
        // SAFETY: valid usage.
        unsafe { self.device.update_descriptor_sets(&writes, &[]) };
    }

    pub fn bind(&self, commands: vk::CommandBuffer, kernel: &Kernel, push: u32, offsets: &[u32]) {
        let (d, compute) = (&self.device, vk::PipelineBindPoint::COMPUTE);
        // SAFETY: valid usage throughout.
        unsafe {
            d.cmd_bind_pipeline(commands, compute, kernel.pipeline);
            d.cmd_bind_descriptor_sets(commands, compute, kernel.layout, 0, &[kernel.set], offsets);
            let stages = vk::ShaderStageFlags::COMPUTE;
            d.cmd_push_constants(commands, kernel.layout, stages, 0, &push.to_le_bytes());
        }
    }

    pub fn free_kernel(&self, kernel: Kernel) {
        let d = &self.device;
        // SAFETY: nothing uses it any more.
        unsafe {
            d.destroy_pipeline(kernel.pipeline, None);
            d.destroy_pipeline_layout(kernel.layout, None);
            d.destroy_descriptor_pool(kernel.pool, None);
            d.destroy_descriptor_set_layout(kernel.set_layout, None);
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: tests give back what they made.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

pub struct Kernel {
    pub set_layout: vk::DescriptorSetLayout,
    pub layout: vk::PipelineLayout,
    pub pipeline: vk::Pipeline,
    pub pool: vk::DescriptorPool,
    pub set: vk::DescriptorSet,
    pub storage: vk::DescriptorType,
}

pub struct Buffer {
    pub buffer: vk::Buffer,
    pub memory: vk::DeviceMemory,
    pub map: *mut u32,
    pub bytes: u64,
}

impl Buffer {
    pub fn get(&self) -> Vec<u32> {
        // SAFETY: mapped for its whole life; the GPU is idle.
        (0..self.bytes as usize / 4).map(|i| unsafe { self.map.add(i).read_volatile() }).collect()
    }

    pub fn set(&self, values: impl IntoIterator<Item = u32>) {
        for (i, v) in values.into_iter().take(self.bytes as usize / 4).enumerate() {
            // SAFETY: as above.
            unsafe { self.map.add(i).write_volatile(v) };
        }
    }
}
