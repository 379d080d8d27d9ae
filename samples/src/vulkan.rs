//! [`Host`] through the Vulkan loader: plain Vulkan 1.1, as any compute program would be written. The device is the
//! first one that the loader lists; VK_DRIVER_FILES chooses the driver.
//!
//! All `unsafe` of the samples is in this file and in [`stage`]. Every object is made from the one device below, is used by this
//! thread alone, and is destroyed in `drop` after the device is idle: the SAFETY lines lean on that.

mod stage;

pub use stage::Stage;

use crate::host::{Binding, BufferId, Error, Host, PipelineId, RecordingId, Shader, Step, words};
use crate::window::Window;
use ash::vk;
use std::ffi::{CStr, CString, c_char};

pub struct Vulkan {
    /// Keeps the loader's library open.
    entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    commands: vk::CommandPool,
    memory_types: vk::PhysicalDeviceMemoryProperties,
    name: String,
    subgroup_size: u32,
    buffers: Vec<Buffer>,
    pipelines: Vec<Pipeline>,
    recordings: Vec<Recording>,
}

/// What opening a device gives.
type Opened = (ash::Device, vk::Queue, vk::CommandPool, vk::PhysicalDevice);

struct Buffer {
    handle: vk::Buffer,
    memory: vk::DeviceMemory,
    size: u64,
}

struct Pipeline {
    bindings: Vec<vk::DescriptorType>,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    handle: vk::Pipeline,
}

/// Its sets go with their pool.
struct Recording {
    pool: vk::DescriptorPool,
    commands: vk::CommandBuffer,
}

fn failed(what: &'static str) -> impl Fn(vk::Result) -> Error {
    move |code| Error::Driver { what, why: format!("{code:?}") }
}

impl Vulkan {
    /// Loader, instance, the first device, its first queue that computes.
    pub fn open(program: &str) -> Result<Vulkan, Error> {
        Ok(Self::open_for(program, None)?.0)
    }

    /// The same, and what shows pictures of `size` in a window.
    pub fn open_in(program: &str, window: &Window, size: [u32; 2]) -> Result<(Vulkan, Stage), Error> {
        let (host, surface) = Self::open_for(program, Some(window))?;
        let stage = Stage::new(&host, surface, size)?;
        Ok((host, stage))
    }

