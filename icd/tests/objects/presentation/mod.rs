//! Pictures that compute shaders write into images of swapchains, and where they show.

mod compositor;
mod headless;
mod maintenance;
mod wayland;
mod windows;
mod xserver;

use crate::bed::Bed;
use crate::host_time::PATIENCE_NS;
use ash::vk;

const COLOR: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};
const SECOND: u64 = 1_000_000_000;

/// The pixel at (x, y) of picture `seed`.
pub fn pixel(x: u32, y: u32, seed: u32) -> [u8; 3] {
    [(x * 3 + seed) as u8, (y * 5) as u8, (x ^ y ^ seed) as u8]
}

/// [`pixel`], for any format.
const PAINT: &str = "#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform writeonly image2D picture;
layout(push_constant) uniform Push { uint seed; };
void main() {
    uvec2 p = gl_GlobalInvocationID.xy;
    uvec3 c = uvec3(p.x * 3 + seed, p.y * 5, p.x ^ p.y ^ seed) & 255u;
    imageStore(picture, ivec2(p), vec4(vec3(c) / 255.0, 1));
}";

/// What a swapchain is asked to be.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub extent: [u32; 2],
    pub format: vk::Format,
    /// Of the views that the shader writes through.
    pub view: vk::Format,
    pub mode: vk::PresentModeKHR,
    pub images: u32,
    pub alpha: vk::CompositeAlphaFlagsKHR,
    pub old: vk::SwapchainKHR,
}

impl Wanted {
    pub fn of(extent: [u32; 2], mode: vk::PresentModeKHR) -> Wanted {
        let format = vk::Format::B8G8R8A8_UNORM;
        let alpha = vk::CompositeAlphaFlagsKHR::OPAQUE;
        Wanted { extent, format, view: format, mode, images: 3, alpha, old: vk::SwapchainKHR::null() }
    }
}

/// A surface of a program, and its commands.
pub struct Stage<'a> {
    pub bed: &'a Bed,
    pub surface: vk::SurfaceKHR,
    pub of_surface: ash::khr::surface::Instance,
    pub of_chain: ash::khr::swapchain::Device,
    pub of_wait: ash::khr::present_wait::Device,
    pub queue: vk::Queue,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    paint: vk::Pipeline,
}

/// A swapchain, and what paints into its images.
pub struct Chain {
    pub handle: vk::SwapchainKHR,
    pub images: Vec<vk::Image>,
    views: Vec<vk::ImageView>,
    sets: Vec<vk::DescriptorSet>,
    extent: [u32; 2],
}

impl Chain {
    /// Whether [`Stage::paint`] can.
    pub fn can_paint(&self) -> bool {
        !self.sets.is_empty()
    }
}

