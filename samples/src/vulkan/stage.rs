//! A swapchain in a window, and the pictures that come to it out of buffers: copied into an image, and from there, as large as
//! the window, into the swapchain's. Of any driver it asks for what all of them have.

use super::{Vulkan, failed};
use crate::host::{BufferId, Error};
use crate::window::Window;
use ash::vk;

/// What shows the pictures of a [`Vulkan`] host in a window. The window outlives it.
pub struct Stage {
    surface: vk::SurfaceKHR,
    of_surface: ash::khr::surface::Instance,
    of_chain: ash::khr::swapchain::Device,
    /// Of the swapchain, null before the first picture.
    chain: vk::SwapchainKHR,
    images: Vec<Target>,
    extent: vk::Extent2D,
    /// The picture in its own size.
    picture: vk::Image,
    memory: vk::DeviceMemory,
    size: [u32; 2],
    /// Signaled when an image is there.
    there: vk::Semaphore,
}

/// An image of the swapchain.
struct Target {
    image: vk::Image,
    /// Signaled when its picture is made. It is presenting that waits for it, which is over for certain when the image comes back.
    made: vk::Semaphore,
}

const COLOR: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};

/// What an instance has to have for a window.
pub const INSTANCE_EXTENSIONS: [&std::ffi::CStr; 2] = [ash::khr::surface::NAME, ash::khr::xcb_surface::NAME];

pub fn surface(entry: &ash::Entry, instance: &ash::Instance, window: &Window) -> Result<vk::SurfaceKHR, Error> {
    let (connection, id) = window.xcb();
    let create = vk::XcbSurfaceCreateInfoKHR::default().connection(connection).window(id);
    let of_xcb = ash::khr::xcb_surface::Instance::new(entry, instance);
    // SAFETY: the connection and its window outlive the host.
    unsafe { of_xcb.create_xcb_surface(&create, None) }.map_err(failed("vkCreateXcbSurfaceKHR"))
}

fn semaphore(device: &ash::Device) -> Result<vk::Semaphore, Error> {
    // SAFETY: the create-info outlives the call.
    let made = unsafe { device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) };
    made.map_err(failed("vkCreateSemaphore"))
}

/// How presenting ended.
enum Shown {
    Well,
    /// The window is of another size by now.
    OutOfDate,
}

impl Stage {
    /// For pictures of `size`.
    pub fn new(host: &Vulkan, surface: vk::SurfaceKHR, size: [u32; 2]) -> Result<Stage, Error> {
        let device = &host.device;
        let create = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D { width: size[0], height: size[1], depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC);
        let mut stage = Stage {
            surface,
            of_surface: ash::khr::surface::Instance::new(&host.entry, &host.instance),
            of_chain: ash::khr::swapchain::Device::new(&host.instance, device),
            chain: vk::SwapchainKHR::null(),
            images: Vec::new(),
            extent: vk::Extent2D::default(),
            picture: vk::Image::null(),
            memory: vk::DeviceMemory::null(),
            size,
            there: vk::Semaphore::null(),
        };
        let mut fill = || {
            stage.there = semaphore(device)?;
            // SAFETY: create-infos outlive their calls; the image gets as much memory as it asks for.
            unsafe {
                stage.picture = device.create_image(&create, None).map_err(failed("vkCreateImage"))?;
                let needs = device.get_image_memory_requirements(stage.picture);
                // The first type that fits is the device's favourite.
                let kind = needs.memory_type_bits.trailing_zeros();
                let allocate = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
                stage.memory = device.allocate_memory(&allocate, None).map_err(failed("vkAllocateMemory"))?;
                device.bind_image_memory(stage.picture, stage.memory, 0).map_err(failed("vkBindImageMemory"))
            }
        };
        match fill() {
            Ok(()) => Ok(stage),
            Err(error) => {
                stage.end(host);
                Err(error)
            }
        }
    }