    fn open_for(program: &str, window: Option<&Window>) -> Result<(Vulkan, vk::SurfaceKHR), Error> {
        // SAFETY: the loader's library has no preconditions on being loaded; it stays loaded for the life of the host.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|e| Error::Driver { what: "the Vulkan loader (libvulkan.so.1)", why: e.to_string() })?;
        let name = CString::new(program).unwrap_or_default();
        let application = vk::ApplicationInfo::default().application_name(&name).api_version(vk::API_VERSION_1_1);
        let extensions = window.map_or(Vec::new(), |_| stage::INSTANCE_EXTENSIONS.map(CStr::as_ptr).to_vec());
        let create =
            vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&extensions);
        // SAFETY: `create` points to structures that outlive the call.
        let instance = unsafe { entry.create_instance(&create, None) }.map_err(failed("vkCreateInstance"))?;
        let opened = Self::open_on(&entry, &instance, window);
        match opened {
            Ok((surface, (device, queue, commands, physical))) => {
                let (name, subgroup_size) = describe(&instance, physical);
                // SAFETY: `physical` is of this instance.
                let memory_types = unsafe { instance.get_physical_device_memory_properties(physical) };
                let host = Vulkan {
                    entry,
                    instance,
                    physical,
                    device,
                    queue,
                    commands,
                    memory_types,
                    name,
                    subgroup_size,
                    buffers: Vec::new(),
                    pipelines: Vec::new(),
                    recordings: Vec::new(),
                };
                Ok((host, surface))
            }
            Err(error) => {
                // SAFETY: nothing made from the instance is left.
                unsafe { instance.destroy_instance(None) };
                Err(error)
            }
        }
    }

    /// A surface, null without a window, and a device that can present to it.
    fn open_on(
        entry: &ash::Entry,
        instance: &ash::Instance,
        window: Option<&Window>,
    ) -> Result<(vk::SurfaceKHR, Opened), Error> {
        let Some(window) = window else {
            return Ok((vk::SurfaceKHR::null(), Self::open_device(instance, &[], |_, _| true)?));
        };
        let surface = stage::surface(entry, instance, window)?;
        let of_surface = ash::khr::surface::Instance::new(entry, instance);
        let presents = |physical, family| {
            // SAFETY: both are of this instance.
            let presents = unsafe { of_surface.get_physical_device_surface_support(physical, family, surface) };
            presents.unwrap_or(false)
        };
        let device = Self::open_device(instance, &[ash::khr::swapchain::NAME.as_ptr()], presents);
        let device = device.inspect_err(|_| {
            // SAFETY: nothing was made for it.
            unsafe { of_surface.destroy_surface(surface, None) };
        })?;
        Ok((surface, device))
    }

    /// The first device, with its first queue that computes and is `good` besides.
    fn open_device(
        instance: &ash::Instance,
        extensions: &[*const c_char],
        good: impl Fn(vk::PhysicalDevice, u32) -> bool,
    ) -> Result<Opened, Error> {
        // SAFETY: a live instance.
        let devices = unsafe { instance.enumerate_physical_devices() }.map_err(failed("vkEnumeratePhysicalDevices"))?;
        let physical = *devices
            .first()
            .ok_or(Error::Driver { what: "vkEnumeratePhysicalDevices", why: "no device found".to_owned() })?;
        let no_queue = if extensions.is_empty() { "no queue computes" } else { "no queue computes and presents" };
        // SAFETY: `physical` is of this instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let family = families
            .iter()
            .enumerate()
            .position(|(i, f)| f.queue_flags.contains(vk::QueueFlags::COMPUTE) && good(physical, i as u32))
            .ok_or(Error::Driver { what: "the device", why: no_queue.to_owned() })? as u32;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(extensions);
        // SAFETY: `create` points to structures that outlive the call.
        let device = unsafe { instance.create_device(physical, &create, None) }.map_err(failed("vkCreateDevice"))?;
        let create = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the family has the one queue that was asked for.
        unsafe {
            let queue = device.get_device_queue(family, 0);
            match device.create_command_pool(&create, None) {
                Ok(commands) => Ok((device, queue, commands, physical)),
                Err(code) => {
                    device.destroy_device(None);
                    Err(failed("vkCreateCommandPool")(code))
                }
            }
        }
    }

    /// A memory type among `allowed` that the host can see without flushes; the device's own if there is one.
    fn memory_type(&self, allowed: u32) -> Option<u32> {
        let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let has = |flags: vk::MemoryPropertyFlags| {
            let types = self.memory_types.memory_types_as_slice();
            (0..types.len()).find(|&i| allowed & 1 << i != 0 && types[i].property_flags.contains(flags))
        };
        has(visible | vk::MemoryPropertyFlags::DEVICE_LOCAL).or_else(|| has(visible)).map(|i| i as u32)
    }

    fn make_memory(&self, handle: vk::Buffer) -> Result<vk::DeviceMemory, Error> {
        // SAFETY: `handle` is of this device.
        let needs = unsafe { self.device.get_buffer_memory_requirements(handle) };
        let kind = self
            .memory_type(needs.memory_type_bits)
            .ok_or(Error::Driver { what: "the device", why: "no memory that the host sees".to_owned() })?;
        let allocate = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        // SAFETY: the size and type are what the buffer asked for.
        let memory = unsafe { self.device.allocate_memory(&allocate, None) }.map_err(failed("vkAllocateMemory"))?;
        // SAFETY: the buffer is not bound yet, and the memory is as large as it needs.
        match unsafe { self.device.bind_buffer_memory(handle, memory, 0) } {
            Ok(()) => Ok(memory),
            Err(code) => {
                // SAFETY: nothing is bound to it.
                unsafe { self.device.free_memory(memory, None) };
                Err(failed("vkBindBufferMemory")(code))
            }
        }
    }

    /// Gives `access` the buffer's bytes.
    fn map<R>(&self, buffer: BufferId, access: impl FnOnce(&mut [u8]) -> R) -> Result<R, Error> {
        let Buffer { memory, size, .. } = self.buffers[buffer.0];
        // SAFETY: the memory is host visible and not mapped; no submission is under way, so the bytes are ours between
        // map and unmap, and `size` is not more than was allocated.
        unsafe {
            let start =
                self.device.map_memory(memory, 0, size, vk::MemoryMapFlags::empty()).map_err(failed("vkMapMemory"))?;
            let result = access(std::slice::from_raw_parts_mut(start.cast::<u8>(), size as usize));
            self.device.unmap_memory(memory);
            Ok(result)
        }
    }

    fn make_pipeline(&self, shader: &Shader) -> Result<Pipeline, Error> {
        let code = words(shader.spirv);
        let bindings: Vec<_> = shader.bindings.iter().map(|b| descriptor_type(*b)).collect();
        let slots: Vec<_> = (0..)
            .zip(&bindings)
            .map(|(i, kind)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(i)
                    .descriptor_type(*kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&slots);
        let entry = CString::new(shader.entry).unwrap_or_default();
        let values: Vec<u32> = shader.spec.iter().map(|(_, value)| *value).collect();
        let entries: Vec<_> = (0..)
            .zip(shader.spec)
            .map(|(i, (id, _))| vk::SpecializationMapEntry { constant_id: *id, offset: 4 * i, size: 4 })
            .collect();
        let spec = vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&values));
        let push =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: shader.push_bytes }];
        // SAFETY: every create-info points to locals that outlive its call; on an error what was made is destroyed.
        unsafe {
            let device = &self.device;
            let set_layout =
                device.create_descriptor_set_layout(&create, None).map_err(failed("vkCreateDescriptorSetLayout"))?;
            let set_layouts = [set_layout];
            let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts);
            if shader.push_bytes > 0 {
                create = create.push_constant_ranges(&push);
            }
            let layout = device.create_pipeline_layout(&create, None).map_err(|code| {
                device.destroy_descriptor_set_layout(set_layout, None);
                failed("vkCreatePipelineLayout")(code)
            })?;
            let clean = || {
                device.destroy_pipeline_layout(layout, None);
                device.destroy_descriptor_set_layout(set_layout, None);
            };
            let module = device
                .create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)
                .map_err(|code| {
                    clean();
                    failed("vkCreateShaderModule")(code)
                })?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&entry)
                .specialization_info(&spec);
            let create = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &create, None);
            device.destroy_shader_module(module, None);
            match made {
                Ok(handles) => Ok(Pipeline { bindings, set_layout, layout, handle: handles[0] }),
                Err((_, code)) => {
                    clean();
                    Err(failed("vkCreateComputePipelines")(code))
                }
            }
        }
    }

    /// A pool with one set per dispatch of `steps`, and those sets, written.
    fn make_sets(&self, steps: &[Step]) -> Result<(vk::DescriptorPool, Vec<vk::DescriptorSet>), Error> {
        let dispatches: Vec<(&Pipeline, &[BufferId])> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Dispatch { pipeline, buffers, .. } => Some((&self.pipelines[pipeline.0], &buffers[..])),
                _ => None,
            })
            .collect();
        let count = |kind| dispatches.iter().flat_map(|(p, _)| &p.bindings).filter(|b| **b == kind).count() as u32;
        let sizes: Vec<_> = [vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::UNIFORM_BUFFER]
            .into_iter()
            .map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: count(ty) })
            .filter(|size| size.descriptor_count > 0)
            .collect();
        let create =
            vk::DescriptorPoolCreateInfo::default().max_sets(dispatches.len().max(1) as u32).pool_sizes(&sizes);
        // SAFETY: `create` points to locals that outlive the call.
        let pool =
            unsafe { self.device.create_descriptor_pool(&create, None) }.map_err(failed("vkCreateDescriptorPool"))?;
        if dispatches.is_empty() {
            return Ok((pool, Vec::new()));
        }
        let layouts: Vec<_> = dispatches.iter().map(|(p, _)| p.set_layout).collect();
        let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool has room for exactly these sets.
        let sets = match unsafe { self.device.allocate_descriptor_sets(&allocate) } {
            Ok(sets) => sets,
            Err(code) => {
                // SAFETY: the pool is empty.
                unsafe { self.device.destroy_descriptor_pool(pool, None) };
                return Err(failed("vkAllocateDescriptorSets")(code));
            }
        };
        for ((pipeline, buffers), set) in dispatches.iter().zip(&sets) {
            let infos: Vec<_> = buffers
                .iter()
                .map(|b| [vk::DescriptorBufferInfo::default().buffer(self.buffers[b.0].handle).range(vk::WHOLE_SIZE)])
                .collect();
            let writes: Vec<_> = (0..)
                .zip(infos.iter().zip(&pipeline.bindings))
                .map(|(i, (info, kind))| {
                    vk::WriteDescriptorSet::default()
                        .dst_set(*set)
                        .dst_binding(i)
                        .descriptor_type(*kind)
                        .buffer_info(info)
                })
                .collect();
            // SAFETY: the set is not in use, and the buffers live as long as the host.
            unsafe { self.device.update_descriptor_sets(&writes, &[]) };
        }
        Ok((pool, sets))
    }

    fn record(&self, commands: vk::CommandBuffer, steps: &[Step], sets: &[vk::DescriptorSet]) -> Result<(), Error> {
        let device = &self.device;
        let work = vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER;
        let made = vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE;
        let used = made | vk::AccessFlags::SHADER_READ | vk::AccessFlags::UNIFORM_READ | vk::AccessFlags::TRANSFER_READ;
        let between = [vk::MemoryBarrier::default().src_access_mask(made).dst_access_mask(used)];
        let to_host = [vk::MemoryBarrier::default().src_access_mask(made).dst_access_mask(vk::AccessFlags::HOST_READ)];
        let begin = vk::CommandBufferBeginInfo::default();
        let none = vk::DependencyFlags::empty();
        let mut sets = sets.iter();
        // SAFETY: `commands` was allocated by our pool and is recorded by this thread alone; the objects recorded are of
        // this device and live until it is idle.
        unsafe {
            device.begin_command_buffer(commands, &begin).map_err(failed("vkBeginCommandBuffer"))?;
            for (i, step) in steps.iter().enumerate() {
                if i > 0 {
                    device.cmd_pipeline_barrier(commands, work, work, none, &between, &[], &[]);
                }
                match step {
                    Step::Dispatch { pipeline, push, groups: [x, y, z], .. } => {
                        let pipeline = &self.pipelines[pipeline.0];
                        let bind = vk::PipelineBindPoint::COMPUTE;
                        device.cmd_bind_pipeline(commands, bind, pipeline.handle);
                        let set: Vec<_> = sets.next().into_iter().copied().collect();
                        device.cmd_bind_descriptor_sets(commands, bind, pipeline.layout, 0, &set, &[]);
                        if !push.is_empty() {
                            let stages = vk::ShaderStageFlags::COMPUTE;
                            device.cmd_push_constants(commands, pipeline.layout, stages, 0, push);
                        }
                        device.cmd_dispatch(commands, *x, *y, *z);
                    }
                    Step::Fill { buffer, word } => {
                        let buffer = self.buffers[buffer.0].handle;
                        device.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, *word);
                    }
                    Step::Copy { from, to } => {
                        let (from, to) = (&self.buffers[from.0], &self.buffers[to.0]);
                        let region = [vk::BufferCopy::default().size(from.size)];
                        device.cmd_copy_buffer(commands, from.handle, to.handle, &region);
                    }
                }
            }
            device.cmd_pipeline_barrier(commands, work, vk::PipelineStageFlags::HOST, none, &to_host, &[], &[]);
            device.end_command_buffer(commands).map_err(failed("vkEndCommandBuffer"))
        }
    }

    fn make_recording(&self, steps: &[Step]) -> Result<Recording, Error> {
        let allocate = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.commands)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let (pool, sets) = self.make_sets(steps)?;
        // SAFETY: the pool is of this device, and used by this thread alone.
        match unsafe { self.device.allocate_command_buffers(&allocate) } {
            Ok(commands) => {
                let recording = Recording { pool, commands: commands[0] };
                match self.record(recording.commands, steps, &sets) {
                    Ok(()) => Ok(recording),
                    Err(error) => {
                        self.free(recording);
                        Err(error)
                    }
                }
            }
            Err(code) => {
                // SAFETY: nothing uses the pool's sets.
                unsafe { self.device.destroy_descriptor_pool(pool, None) };
                Err(failed("vkAllocateCommandBuffers")(code))
            }
        }
    }

    fn free(&self, recording: Recording) {
        // SAFETY: no submission of it is under way, or the device is lost; the pool's sets go with it.
        unsafe {
            self.device.free_command_buffers(self.commands, &[recording.commands]);
            self.device.destroy_descriptor_pool(recording.pool, None);
        }
    }

    fn submit_once(&self, commands: vk::CommandBuffer) -> Result<(), Error> {
        // SAFETY: the command buffer is recorded; the fence is destroyed only when the queue is done with it.
        unsafe {
            let fence =
                self.device.create_fence(&vk::FenceCreateInfo::default(), None).map_err(failed("vkCreateFence"))?;
            let buffers = [commands];
            let batch = [vk::SubmitInfo::default().command_buffers(&buffers)];
            let done =
                self.device.queue_submit(self.queue, &batch, fence).map_err(failed("vkQueueSubmit")).and_then(|()| {
                    self.device.wait_for_fences(&[fence], true, u64::MAX).map_err(failed("vkWaitForFences"))
                });
            self.device.destroy_fence(fence, None);
            done
        }
    }
}

