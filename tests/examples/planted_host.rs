//! A Vulkan program that does what a script says, with one module: `planted_host MODULE.spv < SCRIPT`. It has the mistakes of the
//! host's side that `wavepipe run` cannot make, and other tools can look at the same program. A script has a command a line:
//!
//! - `buffer NAME BYTES [INIT]`, `uniform NAME BYTES [INIT]`: INIT is `zero` (default), `iota`, `none` (nothing is written), or words
//! - `image NAME WIDTH HEIGHT [r32f|r32ui|rgba8]`: a storage image in the layout GENERAL, cleared; `raw` behind it: no layout
//!   yet; `none`: not cleared
//! - `bind BINDING[ELEMENT] NAME[+OFFSET[:RANGE]] [dynamic BYTES]`, or `nothing`: a descriptor that is not written
//! - `push WORD…`: the push constants; `&NAME+OFFSET` is an address
//! - `dispatch X Y Z`, `indirect NAME`, `fill NAME WORD`, `update NAME WORD…`, `copy NAME NAME`, `barrier`, `submit`
//! - `blit NAME NAME`: one image to another of any size
//! - `turn NAME LAYOUT LAYOUT`: a barrier that takes an image from one layout (`undefined`, `general`, `read`, `source`, `target`) to another
//! - `fetch NAME NAME LAYOUT`: an image to a buffer, said to be in that layout
//! - `destroy NAME`: the buffer and its memory are gone
//! - `robust`, as the first command: robustBufferAccess
//!
//! Buffers are bound in order where nothing is bound. All memory is the host's, too; `none` leaves it as it comes.

use ash::vk;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::io::Read as _;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Resource {
    buffer: vk::Buffer,
    bytes: u64,
    address: u64,
    memory: vk::DeviceMemory,
    image: vk::Image,
    size: [u32; 2],
    view: vk::ImageView,
    kind: vk::DescriptorType,
}

#[derive(Clone)]
struct Bound {
    name: Option<String>,
    offset: u64,
    range: u64,
    dynamic: Option<u32>,
}

struct Host {
    _entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    module: vk::ShaderModule,
    commands: vk::CommandBuffer,
    resources: BTreeMap<String, Resource>,
    order: Vec<String>,
    bound: BTreeMap<(u32, u32), Bound>,
    push: Vec<u8>,
}

fn main() -> Outcome<()> {
    let path = std::env::args().nth(1).ok_or("planted_host MODULE.spv < SCRIPT")?;
    let bytes = std::fs::read(path)?;
    let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let mut script = String::new();
    std::io::stdin().read_to_string(&mut script)?;
    let lines: Vec<Vec<&str>> = script.lines().map(|line| line.split_whitespace().collect()).collect();
    let robust = lines.iter().any(|line| line[..] == ["robust"]);
    let mut host = Host::open(&words, robust)?;
    host.begin()?;
    for line in lines.iter().filter(|line| !line.is_empty() && line[..] != ["robust"]) {
        host.step(line).map_err(|e| format!("{}: {e}", line.join(" ")))?;
    }
    host.submit()?;
    host.close();
    Ok(())
}

fn number(text: &str) -> Outcome<u64> {
    let value = text.strip_prefix("0x").map_or_else(|| text.parse(), |hex| u64::from_str_radix(hex, 16));
    value.map_err(|e| format!("{text}: {e}").into())
}

fn word(text: &str) -> Outcome<u32> {
    match text.contains('.') {
        true => Ok(text.parse::<f32>()?.to_bits()),
        false => Ok(u32::try_from(number(text)?)?),
    }
}

