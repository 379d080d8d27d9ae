//! Surfaces: making them, and what can be presented to them.

use super::foreign::Client;
use super::headless::Headless;
use super::wayland::{self, WaylandWindow};
use super::x11::{self, XWindow};
use super::{Window, result};
use crate::entry::{Call, Fail, Outcome, SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use wavepipe_runtime::machine;
use wavepipe_runtime::swapchain;

pub struct Surface {
    pub window: Box<dyn Window>,
    /// What its swapchains share.
    pub runtime: Arc<swapchain::Surface>,
    /// The process whose connection the window's is.
    home: u32,
}

pub struct SurfaceObject {
    pub shared: Arc<Surface>,
}

impl Object for SurfaceObject {
    type Handle = vk::SurfaceKHR;
}

/// In the order in which programs that take the first should find them: compute shaders store to the plain ones.
pub const FORMATS: &[vk::Format] =
    &[vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM, vk::Format::B8G8R8A8_SRGB, vk::Format::R8G8B8A8_SRGB];

const COLOR_SPACE: vk::ColorSpaceKHR = vk::ColorSpaceKHR::SRGB_NONLINEAR;

/// One on the screen, one to fill.
pub const MIN_IMAGES: u32 = 2;

/// A surface's extent is its swapchain's.
const ANY_EXTENT: vk::Extent2D = vk::Extent2D { width: u32::MAX, height: u32::MAX };

impl Surface {
    /// Whether it can be asked, in this process: a forked child must not talk on its parent's connection.
    pub fn check(&self) -> Result<(), Fail> {
        if self.home != std::process::id() {
            let message = "the surface belongs to the process that this one was forked from";
            return Err(Fail::new(vk::Result::ERROR_SURFACE_LOST_KHR, message));
        }
        Ok(())
    }

    fn capabilities(&self) -> Result<vk::SurfaceCapabilitiesKHR, Fail> {
        self.check()?;
        self.window.settle();
        let own = self.window.extent().map_err(result)?;
        let most = machine::LIMITS.max_image_dimension_2d;
        let extent = |[width, height]: [u32; 2]| vk::Extent2D { width, height };
        Ok(vk::SurfaceCapabilitiesKHR {
            min_image_count: MIN_IMAGES,
            max_image_count: 0,
            current_extent: own.map_or(ANY_EXTENT, extent),
            min_image_extent: extent(own.unwrap_or([1; 2])),
            max_image_extent: extent(own.unwrap_or([most; 2])),
            max_image_array_layers: 1,
            supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY,
            current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
            supported_composite_alpha: self.window.alphas(),
            supported_usage_flags: vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::TRANSFER_DST
                | vk::ImageUsageFlags::SAMPLED
                | vk::ImageUsageFlags::STORAGE
                | vk::ImageUsageFlags::COLOR_ATTACHMENT
                | vk::ImageUsageFlags::INPUT_ATTACHMENT,
        })
    }

    fn formats(&self) -> &'static [vk::Format] {
        if self.window.is_presentable() { FORMATS } else { &[] }
    }
}

impl Call {
    pub fn surface(&self, handle: vk::SurfaceKHR) -> &Arc<Surface> {
        &self.get::<SurfaceObject>(handle).shared
    }

    fn create_surface(&self, instance: vk::Instance, window: Box<dyn Window>, out: *mut vk::SurfaceKHR) -> Outcome {
        self.instance(instance);
        let surface = Surface { window, runtime: Arc::default(), home: std::process::id() };
        self.write(out, handle::create(SurfaceObject { shared: Arc::new(surface) }));
        SUCCESS
    }

    fn x_window(&self, client: Option<Client>, window: u32) -> Result<Box<dyn Window>, Fail> {
        let refuse = |why: String| Fail::new(vk::Result::ERROR_INITIALIZATION_FAILED, why);
        let client = client.ok_or_else(|| refuse("the connection to the X server is null".into()))?;
        Ok(Box::new(XWindow::new(client, window).map_err(refuse)?))
    }
}

fn xcb(connection: *mut c_void) -> Option<Client> {
    NonNull::new(connection).map(Client::Xcb)
}

fn xlib(display: *mut c_void) -> Option<Client> {
    NonNull::new(display).map(Client::Xlib)
}