impl Host for Vulkan {
    fn device(&self) -> &str {
        &self.name
    }

    fn subgroup_size(&self) -> u32 {
        self.subgroup_size
    }

    fn buffer(&mut self, bytes: &[u8]) -> Result<BufferId, Error> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let size = bytes.len() as u64;
        let create = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: `create` outlives the call.
        let handle = unsafe { self.device.create_buffer(&create, None) }.map_err(failed("vkCreateBuffer"))?;
        let memory = self.make_memory(handle).inspect_err(|_| {
            // SAFETY: the buffer is bound to nothing and used by nothing.
            unsafe { self.device.destroy_buffer(handle, None) };
        })?;
        self.buffers.push(Buffer { handle, memory, size });
        let id = BufferId(self.buffers.len() - 1);
        self.write(id, bytes)?;
        Ok(id)
    }

    fn pipeline(&mut self, shader: &Shader) -> Result<PipelineId, Error> {
        self.pipelines.push(self.make_pipeline(shader)?);
        Ok(PipelineId(self.pipelines.len() - 1))
    }

    fn run(&mut self, steps: &[Step]) -> Result<(), Error> {
        let recording = self.make_recording(steps)?;
        let done = self.submit_once(recording.commands);
        self.free(recording);
        done
    }

    fn prepare(&mut self, steps: &[Step]) -> Result<RecordingId, Error> {
        self.recordings.push(self.make_recording(steps)?);
        Ok(RecordingId(self.recordings.len() - 1))
    }

    fn submit(&mut self, recording: RecordingId) -> Result<(), Error> {
        self.submit_once(self.recordings[recording.0].commands)
    }

    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Error> {
        self.map(buffer, |mapped| mapped.copy_from_slice(bytes))
    }

    fn read(&mut self, buffer: BufferId) -> Result<Vec<u8>, Error> {
        self.map(buffer, |bytes| bytes.to_vec())
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        // SAFETY: the device is idle (or lost) before anything is destroyed, and each object is destroyed once.
        unsafe {
            let _ = self.device.device_wait_idle();
            for recording in std::mem::take(&mut self.recordings) {
                self.free(recording);
            }
            for pipeline in self.pipelines.drain(..) {
                self.device.destroy_pipeline(pipeline.handle, None);
                self.device.destroy_pipeline_layout(pipeline.layout, None);
                self.device.destroy_descriptor_set_layout(pipeline.set_layout, None);
            }
            for buffer in self.buffers.drain(..) {
                self.device.destroy_buffer(buffer.handle, None);
                self.device.free_memory(buffer.memory, None);
            }
            self.device.destroy_command_pool(self.commands, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn descriptor_type(binding: Binding) -> vk::DescriptorType {
    match binding {
        Binding::Storage => vk::DescriptorType::STORAGE_BUFFER,
        Binding::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
    }
}

/// The device's name and subgroup size.
fn describe(instance: &ash::Instance, physical: vk::PhysicalDevice) -> (String, u32) {
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
    // SAFETY: the chain is of structures that Vulkan 1.1 knows, and outlives the call.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    let name = properties.properties.device_name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default();
    (name.into_owned(), subgroup.subgroup_size)
}