impl Host {
    fn open(words: &[u32], robust: bool) -> Outcome<Host> {
        // SAFETY: plain calls in the order that Vulkan asks for, each on objects made just before, by one thread; what the
        // structures point to lives as long as the calls.
        unsafe {
            let entry = ash::Entry::load()?;
            let name = CString::new("planted")?;
            let application = vk::ApplicationInfo::default().application_name(&name).api_version(vk::API_VERSION_1_2);
            let create = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&create, None)?;
            let physical = *instance.enumerate_physical_devices()?.first().ok_or("no device")?;
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&priorities)];
            let features = vk::PhysicalDeviceFeatures::default()
                .robust_buffer_access(robust)
                .shader_int64(true)
                .shader_storage_buffer_array_dynamic_indexing(true);
            let mut newer = vk::PhysicalDeviceVulkan12Features::default()
                .buffer_device_address(true)
                .scalar_block_layout(true)
                .vulkan_memory_model(true)
                .vulkan_memory_model_device_scope(true);
            let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&features);
            let device = instance.create_device(physical, &create.push_next(&mut newer), None)?;
            let queue = device.get_device_queue(0, 0);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
            let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)?;
            Ok(Host {
                _entry: entry,
                instance,
                physical,
                device,
                queue,
                pool,
                module,
                commands: vk::CommandBuffer::null(),
                resources: BTreeMap::new(),
                order: Vec::new(),
                bound: BTreeMap::new(),
                push: Vec::new(),
            })
        }
    }

    fn begin(&mut self) -> Outcome<()> {
        let allocate = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: the pool is of this device; the command buffer is recorded by this thread alone.
        unsafe {
            self.commands = self.device.allocate_command_buffers(&allocate)?[0];
            self.device.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default())?;
        }
        Ok(())
    }

    fn submit(&mut self) -> Outcome<()> {
        let commands = [self.commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the command buffer is whole; nothing of it is touched before the queue is idle.
        unsafe {
            self.device.end_command_buffer(self.commands)?;
            self.device.queue_submit(self.queue, &submits, vk::Fence::null())?;
            self.device.queue_wait_idle(self.queue)?;
        }
        self.begin()
    }

    fn step(&mut self, line: &[&str]) -> Outcome<()> {
        match *line {
            ["buffer", name, bytes, ref init @ ..] => self.buffer(name, number(bytes)?, init, false),
            ["uniform", name, bytes, ref init @ ..] => self.buffer(name, number(bytes)?, init, true),
            ["image", name, width, height, ref rest @ ..] => {
                self.image(name, [number(width)? as u32, number(height)? as u32], rest)
            }
            ["bind", binding, name, ref rest @ ..] => self.bind(binding, name, rest),
            ["push", ref words @ ..] => self.push(words),
            ["dispatch", x, y, z] => self.dispatch(Some([number(x)?, number(y)?, number(z)?].map(|n| n as u32)), ""),
            ["indirect", name] => self.dispatch(None, name),
            ["submit"] => self.submit(),
            ["destroy", name] => {
                let gone = self.find(name)?;
                let (buffer, memory) = (gone.buffer, gone.memory);
                // SAFETY: nothing is said for it: that the buffer is still used is what the script may try.
                unsafe {
                    self.device.destroy_buffer(buffer, None);
                    self.device.free_memory(memory, None);
                }
                Ok(())
            }
            ["fill", name, value] => {
                let (buffer, value) = (self.find(name)?.buffer, word(value)?);
                // SAFETY: as in `begin`.
                unsafe { self.device.cmd_fill_buffer(self.commands, buffer, 0, vk::WHOLE_SIZE, value) };
                Ok(())
            }
            ["update", name, ref words @ ..] => {
                let bytes: Vec<u8> = words
                    .iter()
                    .map(|w| word(w))
                    .collect::<Outcome<Vec<_>>>()?
                    .into_iter()
                    .flat_map(u32::to_le_bytes)
                    .collect();
                let buffer = self.find(name)?.buffer;
                // SAFETY: as in `begin`.
                unsafe { self.device.cmd_update_buffer(self.commands, buffer, 0, &bytes) };
                Ok(())
            }
            ["blit", from, to] => {
                let (a, b) = (self.find(from)?, self.find(to)?);
                let layers =
                    vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
                let corners = |size: [u32; 2]| {
                    [vk::Offset3D::default(), vk::Offset3D { x: size[0] as i32, y: size[1] as i32, z: 1 }]
                };
                let blit = vk::ImageBlit::default().src_subresource(layers).dst_subresource(layers);
                let regions = [blit.src_offsets(corners(a.size)).dst_offsets(corners(b.size))];
                let (layout, filter) = (vk::ImageLayout::GENERAL, vk::Filter::NEAREST);
                // SAFETY: as in `begin`.
                unsafe {
                    self.device.cmd_blit_image(self.commands, a.image, layout, b.image, layout, &regions, filter);
                }
                Ok(())
            }
            ["turn", name, from, to] => {
                let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
                let color = vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR);
                let barrier = vk::ImageMemoryBarrier::default().image(self.find(name)?.image);
                let barrier = barrier.subresource_range(color.level_count(1).layer_count(1));
                let barrier = barrier.old_layout(layout(from)?).new_layout(layout(to)?);
                let barriers = [barrier.src_access_mask(all).dst_access_mask(all)];
                let (stages, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
                // SAFETY: as in `begin`.
                unsafe { self.device.cmd_pipeline_barrier(self.commands, stages, stages, none, &[], &[], &barriers) };
                Ok(())
            }
            ["fetch", from, to, said] => {
                let (a, b, said) = (self.find(from)?, self.find(to)?, layout(said)?);
                let layers =
                    vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
                let extent = vk::Extent3D { width: a.size[0], height: a.size[1], depth: 1 };
                let regions = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent)];
                // SAFETY: as in `begin`.
                unsafe { self.device.cmd_copy_image_to_buffer(self.commands, a.image, said, b.buffer, &regions) };
                Ok(())
            }
            ["copy", from, to] => {
                let (a, b) = (self.find(from)?, self.find(to)?);
                let regions = [vk::BufferCopy::default().size(a.bytes.min(b.bytes))];
                // SAFETY: as in `begin`.
                unsafe { self.device.cmd_copy_buffer(self.commands, a.buffer, b.buffer, &regions) };
                Ok(())
            }
            ["barrier"] => {
                let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
                let barriers = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
                let stages = vk::PipelineStageFlags::ALL_COMMANDS;
                // SAFETY: as in `begin`.
                unsafe {
                    let none = vk::DependencyFlags::empty();
                    self.device.cmd_pipeline_barrier(self.commands, stages, stages, none, &barriers, &[], &[]);
                }
                Ok(())
            }
            _ => Err("no such command".into()),
        }
    }

    fn find(&self, name: &str) -> Outcome<&Resource> {
        self.resources.get(name).ok_or_else(|| format!("{name} is not there").into())
    }

    /// Memory that the host can write; where `fill` is empty nothing is written.
    fn memory(&self, needs: vk::MemoryRequirements, fill: &[u8]) -> Outcome<vk::DeviceMemory> {
        // SAFETY: the device is of this instance; as much is mapped as was allocated, and unmapped behind the copy.
        unsafe {
            let types = self.instance.get_physical_device_memory_properties(self.physical);
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let fits = |i: &u32| {
                needs.memory_type_bits >> i & 1 != 0 && types.memory_types[*i as usize].property_flags.contains(wanted)
            };
            let index = (0..types.memory_type_count).find(fits).ok_or("no memory that the host can write")?;
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
            let memory = self.device.allocate_memory(&info.push_next(&mut flags), None)?;
            if !fill.is_empty() {
                let at = self.device.map_memory(memory, 0, needs.size, vk::MemoryMapFlags::empty())?;
                std::ptr::copy_nonoverlapping(fill.as_ptr(), at.cast(), fill.len());
                self.device.unmap_memory(memory);
            }
            Ok(memory)
        }
    }

    fn buffer(&mut self, name: &str, bytes: u64, init: &[&str], uniform: bool) -> Outcome<()> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let mut fill: Vec<u8> = match init {
            ["none"] => Vec::new(),
            [] | ["zero"] => vec![0; bytes as usize],
            ["iota"] => (0..bytes as u32 / 4).flat_map(u32::to_le_bytes).collect(),
            words => words
                .iter()
                .map(|w| word(w))
                .collect::<Outcome<Vec<_>>>()?
                .into_iter()
                .flat_map(u32::to_le_bytes)
                .collect(),
        };
        if !fill.is_empty() {
            fill.resize(bytes as usize, 0);
        }
        // SAFETY: the buffer is of this device, and is bound to memory made for it before it is used.
        unsafe {
            let buffer = self.device.create_buffer(&vk::BufferCreateInfo::default().size(bytes).usage(usage), None)?;
            let memory = self.memory(self.device.get_buffer_memory_requirements(buffer), &fill)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            let address = self.device.get_buffer_device_address(&info);
            let kind = if uniform { vk::DescriptorType::UNIFORM_BUFFER } else { vk::DescriptorType::STORAGE_BUFFER };
            let (image, view) = (vk::Image::null(), vk::ImageView::null());
            let made = Resource { buffer, bytes, address, memory, image, size: [0; 2], view, kind };
            self.resources.insert(name.to_owned(), made);
        }
        self.order.push(name.to_owned());
        Ok(())
    }

    fn image(&mut self, name: &str, [width, height]: [u32; 2], rest: &[&str]) -> Outcome<()> {
        let format = match rest.first() {
            None | Some(&"r32f") => vk::Format::R32_SFLOAT,
            Some(&"r32ui") => vk::Format::R32_UINT,
            Some(&"rgba8") => vk::Format::R8G8B8A8_UNORM,
            Some(other) => return Err(format!("no format {other}").into()),
        };
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        let create = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(
                vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST,
            );
        // SAFETY: as in `buffer`.
        unsafe {
            let image = self.device.create_image(&create, None)?;
            let memory = self.memory(self.device.get_image_memory_requirements(image), &[])?;
            self.device.bind_image_memory(image, memory, 0)?;
            let view =
                vk::ImageViewCreateInfo::default().image(image).view_type(vk::ImageViewType::TYPE_2D).format(format);
            let view = self.device.create_image_view(&view.subresource_range(range), None)?;
            if !rest.contains(&"raw") {
                let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
                let stages = vk::PipelineStageFlags::ALL_COMMANDS;
                let turn = |from, to| {
                    let barrier = vk::ImageMemoryBarrier::default().image(image).subresource_range(range);
                    let barriers = [barrier.old_layout(from).new_layout(to).src_access_mask(all).dst_access_mask(all)];
                    let none = vk::DependencyFlags::empty();
                    self.device.cmd_pipeline_barrier(self.commands, stages, stages, none, &[], &[], &barriers);
                };
                turn(vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
                let clear = vk::ClearColorValue { uint32: [0; 4] };
                let general = vk::ImageLayout::GENERAL;
                if !rest.contains(&"none") {
                    self.device.cmd_clear_color_image(self.commands, image, general, &clear, &[range]);
                }
                turn(vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
            }
            let kind = vk::DescriptorType::STORAGE_IMAGE;
            let (buffer, size) = (vk::Buffer::null(), [width, height]);
            let made = Resource { buffer, bytes: 0, address: 0, memory, image, size, view, kind };
            self.resources.insert(name.to_owned(), made);
        }
        self.order.push(name.to_owned());
        Ok(())
    }

    fn bind(&mut self, binding: &str, name: &str, rest: &[&str]) -> Outcome<()> {
        let (binding, element) = match binding.split_once('[') {
            Some((binding, element)) => (binding, number(element.trim_end_matches(']'))?),
            None => (binding, 0),
        };
        let (name, place) = name.split_once('+').unwrap_or((name, "0"));
        let (offset, range) = place.split_once(':').map_or((place, None), |(o, r)| (o, Some(r)));
        let range = range.map(number).transpose()?.unwrap_or(vk::WHOLE_SIZE);
        let dynamic = match rest {
            ["dynamic", bytes] => Some(number(bytes)? as u32),
            _ => None,
        };
        let name = (name != "nothing").then(|| name.to_owned());
        let bound = Bound { name, offset: number(offset)?, range, dynamic };
        self.bound.insert((number(binding)? as u32, element as u32), bound);
        Ok(())
    }

    fn push(&mut self, words: &[&str]) -> Outcome<()> {
        self.push.clear();
        for text in words {
            match text.strip_prefix('&') {
                Some(place) => {
                    let (name, offset) = place.split_once('+').unwrap_or((place, "0"));
                    let address = self.find(name)?.address + number(offset)?;
                    self.push.extend(address.to_le_bytes());
                }
                None => self.push.extend(word(text)?.to_le_bytes()),
            }
        }
        Ok(())
    }

    fn dispatch(&mut self, groups: Option<[u32; 3]>, indirect: &str) -> Outcome<()> {
        let mut bound = self.bound.clone();
        if bound.is_empty() {
            let plain = |n: &String| Bound { name: Some(n.clone()), offset: 0, range: vk::WHOLE_SIZE, dynamic: None };
            bound = self.order.iter().zip(0..).map(|(n, i)| ((i, 0), plain(n))).collect();
        }
        let kind = |b: &Bound| {
            let kind = b.name.as_ref().and_then(|n| self.resources.get(n)).map(|r| r.kind);
            match b.dynamic {
                Some(_) => vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
                None => kind.unwrap_or(vk::DescriptorType::STORAGE_BUFFER),
            }
        };
        let mut bindings: Vec<vk::DescriptorSetLayoutBinding> = Vec::new();
        for ((binding, element), b) in &bound {
            match bindings.iter_mut().find(|l| l.binding == *binding) {
                Some(layout) => layout.descriptor_count = layout.descriptor_count.max(element + 1),
                None => bindings.push(
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(*binding)
                        .descriptor_type(kind(b))
                        .descriptor_count(element + 1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE),
                ),
            }
        }
        let size = |ty| vk::DescriptorPoolSize { ty, descriptor_count: 16 };
        let sizes = [
            size(vk::DescriptorType::STORAGE_BUFFER),
            size(vk::DescriptorType::STORAGE_BUFFER_DYNAMIC),
            size(vk::DescriptorType::UNIFORM_BUFFER),
            size(vk::DescriptorType::STORAGE_IMAGE),
        ];
        let name = CString::new("main")?;
        // SAFETY: as in `open`; what is bound is there, but for what the script has destroyed or not written on purpose.
        unsafe {
            let device = &self.device;
            let layout = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layouts = [device.create_descriptor_set_layout(&layout, None)?];
            let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&pool, None)?;
            let set = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = device.allocate_descriptor_sets(&set)?[0];
            let mut offsets = Vec::new();
            for ((binding, element), b) in &bound {
                offsets.extend(b.dynamic);
                let Some(resource) = b.name.as_ref().map(|n| self.find(n)).transpose()? else { continue };
                let buffers = [vk::DescriptorBufferInfo { buffer: resource.buffer, offset: b.offset, range: b.range }];
                let images = [vk::DescriptorImageInfo {
                    sampler: vk::Sampler::null(),
                    image_view: resource.view,
                    image_layout: vk::ImageLayout::GENERAL,
                }];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(*binding)
                    .dst_array_element(*element)
                    .descriptor_type(kind(b));
                let write = match resource.kind {
                    vk::DescriptorType::STORAGE_IMAGE => write.image_info(&images),
                    _ => write.buffer_info(&buffers),
                };
                device.update_descriptor_sets(&[write], &[]);
            }
            let bytes = self.push.len() as u32;
            let ranges = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: bytes }];
            let ranges = if bytes == 0 { &ranges[..0] } else { &ranges[..] };
            let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(ranges);
            let layout = device.create_pipeline_layout(&layout, None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(self.module)
                .name(&name);
            let create = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &create, None).map_err(|(_, e)| e)?;
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(self.commands, point, made[0]);
            device.cmd_bind_descriptor_sets(self.commands, point, layout, 0, &[set], &offsets);
            if bytes > 0 {
                let stages = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(self.commands, layout, stages, 0, &self.push);
            }
            match groups {
                Some([x, y, z]) => device.cmd_dispatch(self.commands, x, y, z),
                None => device.cmd_dispatch_indirect(self.commands, self.find(indirect)?.buffer, 0),
            }
        }
        self.push.clear();
        Ok(())
    }

    fn close(self) {
        // SAFETY: the queue is idle, and nothing is used behind this; what was made of the device goes with the process.
        unsafe {
            self.device.device_wait_idle().ok();
        }
    }
}

fn layout(name: &str) -> Outcome<vk::ImageLayout> {
    Ok(match name {
        "undefined" => vk::ImageLayout::UNDEFINED,
        "general" => vk::ImageLayout::GENERAL,
        "read" => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        "source" => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        "target" => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
        other => return Err(format!("no layout {other}").into()),
    })
}