impl<'a> Stage<'a> {
    pub fn new(bed: &'a Bed, surface: vk::SurfaceKHR) -> Stage<'a> {
        let set_layout = bed.set_layout(&[(0, vk::DescriptorType::STORAGE_IMAGE, 1)]);
        let layout = bed.pipeline_layout(&[set_layout], 4);
        let stage = Stage {
            bed,
            surface,
            of_surface: ash::khr::surface::Instance::new(&bed.entry, &bed.instance),
            of_chain: ash::khr::swapchain::Device::new(&bed.instance, &bed.device),
            of_wait: ash::khr::present_wait::Device::new(&bed.instance, &bed.device),
            // SAFETY: valid usage.
            queue: unsafe { bed.device.get_device_queue(0, 0) },
            set_layout,
            layout,
            paint: bed.pipeline(PAINT, layout),
        };
        // SAFETY: valid usage.
        let presents = unsafe { stage.of_surface.get_physical_device_surface_support(bed.physical, 0, surface) };
        assert_eq!(presents, Ok(true));
        stage
    }

    pub fn capabilities(&self) -> Result<vk::SurfaceCapabilitiesKHR, vk::Result> {
        // SAFETY: valid usage.
        unsafe { self.of_surface.get_physical_device_surface_capabilities(self.bed.physical, self.surface) }
    }

    pub fn of_chain_instance(&self) -> ash::khr::swapchain::Instance {
        ash::khr::swapchain::Instance::new(&self.bed.entry, &self.bed.instance)
    }

    /// What waiting for a present comes to.
    pub fn wait_shown(&self, chain: &Chain, id: u64, ns: u64) -> vk::Result {
        // SAFETY: valid usage.
        let waited = unsafe { self.of_wait.wait_for_present(chain.handle, id, ns) };
        waited.err().unwrap_or(vk::Result::SUCCESS)
    }

    pub fn chain(&self, wanted: Wanted) -> Result<Chain, vk::Result> {
        let d = &self.bed.device;
        let formats = [wanted.format, wanted.view];
        let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
        let mut info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.surface)
            .min_image_count(wanted.images)
            .image_format(wanted.format)
            .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
            .image_extent(vk::Extent2D { width: wanted.extent[0], height: wanted.extent[1] })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(wanted.alpha)
            .present_mode(wanted.mode)
            .clipped(true)
            .old_swapchain(wanted.old);
        // Shaders store to no SRGB, but to other views of it.
        let direct = wanted.view == wanted.format;
        let paints = direct || self.bed.has(ash::khr::swapchain_mutable_format::NAME);
        if paints {
            info = info.image_usage(info.image_usage | vk::ImageUsageFlags::STORAGE);
        }
        if paints && !direct {
            info = info.flags(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT).push_next(&mut list);
        }
        // SAFETY: valid usage throughout.
        unsafe {
            let handle = self.of_chain.create_swapchain(&info, None)?;
            let images = self.of_chain.get_swapchain_images(handle)?;
            assert!(images.len() >= wanted.images as usize);
            let mut chain = Chain { handle, images, views: Vec::new(), sets: Vec::new(), extent: wanted.extent };
            for image in chain.images.iter().filter(|_| paints) {
                let info = vk::ImageViewCreateInfo::default()
                    .image(*image)
                    .view_type(vk::ImageViewType::TYPE_2D)
                    .format(wanted.view)
                    .subresource_range(COLOR);
                let view = d.create_image_view(&info, None)?;
                let set = self.bed.set(self.set_layout, &[(vk::DescriptorType::STORAGE_IMAGE, 1)], None);
                let infos =
                    [vk::DescriptorImageInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .descriptor_type(vk::DescriptorType::STORAGE_IMAGE)
                    .image_info(&infos);
                d.update_descriptor_sets(&[write], &[]);
                chain.views.push(view);
                chain.sets.push(set);
            }
            Ok(chain)
        }
    }

    pub fn end(&self, chain: Chain) {
        // SAFETY: nothing uses it any more.
        unsafe {
            self.bed.device.device_wait_idle().unwrap();
            chain.views.iter().for_each(|view| self.bed.device.destroy_image_view(*view, None));
            self.of_chain.destroy_swapchain(chain.handle, None);
        }
    }

    pub fn semaphore(&self) -> vk::Semaphore {
        // SAFETY: valid usage.
        let semaphore = unsafe { self.bed.device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        self.bed.later(move |d| unsafe { d.destroy_semaphore(semaphore, None) });
        semaphore
    }

    pub fn fence(&self) -> vk::Fence {
        // SAFETY: valid usage.
        let fence = unsafe { self.bed.device.create_fence(&vk::FenceCreateInfo::default(), None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        self.bed.later(move |d| unsafe { d.destroy_fence(fence, None) });
        fence
    }

    /// Waits for the fence, and makes it new.
    pub fn wait(&self, fence: vk::Fence) {
        // SAFETY: valid usage.
        unsafe {
            self.bed.device.wait_for_fences(&[fence], true, PATIENCE_NS).unwrap();
            self.bed.device.reset_fences(&[fence]).unwrap();
        }
    }

    /// An image, with a fence that says that it is there.
    pub fn acquire(&self, chain: &Chain, ns: u64) -> Result<u32, vk::Result> {
        let fence = self.fence();
        // SAFETY: valid usage.
        let (image, suboptimal) =
            unsafe { self.of_chain.acquire_next_image(chain.handle, ns, vk::Semaphore::null(), fence) }?;
        assert!(!suboptimal);
        self.wait(fence);
        Ok(image)
    }

    fn barrier(&self, c: vk::CommandBuffer, image: vk::Image, from: vk::ImageLayout, to: vk::ImageLayout) {
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::ImageMemoryBarrier::default()
            .image(image)
            .subresource_range(COLOR)
            .src_access_mask(access)
            .dst_access_mask(access)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)];
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        // SAFETY: valid usage.
        unsafe { self.bed.device.cmd_pipeline_barrier(c, all, all, none, &[], &[], &barrier) };
    }

    /// Commands that paint picture `seed`.
    pub fn paint(&self, chain: &Chain, image: u32, seed: u32) -> vk::CommandBuffer {
        let (d, compute) = (&self.bed.device, vk::PipelineBindPoint::COMPUTE);
        let handle = chain.images[image as usize];
        // SAFETY: valid usage throughout.
        self.bed.record(|c| unsafe {
            self.barrier(c, handle, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
            d.cmd_bind_pipeline(c, compute, self.paint);
            d.cmd_bind_descriptor_sets(c, compute, self.layout, 0, &[chain.sets[image as usize]], &[]);
            d.cmd_push_constants(c, self.layout, vk::ShaderStageFlags::COMPUTE, 0, &seed.to_le_bytes());
            d.cmd_dispatch(c, chain.extent[0].div_ceil(8), chain.extent[1].div_ceil(8), 1);
            self.barrier(c, handle, vk::ImageLayout::GENERAL, vk::ImageLayout::PRESENT_SRC_KHR);
        })
    }

    /// Commands that copy picture `seed` out of a buffer, whose colours are in the order of `order`.
    pub fn copy(&self, chain: &Chain, image: u32, seed: u32, order: [usize; 3]) -> vk::CommandBuffer {
        let [width, height] = chain.extent;
        let buffer = self.bed.buffer_with(u64::from(width * height * 4), vk::BufferUsageFlags::TRANSFER_SRC);
        buffer.set((0..width * height).map(|i| {
            let color = pixel(i % width, i / width, seed);
            u32::from_le_bytes([color[order[0]], color[order[1]], color[order[2]], 0x7f])
        }));
        let whole = whole(chain);
        let handle = chain.images[image as usize];
        let written = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        // SAFETY: valid usage throughout.
        self.bed.record(|c| unsafe {
            self.barrier(c, handle, vk::ImageLayout::UNDEFINED, written);
            self.bed.device.cmd_copy_buffer_to_image(c, buffer.handle, handle, written, &[whole]);
            self.barrier(c, handle, written, vk::ImageLayout::PRESENT_SRC_KHR);
        })
    }

    /// Submits, and presents behind it.
    pub fn present(
        &self,
        chain: &Chain,
        image: u32,
        commands: vk::CommandBuffer,
        id: Option<u64>,
    ) -> Result<bool, vk::Result> {
        let (done, commands) = ([self.semaphore()], [commands]);
        let submit = [vk::SubmitInfo::default().command_buffers(&commands).signal_semaphores(&done)];
        let (chains, images) = ([chain.handle], [image]);
        let mut results = [vk::Result::ERROR_UNKNOWN];
        let ids = [id.unwrap_or(0)];
        let mut ids = vk::PresentIdKHR::default().present_ids(&ids);
        let mut info = vk::PresentInfoKHR::default().wait_semaphores(&done).swapchains(&chains).image_indices(&images);
        if id.is_some() {
            info = info.push_next(&mut ids);
        }
        info = info.results(&mut results);
        // SAFETY: valid usage.
        let result = unsafe {
            self.bed.device.queue_submit(self.queue, &submit, vk::Fence::null()).unwrap();
            self.of_chain.queue_present(self.queue, &info)
        };
        let expected = match result {
            Ok(false) => vk::Result::SUCCESS,
            Ok(true) => vk::Result::SUBOPTIMAL_KHR,
            Err(e) => e,
        };
        assert_eq!(results[0], expected, "the swapchain's own result");
        result
    }

    /// Shows picture `seed`, whatever it takes.
    pub fn show(&self, chain: &Chain, seed: u32) -> Result<bool, vk::Result> {
        let image = self.acquire(chain, PATIENCE_NS)?;
        self.present(chain, image, self.paint(chain, image, seed), None)
    }

    /// What the image holds, as its bytes.
    pub fn read(&self, chain: &Chain, image: u32) -> Vec<u32> {
        let [width, height] = chain.extent;
        let buffer = self.bed.buffer_with(u64::from(width * height * 4), vk::BufferUsageFlags::TRANSFER_DST);
        let whole = whole(chain);
        let handle = chain.images[image as usize];
        let read = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        // SAFETY: valid usage throughout.
        self.bed.run(|c| unsafe {
            self.barrier(c, handle, vk::ImageLayout::PRESENT_SRC_KHR, read);
            self.bed.device.cmd_copy_image_to_buffer(c, handle, read, buffer.handle, &[whole]);
        });
        buffer.get()
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        // SAFETY: its swapchains are gone.
        unsafe { self.of_surface.destroy_surface(self.surface, None) };
    }
}

/// All of an image, for a copy from or to a tightly packed buffer.
fn whole(chain: &Chain) -> vk::BufferImageCopy {
    let [width, height] = chain.extent;
    let layers = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: 0,
        base_array_layer: 0,
        layer_count: 1,
    };
    let extent = vk::Extent3D { width, height, depth: 1 };
    vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent)
}