    /// Shows the picture in `buffer`: rows of R8G8B8A8 from the top.
    pub fn show(&mut self, host: &Vulkan, buffer: BufferId) -> Result<(), Error> {
        loop {
            if self.images.is_empty() {
                self.renew(host)?;
            }
            match self.try_show(host, buffer)? {
                Shown::Well => return Ok(()),
                Shown::OutOfDate => self.drop_images(host),
            }
        }
    }

    /// The window is of that size; whether the next picture is the first of it. Not every driver finds out by itself.
    pub fn fit(&mut self, host: &Vulkan, [width, height]: [u32; 2]) -> bool {
        let other = self.extent != vk::Extent2D { width, height };
        if other {
            self.drop_images(host);
        }
        other
    }

    /// A swapchain of the window's size.
    fn renew(&mut self, host: &Vulkan) -> Result<(), Error> {
        let what = "the window";
        // SAFETY: surface and device are of one physical device; the old swapchain is used by nothing once the device is idle.
        unsafe {
            let of_surface = &self.of_surface;
            let can = of_surface.get_physical_device_surface_capabilities(host.physical, self.surface);
            let can = can.map_err(failed("vkGetPhysicalDeviceSurfaceCapabilitiesKHR"))?;
            let formats = of_surface.get_physical_device_surface_formats(host.physical, self.surface);
            let formats = formats.map_err(failed("vkGetPhysicalDeviceSurfaceFormatsKHR"))?;
            // Numbers as they are: the picture is not linear light.
            let plain = [vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM];
            let format = formats.iter().find(|f| plain.contains(&f.format));
            let format = format.ok_or_else(|| Error::Driver { what, why: format!("formats {formats:?}") })?;
            if !can.supported_usage_flags.contains(vk::ImageUsageFlags::TRANSFER_DST) {
                return Err(Error::Driver { what, why: "nothing can be copied into it".into() });
            }
            let any = can.current_extent.width == u32::MAX;
            self.extent =
                if any { vk::Extent2D { width: self.size[0], height: self.size[1] } } else { can.current_extent };
            let most = if can.max_image_count == 0 { u32::MAX } else { can.max_image_count };
            let create = vk::SwapchainCreateInfoKHR::default()
                .surface(self.surface)
                .min_image_count((can.min_image_count + 1).min(most))
                .image_format(format.format)
                .image_color_space(format.color_space)
                .image_extent(self.extent)
                .image_array_layers(1)
                .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
                .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
                .pre_transform(can.current_transform)
                .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
                .present_mode(vk::PresentModeKHR::FIFO)
                .clipped(true)
                .old_swapchain(self.chain);
            let chain = self.of_chain.create_swapchain(&create, None).map_err(failed("vkCreateSwapchainKHR"))?;
            self.drop_chain(host);
            self.chain = chain;
            let images = self.of_chain.get_swapchain_images(chain).map_err(failed("vkGetSwapchainImagesKHR"))?;
            for image in images {
                self.images.push(Target { image, made: semaphore(&host.device)? });
            }
        }
        Ok(())
    }

