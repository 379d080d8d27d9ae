//! A bench for the same image commands on two drivers: ours, linked in, and lavapipe behind the loader.
#![allow(dead_code)]

pub mod dispatch;

use crate::split_mix;

use ash::vk;
use std::ffi::CStr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Only the first on lavapipe.
const OURS: &[&CStr] = &[
    ash::ext::custom_border_color::NAME,
    ash::ext::host_image_copy::NAME,
    ash::ext::shader_atomic_float::NAME,
    ash::ext::shader_atomic_float2::NAME,
    ash::ext::shader_image_atomic_int64::NAME,
];

pub struct Lab {
    _entry: ash::Entry,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub ours: bool,
    pool: vk::CommandPool,
    memory: vk::PhysicalDeviceMemoryProperties,
}

/// Mapped memory with a buffer over it.
pub struct Staging {
    pub buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    map: *mut u8,
    bytes: usize,
}

pub struct Image {
    pub image: vk::Image,
    pub info: vk::ImageCreateInfo<'static>,
    memory: vk::DeviceMemory,
}

/// `None`, said aloud, where the oracle is missing; a failure in CI.
fn missing<T>(what: &str) -> Option<T> {
    println!("SKIP {what}");
    assert!(std::env::var_os("CI").is_none(), "{what} is missing");
    None
}

fn lavapipe() -> Option<ash::Entry> {
    static ENVIRONMENT: Mutex<()> = Mutex::new(());
    let folder = std::fs::read_dir("/usr/share/vulkan/icd.d").into_iter().flatten().flatten();
    let manifest: Option<PathBuf> = folder.map(|f| f.path()).find(|p| p.to_string_lossy().contains("lvp_icd"));
    let Some(manifest) = manifest else { return missing("lavapipe") };
    let _lock = ENVIRONMENT.lock();
    // SAFETY: nothing else in the tests that use this bench changes or reads the environment while the lock is held.
    unsafe {
        std::env::set_var("VK_DRIVER_FILES", &manifest);
        std::env::set_var("VK_ICD_FILENAMES", &manifest);
        ash::Entry::load().ok().or_else(|| missing("the Vulkan loader"))
    }
}

impl Lab {
    /// Our driver and, where it is installed, lavapipe.
    pub fn all() -> Vec<Lab> {
        let mut labs = vec![Lab::new(crate::common::entry(), true)];
        labs.extend(lavapipe().map(|entry| Lab::new(entry, false)));
        labs
    }

    /// Our driver, on a queue of another family.
    pub fn of_family(family: u32) -> Lab {
        Lab::on(crate::common::entry(), true, family)
    }

    pub fn ours() -> Lab {
        Lab::new(crate::common::entry(), true)
    }

    fn new(entry: ash::Entry, ours: bool) -> Lab {
        Lab::on(entry, ours, 0)
    }