entry! { call;
    fn vkCreateHeadlessSurfaceEXT(
        instance: vk::Instance,
        info: *const vk::HeadlessSurfaceCreateInfoEXT<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        call.create_surface(instance, Box::new(Headless), out)
    }

    fn vkCreateXcbSurfaceKHR(
        instance: vk::Instance,
        info: *const vk::XcbSurfaceCreateInfoKHR<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        let info = call.read(info);
        let window = call.x_window(xcb(info.connection), info.window)?;
        call.create_surface(instance, window, out)
    }

    fn vkCreateXlibSurfaceKHR(
        instance: vk::Instance,
        info: *const vk::XlibSurfaceCreateInfoKHR<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        let info = call.read(info);
        // An XID has 29 bits; Xlib's type for it is an unsigned long.
        let window = call.x_window(xlib(info.dpy), info.window as u32)?;
        call.create_surface(instance, window, out)
    }

    fn vkCreateWaylandSurfaceKHR(
        instance: vk::Instance,
        info: *const vk::WaylandSurfaceCreateInfoKHR<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        let info = call.read(info);
        let (display, surface) = (NonNull::new(info.display), NonNull::new(info.surface));
        let window = display.zip(surface).ok_or_else(|| "wl_display or wl_surface are null".to_owned());
        let window = window.and_then(|(display, surface)| WaylandWindow::new(display, surface));
        let refuse = |why| Fail::new(vk::Result::ERROR_INITIALIZATION_FAILED, why);
        call.create_surface(instance, Box::new(window.map_err(refuse)?), out)
    }

    fn vkGetPhysicalDeviceWaylandPresentationSupportKHR(
        device: vk::PhysicalDevice,
        family: u32,
        display: *mut vk::wl_display,
    ) -> u32 {
        u32::from(wayland::is_presentable())
    }

    fn vkGetPhysicalDeviceXcbPresentationSupportKHR(
        device: vk::PhysicalDevice,
        family: u32,
        connection: *mut vk::xcb_connection_t,
        visual: vk::xcb_visualid_t,
    ) -> u32 {
        u32::from(xcb(connection).is_some_and(|client| x11::is_presentable(&client, visual)))
    }

    fn vkGetPhysicalDeviceXlibPresentationSupportKHR(
        device: vk::PhysicalDevice,
        family: u32,
        display: *mut vk::Display,
        visual: vk::VisualID,
    ) -> u32 {
        u32::from(xlib(display).is_some_and(|client| x11::is_presentable(&client, visual)))
    }

    fn vkDestroySurfaceKHR(
        instance: vk::Instance,
        surface: vk::SurfaceKHR,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<SurfaceObject>(surface);
    }

    /// Presenting is the host's: every queue can.
    fn vkGetPhysicalDeviceSurfaceSupportKHR(
        device: vk::PhysicalDevice,
        family: u32,
        surface: vk::SurfaceKHR,
        out: *mut vk::Bool32,
    ) -> vk::Result {
        let there = (family as usize) < machine::QUEUE_FAMILIES;
        call.write(out, u32::from(there && call.surface(surface).window.is_presentable()));
        SUCCESS
    }

    fn vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
        device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        out: *mut vk::SurfaceCapabilitiesKHR,
    ) -> vk::Result {
        call.write(out, call.surface(surface).capabilities()?);
        SUCCESS
    }

    fn vkGetPhysicalDeviceSurfaceCapabilities2KHR(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
        out: *mut vk::SurfaceCapabilities2KHR<'_>,
    ) -> vk::Result {
        let (info, out) = (call.read(info), call.out(out));
        out.surface_capabilities = call.surface(info.surface).capabilities()?;
        let mode = call.find::<vk::SurfacePresentModeEXT<'_>>(info.p_next).map(|mode| mode.present_mode);
        call.fill_chain(out.p_next, |link| {
            // Pictures are shown as they are, and a swapchain keeps its mode.
            link.fill::<vk::SurfacePresentScalingCapabilitiesEXT<'_>>(|scaling| {
                scaling.supported_present_scaling = vk::PresentScalingFlagsEXT::empty();
                scaling.supported_present_gravity_x = vk::PresentGravityFlagsEXT::empty();
                scaling.supported_present_gravity_y = vk::PresentGravityFlagsEXT::empty();
                scaling.min_scaled_image_extent = out.surface_capabilities.min_image_extent;
                scaling.max_scaled_image_extent = out.surface_capabilities.max_image_extent;
            });
            link.fill::<vk::SurfacePresentModeCompatibilityEXT<'_>>(|compatible| {
                let (count, modes) = (&raw mut compatible.present_mode_count, compatible.p_present_modes);
                let _ = call.enumerate(count, modes, mode.as_slice());
            });
        });
        SUCCESS
    }

    fn vkGetPhysicalDeviceSurfaceFormatsKHR(
        device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        count: *mut u32,
        formats: *mut vk::SurfaceFormatKHR,
    ) -> vk::Result {
        let known = call.surface(surface).formats();
        call.enumerate_with(count, formats, known.len(), |i, out| {
            *out = vk::SurfaceFormatKHR { format: known[i], color_space: COLOR_SPACE };
        })
    }

    fn vkGetPhysicalDeviceSurfaceFormats2KHR(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
        count: *mut u32,
        formats: *mut vk::SurfaceFormat2KHR<'_>,
    ) -> vk::Result {
        let known = call.surface(call.read(info).surface).formats();
        call.enumerate_with(count, formats, known.len(), |i, out| {
            out.surface_format = vk::SurfaceFormatKHR { format: known[i], color_space: COLOR_SPACE };
        })
    }

    fn vkGetPhysicalDeviceSurfacePresentModesKHR(
        device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        count: *mut u32,
        modes: *mut vk::PresentModeKHR,
    ) -> vk::Result {
        call.enumerate(count, modes, call.surface(surface).window.modes())
    }

    /// All of the window.
    fn vkGetPhysicalDevicePresentRectanglesKHR(
        device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        count: *mut u32,
        rectangles: *mut vk::Rect2D,
    ) -> vk::Result {
        let extent = call.surface(surface).capabilities()?.current_extent;
        call.enumerate(count, rectangles, &[vk::Rect2D { offset: vk::Offset2D::default(), extent }])
    }
}