    fn try_show(&mut self, host: &Vulkan, buffer: BufferId) -> Result<Shown, Error> {
        let device = &host.device;
        let none = vk::Fence::null();
        // SAFETY: one picture is on its way at a time, so semaphores and commands are free; all objects are of the device.
        unsafe {
            let image = match self.of_chain.acquire_next_image(self.chain, u64::MAX, self.there, none) {
                Ok((image, _)) => image,
                Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => return Ok(Shown::OutOfDate),
                Err(code) => return Err(failed("vkAcquireNextImageKHR")(code)),
            };
            let allocate = vk::CommandBufferAllocateInfo::default()
                .command_pool(host.commands)
                .level(vk::CommandBufferLevel::PRIMARY)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&allocate).map_err(failed("vkAllocateCommandBuffers"))?;
            let target = &self.images[image as usize];
            let (there, made) = ([self.there], [target.made]);
            let stages = [vk::PipelineStageFlags::TRANSFER];
            let batch = [vk::SubmitInfo::default()
                .wait_semaphores(&there)
                .wait_dst_stage_mask(&stages)
                .command_buffers(&commands)
                .signal_semaphores(&made)];
            let done = self.record(host, commands[0], buffer, target.image).and_then(|()| {
                device.queue_submit(host.queue, &batch, none).map_err(failed("vkQueueSubmit"))?;
                let (chains, images) = ([self.chain], [image]);
                let present =
                    vk::PresentInfoKHR::default().wait_semaphores(&made).swapchains(&chains).image_indices(&images);
                let presented = self.of_chain.queue_present(host.queue, &present);
                device.queue_wait_idle(host.queue).map_err(failed("vkQueueWaitIdle"))?;
                match presented {
                    Ok(false) => Ok(Shown::Well),
                    Ok(true) | Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => Ok(Shown::OutOfDate),
                    Err(code) => Err(failed("vkQueuePresentKHR")(code)),
                }
            });
            device.free_command_buffers(host.commands, &commands);
            done
        }
    }

    /// Buffer to picture, picture to the swapchain's image.
    fn record(
        &self,
        host: &Vulkan,
        commands: vk::CommandBuffer,
        buffer: BufferId,
        image: vk::Image,
    ) -> Result<(), Error> {
        let device = &host.device;
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let (read, write) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        let [width, height] = self.size;
        let far = |width: u32, height: u32| vk::Offset3D { x: width as i32, y: height as i32, z: 1 };
        let whole = [vk::BufferImageCopy::default().image_subresource(COLOR).image_extent(vk::Extent3D {
            width,
            height,
            depth: 1,
        })];
        let scaled = [vk::ImageBlit::default()
            .src_subresource(COLOR)
            .src_offsets([vk::Offset3D::default(), far(width, height)])
            .dst_subresource(COLOR)
            .dst_offsets([vk::Offset3D::default(), far(self.extent.width, self.extent.height)])];
        let barrier = |image, from, to| {
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .level_count(1)
                .layer_count(1);
            let access = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE;
            let barrier = [vk::ImageMemoryBarrier::default()
                .image(image)
                .subresource_range(range)
                .src_access_mask(access)
                .dst_access_mask(access)
                .old_layout(from)
                .new_layout(to)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)];
            let (stage, none) = (vk::PipelineStageFlags::TRANSFER, vk::DependencyFlags::empty());
            // SAFETY: as below.
            unsafe { device.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &barrier) };
        };
        // SAFETY: the commands were just allocated; the objects recorded are of this device and live until it is idle.
        unsafe {
            device.begin_command_buffer(commands, &begin).map_err(failed("vkBeginCommandBuffer"))?;
            barrier(self.picture, vk::ImageLayout::UNDEFINED, write);
            barrier(image, vk::ImageLayout::UNDEFINED, write);
            device.cmd_copy_buffer_to_image(commands, host.buffers[buffer.0].handle, self.picture, write, &whole);
            barrier(self.picture, write, read);
            device.cmd_blit_image(commands, self.picture, read, image, write, &scaled, vk::Filter::NEAREST);
            barrier(image, write, vk::ImageLayout::PRESENT_SRC_KHR);
            device.end_command_buffer(commands).map_err(failed("vkEndCommandBuffer"))
        }
    }

    /// The images go with their swapchain, which makes room for another first.
    fn drop_images(&mut self, host: &Vulkan) {
        // SAFETY: nothing uses the semaphores once the device is idle.
        unsafe {
            let _ = host.device.device_wait_idle();
            self.images.drain(..).for_each(|target| host.device.destroy_semaphore(target.made, None));
        }
    }

    fn drop_chain(&mut self, host: &Vulkan) {
        self.drop_images(host);
        // SAFETY: nothing uses it now that the device is idle.
        unsafe { self.of_chain.destroy_swapchain(self.chain, None) };
        self.chain = vk::SwapchainKHR::null();
    }

    /// Before the host goes.
    pub fn end(mut self, host: &Vulkan) {
        self.drop_chain(host);
        // SAFETY: the device is idle, and each object is destroyed once.
        unsafe {
            host.device.destroy_image(self.picture, None);
            host.device.free_memory(self.memory, None);
            host.device.destroy_semaphore(self.there, None);
            self.of_surface.destroy_surface(self.surface, None);
        }
    }
}