    fn on(entry: ash::Entry, ours: bool, family: u32) -> Lab {
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        // SAFETY: valid usage throughout.
        unsafe {
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let mut v1_1 = vk::PhysicalDeviceVulkan11Features::default().multiview(true);
            let mut v1_3 = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
            let mut v1_2 = vk::PhysicalDeviceVulkan12Features::default()
                .sampler_mirror_clamp_to_edge(true)
                .sampler_filter_minmax(true);
            let mut border = vk::PhysicalDeviceCustomBorderColorFeaturesEXT::default()
                .custom_border_colors(true)
                .custom_border_color_without_format(true);
            let core = vk::PhysicalDeviceFeatures::default()
                .sampler_anisotropy(true)
                .image_cube_array(true)
                .shader_image_gather_extended(true)
                .shader_int64(ours)
                .shader_storage_image_extended_formats(ours)
                .shader_storage_image_multisample(ours)
                .shader_storage_image_read_without_format(ours)
                .shader_storage_image_write_without_format(ours);
            let mut info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&core)
                .push_next(&mut v1_1)
                .push_next(&mut v1_2)
                .push_next(&mut v1_3)
                .push_next(&mut border);
            let extensions = crate::common::names(if ours { OURS } else { &OURS[..1] });
            let mut host = vk::PhysicalDeviceHostImageCopyFeaturesEXT::default().host_image_copy(true);
            let mut floats = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default()
                .shader_image_float32_atomics(true)
                .shader_image_float32_atomic_add(true);
            // Not every generation has it.
            let mut more = vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT::default();
            if ours {
                more = more.shader_image_float32_atomic_min_max(min_max(&instance, physical));
            }
            let mut wide =
                vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT::default().shader_image_int64_atomics(true);
            if ours {
                info = info.push_next(&mut host).push_next(&mut floats).push_next(&mut more).push_next(&mut wide);
            }
            let info = info.enabled_extension_names(&extensions);
            let device = instance.create_device(physical, &info, None).unwrap();
            let queue = device.get_device_queue(family, 0);
            let pool = device
                .create_command_pool(&vk::CommandPoolCreateInfo::default().queue_family_index(family), None)
                .unwrap();
            let memory = instance.get_physical_device_memory_properties(physical);
            Lab { _entry: entry, instance, physical, device, queue, ours, pool, memory }
        }
    }

    fn allocate(&self, needs: vk::MemoryRequirements, host: bool) -> vk::DeviceMemory {
        let wanted = match host {
            true => vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT,
            false => vk::MemoryPropertyFlags::empty(),
        };
        let fits = |i: u32| {
            needs.memory_type_bits >> i & 1 != 0 && self.memory.memory_types[i as usize].property_flags.contains(wanted)
        };
        let kind = (0..self.memory.memory_type_count).find(|i| fits(*i)).expect("a memory type");
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        // SAFETY: valid usage.
        unsafe { self.device.allocate_memory(&info, None).unwrap() }
    }

    pub fn staging(&self, bytes: &[u8]) -> Staging {
        let transfer = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let texels = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
        let usage = transfer | texels | vk::BufferUsageFlags::STORAGE_BUFFER;
        let info = vk::BufferCreateInfo::default().size(bytes.len() as u64).usage(usage);
        // SAFETY: valid usage throughout.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).unwrap();
            let memory = self.allocate(self.device.get_buffer_memory_requirements(buffer), true);
            self.device.bind_buffer_memory(buffer, memory, 0).unwrap();
            let map = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), map.cast(), bytes.len());
            Staging { buffer, memory, map: map.cast(), bytes: bytes.len() }
        }
    }

    pub fn image(&self, info: vk::ImageCreateInfo<'static>) -> Image {
        // SAFETY: valid usage throughout.
        unsafe {
            let image = self.device.create_image(&info, None).unwrap();
            let memory = self.allocate(self.device.get_image_memory_requirements(image), false);
            self.device.bind_image_memory(image, memory, 0).unwrap();
            Image { image, info, memory }
        }
    }

    pub fn view(&self, image: &Image, kind: vk::ImageViewType, range: vk::ImageSubresourceRange) -> vk::ImageView {
        let info = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(kind)
            .format(image.info.format)
            .subresource_range(range);
        // SAFETY: valid usage.
        unsafe { self.device.create_image_view(&info, None).unwrap() }
    }

    /// A secondary command buffer that continues a render pass; goes with the pool.
    pub fn secondary(&self, inheritance: &vk::CommandBufferInheritanceInfo<'_>) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::SECONDARY)
            .command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(inheritance);
        // SAFETY: valid usage.
        unsafe {
            let commands = self.device.allocate_command_buffers(&info).unwrap()[0];
            self.device.begin_command_buffer(commands, &begin).unwrap();
            commands
        }
    }

    /// Puts images into GENERAL, records, submits and waits. Barriers stand before and after.
    pub fn run(&self, images: &[&Image], record: impl FnOnce(&ash::Device, vk::CommandBuffer)) {
        let d = &self.device;
        // SAFETY: valid usage throughout.
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
            let commands = d.allocate_command_buffers(&info).unwrap()[0];
            d.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).unwrap();
            self.barrier(commands, images, vk::ImageLayout::GENERAL);
            record(d, commands);
            self.barrier(commands, images, vk::ImageLayout::GENERAL);
            d.end_command_buffer(commands).unwrap();
            let buffers = [commands];
            let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
            d.queue_submit(self.queue, &submit, vk::Fence::null()).unwrap();
            d.queue_wait_idle(self.queue).unwrap();
            d.free_command_buffers(self.pool, &buffers);
        }
    }

    /// Everything before is visible to everything after. Layouts keep contents: images start in UNDEFINED once only.
    pub fn barrier(&self, commands: vk::CommandBuffer, images: &[&Image], from: vk::ImageLayout) {
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let of = |image: &&Image| {
            vk::ImageMemoryBarrier::default()
                .src_access_mask(access)
                .dst_access_mask(access)
                .old_layout(from)
                .new_layout(vk::ImageLayout::GENERAL)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(image.image)
                .subresource_range(whole(image.info.format))
        };
        let barriers: Vec<_> = images.iter().map(of).collect();
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: valid usage.
        unsafe { self.device.cmd_pipeline_barrier(commands, all, all, Default::default(), &[], &[], &barriers) };
    }

    /// Gives an image its first layout, and zeros.
    pub fn prepare(&self, image: &Image) {
        let d = &self.device;
        let range = [whole(image.info.format)];
        self.run(&[], |_, c| {
            self.barrier(c, &[image], vk::ImageLayout::UNDEFINED);
            let layout = vk::ImageLayout::GENERAL;
            // SAFETY: valid usage throughout.
            unsafe {
                if aspect(image.info.format).contains(vk::ImageAspectFlags::COLOR) {
                    if !compressed(image.info.format) {
                        let zero = vk::ClearColorValue { uint32: [0; 4] };
                        d.cmd_clear_color_image(c, image.image, layout, &zero, &range);
                    }
                } else {
                    let zero = vk::ClearDepthStencilValue::default();
                    d.cmd_clear_depth_stencil_image(c, image.image, layout, &zero, &range);
                }
            }
        });
    }

    /// All texels of an aspect: level by level, layer by layer, tightly.
    pub fn read(&self, image: &Image, aspect: vk::ImageAspectFlags, texel: u32) -> Vec<u8> {
        let mut regions = Vec::new();
        let mut at = 0;
        for level in 0..image.info.mip_levels {
            let bytes = level_bytes(image, level, texel);
            regions.push(region(image, aspect, level, at));
            at += bytes.next_multiple_of(16);
        }
        let staging = self.staging(&vec![0; at as usize]);
        self.run(&[image], |d, c| {
            // SAFETY: valid usage.
            unsafe {
                d.cmd_copy_image_to_buffer(c, image.image, vk::ImageLayout::GENERAL, staging.buffer, &regions);
            }
        });
        let bytes = staging.get();
        self.free(staging);
        bytes
    }

    /// The other way: bytes as [`Lab::read`] gives them.
    pub fn write(&self, image: &Image, aspect: vk::ImageAspectFlags, texel: u32, bytes: &[u8]) {
        let mut regions = Vec::new();
        let mut at = 0;
        for level in 0..image.info.mip_levels {
            regions.push(region(image, aspect, level, at));
            at += level_bytes(image, level, texel).next_multiple_of(16);
        }
        assert!(bytes.len() as u64 >= at);
        let staging = self.staging(bytes);
        self.run(&[image], |d, c| {
            // SAFETY: valid usage.
            unsafe {
                d.cmd_copy_buffer_to_image(c, staging.buffer, image.image, vk::ImageLayout::GENERAL, &regions);
            }
        });
        self.free(staging);
    }

    pub fn free(&self, staging: Staging) {
        // SAFETY: the GPU is idle.
        unsafe {
            self.device.destroy_buffer(staging.buffer, None);
            self.device.free_memory(staging.memory, None);
        }
    }

    pub fn free_image(&self, image: Image) {
        // SAFETY: the GPU is idle.
        unsafe {
            self.device.destroy_image(image.image, None);
            self.device.free_memory(image.memory, None);
        }
    }

    /// Whether texels of f32 have atomic minima and maxima.
    pub fn has_min_max(&self) -> bool {
        min_max(&self.instance, self.physical)
    }

    pub fn features(&self, format: vk::Format) -> vk::FormatFeatureFlags {
        // SAFETY: valid usage.
        unsafe { self.instance.get_physical_device_format_properties(self.physical, format).optimal_tiling_features }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // SAFETY: tests give back what they made.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

impl Staging {
    pub fn get(&self) -> Vec<u8> {
        // SAFETY: mapped for its whole life; the GPU is idle.
        (0..self.bytes).map(|i| unsafe { self.map.add(i).read_volatile() }).collect()
    }
}

fn min_max(instance: &ash::Instance, physical: vk::PhysicalDevice) -> bool {
    let mut there = vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut there);
    // SAFETY: valid usage.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    there.shader_image_float32_atomic_min_max == vk::TRUE
}

/// GLSL to SPIR-V; `None`, said aloud, without glslc.
pub fn compile(text: &str) -> Option<Vec<u32>> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("wavepipe-lab-{}-{number}.comp", std::process::id()));
    std::fs::write(&file, text).ok()?;
    let out = Command::new("glslc").arg(&file).args(["-o", "-"]).output();
    let _ = std::fs::remove_file(&file);
    let Ok(out) = out else { return missing("glslc") };
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    Some(out.stdout.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
}

/// Texels of a level, layers counted.
pub fn level_bytes(image: &Image, level: u32, texel: u32) -> u64 {
    let (e, side) = (image.info.extent, if compressed(image.info.format) { 4 } else { 1 });
    let n = |n: u32| u64::from((n >> level).max(1).div_ceil(side));
    let depth = u64::from((e.depth >> level).max(1));
    n(e.width) * n(e.height) * depth * u64::from(image.info.array_layers) * u64::from(texel)
}

/// A whole level.
pub fn region(image: &Image, aspect: vk::ImageAspectFlags, level: u32, at: u64) -> vk::BufferImageCopy {
    let e = image.info.extent;
    let n = |n: u32| (n >> level).max(1);
    vk::BufferImageCopy::default()
        .buffer_offset(at)
        .image_subresource(vk::ImageSubresourceLayers {
            aspect_mask: aspect,
            mip_level: level,
            base_array_layer: 0,
            layer_count: image.info.array_layers,
        })
        .image_extent(vk::Extent3D { width: n(e.width), height: n(e.height), depth: n(e.depth) })
}

pub fn compressed(format: vk::Format) -> bool {
    (131..=146).contains(&format.as_raw())
}

pub fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
        vk::Format::D32_SFLOAT_S8_UINT | vk::Format::D16_UNORM_S8_UINT => {
            vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
        }
        _ => vk::ImageAspectFlags::COLOR,
    }
}

pub fn whole(format: vk::Format) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(aspect(format))
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS)
}

/// A 2D image for copies and blits.
pub fn flat(format: vk::Format, width: u32, height: u32, levels: u32, layers: u32) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width, height, depth: 1 })
        .mip_levels(levels)
        .array_layers(layers)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
}

/// A 3D image for copies and blits.
pub fn deep(format: vk::Format, width: u32, height: u32, depth: u32, levels: u32) -> vk::ImageCreateInfo<'static> {
    flat(format, width, height, levels, 1).image_type(vk::ImageType::TYPE_3D).extent(vk::Extent3D {
        width,
        height,
        depth,
    })
}

/// Numbers that look random.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u32 {
        (split_mix::split_mix(&mut self.0) >> 32) as u32
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}
