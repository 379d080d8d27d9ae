//! Swapchains: their images, acquiring and presenting them (VK_KHR_swapchain and what builds on it).

use super::result;
use super::surfaces::{MIN_IMAGES, Surface};
use crate::entry::{Call, Fail, Outcome, SUCCESS, entry};
use crate::handle::{self, Object};
use crate::images::{Image, format};
use crate::synchronization::{Fence, Semaphore, timeout};
use ash::vk;
use std::ffi::c_void;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::SubmitInfo;
use wavepipe_runtime::swapchain::{self, Acquired, Condition, PresentMode, Rectangle, SwapchainInfo};

pub struct Swapchain {
    surface: Arc<Surface>,
    runtime: swapchain::Swapchain,
    /// Handles of its images.
    images: Vec<vk::Image>,
}

impl Object for Swapchain {
    type Handle = vk::SwapchainKHR;
}

fn mode(mode: vk::PresentModeKHR) -> Option<PresentMode> {
    match mode {
        vk::PresentModeKHR::IMMEDIATE => Some(PresentMode::Immediate),
        vk::PresentModeKHR::MAILBOX => Some(PresentMode::Mailbox),
        vk::PresentModeKHR::FIFO => Some(PresentMode::Fifo),
        _ => None,
    }
}

impl Swapchain {
    /// How things stand, having looked at the window.
    fn look(&self) -> Condition {
        match self.surface.window.extent() {
            Ok(Some(extent)) if extent != self.runtime.extent() => self.runtime.degrade(Condition::OutOfDate),
            Ok(_) => {}
            Err(condition) => self.runtime.degrade(condition),
        }
        self.condition()
    }

    /// A swapchain that has been replaced gives no more images out.
    fn condition(&self) -> Condition {
        self.runtime.condition()
    }
}

/// One of the images that a program makes itself for a swapchain's memory.
pub fn bind_swapchain_image(call: &Call, image: vk::Image, next: *const c_void) -> Option<Result<(), Fail>> {
    let info = call.find::<vk::BindImageMemorySwapchainInfoKHR<'_>>(next)?;
    let chain = call.get_opt::<Swapchain>(info.swapchain)?;
    let shown = chain.runtime.images().get(info.image_index as usize);
    Some(match shown {
        Some(shown) => call.image(image).bind_as(shown).map_err(Fail::from),
        None => {
            let message = format!("the swapchain has no image {}", info.image_index);
            Err(Fail::new(vk::Result::ERROR_UNKNOWN, message))
        }
    })
}

/// Makes a swapchain; its surface has no other that is not retired.
fn create(call: &Call, device: vk::Device, info: &vk::SwapchainCreateInfoKHR<'_>) -> Result<Swapchain, Fail> {
    let refuse = |what: String| Fail::new(vk::Result::ERROR_INITIALIZATION_FAILED, what);
    let surface = call.surface(info.surface);
    surface.check()?;
    // Whatever comes of this, the old one has had its time.
    if let Some(old) = call.get_opt::<Swapchain>(info.old_swapchain) {
        old.runtime.retire();
    }
    // Neither is offered: a mode goes with itself alone, and nothing is scaled.
    if let Some(modes) = call.find::<vk::SwapchainPresentModesCreateInfoEXT<'_>>(info.p_next)
        && let modes = call.slice(modes.p_present_modes, modes.present_mode_count)
        && let Some(other) = modes.iter().find(|mode| **mode != info.present_mode)
    {
        return Err(refuse(format!("present modes of {:?} and {other:?} in turns", info.present_mode)));
    }
    if let Some(scaling) = call.find::<vk::SwapchainPresentScalingCreateInfoEXT<'_>>(info.p_next)
        && !scaling.scaling_behavior.is_empty()
    {
        return Err(refuse(format!("pictures scaled by {:?}", scaling.scaling_behavior)));
    }
    let mode = mode(info.present_mode).filter(|_| surface.window.modes().contains(&info.present_mode));
    let mode = mode.ok_or_else(|| refuse(format!("a present mode of {:?}", info.present_mode)))?;
    let extent = [info.image_extent.width, info.image_extent.height];
    let device = &call.device(device).runtime;
    surface.window.settle();
    // A window that is gone is told apart from one of another size, which the first image is out of date for.
    surface.window.extent().map_err(result)?;
    let opaque = info.composite_alpha == vk::CompositeAlphaFlagsKHR::OPAQUE;
    let place = surface.runtime.occupy().ok_or(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR)?;
    let screen = surface.window.screen(extent, mode, opaque).map_err(result)?;
    let images = info.min_image_count.max(MIN_IMAGES);
    let chain = SwapchainInfo { extent, format: format(info.image_format), images, mode };
    let runtime = swapchain::Swapchain::new(device, place, &chain, screen)?;
    let images = runtime.images().iter().map(|image| handle::create(Image { runtime: image.clone() })).collect();
    Ok(Swapchain { surface: surface.clone(), runtime, images })
}

impl Call {
    fn acquire(
        &self,
        chain: vk::SwapchainKHR,
        ns: u64,
        semaphore: vk::Semaphore,
        fence: vk::Fence,
        out: *mut u32,
    ) -> Outcome {
        let chain = self.get::<Swapchain>(chain);
        if chain.look() == Condition::Good {
            match chain.runtime.acquire(timeout(ns))? {
                Acquired::Image(image) => {
                    // Whoever had it is done with it: there is nothing left to wait for.
                    if let Some(semaphore) = self.get_opt::<Semaphore>(semaphore) {
                        semaphore.payload.get().signal_binary();
                    }
                    if let Some(fence) = self.get_opt::<Fence>(fence) {
                        fence.payload.get().signal();
                    }
                    self.write(out, image);
                    return SUCCESS;
                }
                Acquired::TimedOut if ns == 0 => return Ok(vk::Result::NOT_READY),
                Acquired::TimedOut => return Ok(vk::Result::TIMEOUT),
                Acquired::Never => {}
            }
        }
        // Nothing is wrong with a retired one but that.
        let condition = chain.condition().max(Condition::OutOfDate);
        Err(result(condition).into())
    }

    /// Presents to one swapchain.
    fn present(&self, info: &vk::PresentInfoKHR<'_>, n: usize, work: &Arc<runtime::Fence>) -> Result<vk::Result, Fail> {
        let chain = self.get::<Swapchain>(self.slice(info.p_swapchains, info.swapchain_count)[n]);
        let image = self.slice(info.p_image_indices, info.swapchain_count)[n];
        let ids = self.find::<vk::PresentIdKHR<'_>>(info.p_next);
        let id = ids.and_then(|ids| self.slice(ids.p_present_ids, ids.swapchain_count).get(n)).copied().unwrap_or(0);
        let regions = self.find::<vk::PresentRegionsKHR<'_>>(info.p_next);
        let region = regions.and_then(|regions| self.slice(regions.p_regions, regions.swapchain_count).get(n));
        let rectangles = region.map_or(&[][..], |region| self.slice(region.p_rectangles, region.rectangle_count));
        let damage = rectangles
            .iter()
            .map(|r| Rectangle { origin: [r.offset.x, r.offset.y], extent: [r.extent.width, r.extent.height] });
        chain.look();
        Ok(result(chain.runtime.present(image, work, id, damage.collect())?))
    }
}

/// The worse of two results of presenting.
fn worse(one: vk::Result, other: vk::Result) -> vk::Result {
    let rank = |result: vk::Result| match result {
        vk::Result::SUCCESS => 0,
        vk::Result::SUBOPTIMAL_KHR => 1,
        vk::Result::ERROR_OUT_OF_DATE_KHR => 2,
        vk::Result::ERROR_SURFACE_LOST_KHR => 3,
        _ => 4,
    };
    if rank(other) > rank(one) { other } else { one }
}

entry! { call;
    fn vkCreateSwapchainKHR(
        device: vk::Device,
        info: *const vk::SwapchainCreateInfoKHR<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::SwapchainKHR,
    ) -> vk::Result {
        let chain = create(call, device, call.read(info))?;
        call.write(out, handle::create(chain));
        SUCCESS
    }

    fn vkDestroySwapchainKHR(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        if let Some(chain) = call.destroy::<Swapchain>(swapchain) {
            for image in &chain.images {
                call.destroy::<Image>(*image);
            }
        }
    }

    fn vkGetSwapchainImagesKHR(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        count: *mut u32,
        images: *mut vk::Image,
    ) -> vk::Result {
        call.enumerate(count, images, &call.get::<Swapchain>(swapchain).images)
    }

    fn vkAcquireNextImageKHR(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        ns: u64,
        semaphore: vk::Semaphore,
        fence: vk::Fence,
        index: *mut u32,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        call.acquire(swapchain, ns, semaphore, fence, index)
    }

    fn vkAcquireNextImage2KHR(
        device: vk::Device,
        info: *const vk::AcquireNextImageInfoKHR<'_>,
        index: *mut u32,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        let info = call.read(info);
        call.acquire(info.swapchain, info.timeout, info.semaphore, info.fence, index)
    }

    fn vkQueuePresentKHR(queue: vk::Queue, info: *const vk::PresentInfoKHR<'_>) -> vk::Result => ERROR_DEVICE_LOST {
        let info = call.read(info);
        let (device, queue) = call.queue_and_device(queue);
        let work = runtime::Fence::new(device, false);
        let waits = call.slice(info.p_wait_semaphores, info.wait_semaphore_count).iter();
        let waits = waits.map(|s| (call.get::<Semaphore>(*s).payload.take(), 0)).collect();
        // The waits happen even where nothing can be shown.
        queue.submit(&SubmitInfo { waits, ..SubmitInfo::default() }, Some(&work))?;
        // Once the waits are over the semaphores are free; a swapchain that goes waits for its pictures by itself.
        if let Some(fences) = call.find::<vk::SwapchainPresentFenceInfoEXT<'_>>(info.p_next) {
            let fences = call.slice(fences.p_fences, fences.swapchain_count).iter();
            for fence in fences.filter_map(|fence| call.get_opt::<Fence>(*fence)) {
                queue.submit(&SubmitInfo::default(), Some(&fence.payload.get()))?;
            }
        }
        let mut worst = vk::Result::SUCCESS;
        let mut told = None;
        for n in 0..info.swapchain_count as usize {
            let one = call.present(info, n, &work).unwrap_or_else(|fail| {
                let result = fail.result;
                told = Some(fail);
                result
            });
            if !info.p_results.is_null() {
                call.write_at(info.p_results, n, one);
            }
            worst = worse(worst, one);
        }
        match told {
            Some(fail) => Err(fail),
            None if worst.as_raw() < 0 => Err(worst.into()),
            None => Ok(worst),
        }
    }

    fn vkReleaseSwapchainImagesEXT(
        device: vk::Device,
        info: *const vk::ReleaseSwapchainImagesInfoEXT<'_>,
    ) -> vk::Result {
        let info = call.read(info);
        let images = call.slice(info.p_image_indices, info.image_index_count);
        call.get::<Swapchain>(info.swapchain).runtime.release(images)?;
        SUCCESS
    }

    fn vkWaitForPresentKHR(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        id: u64,
        ns: u64,
    ) -> vk::Result => ERROR_DEVICE_LOST {
        let chain = call.get::<Swapchain>(swapchain);
        let shown = chain.runtime.wait_shown(id, timeout(ns))?;
        match chain.condition() {
            _ if shown => SUCCESS,
            Condition::Good => Ok(vk::Result::TIMEOUT),
            bad => Err(result(bad).into()),
        }
    }

    /// One device in the group, which shows its own images.
    fn vkGetDeviceGroupPresentCapabilitiesKHR(
        device: vk::Device,
        out: *mut vk::DeviceGroupPresentCapabilitiesKHR<'_>,
    ) -> vk::Result {
        let out = call.out(out);
        out.present_mask = [0; vk::MAX_DEVICE_GROUP_SIZE];
        out.present_mask[0] = 1;
        out.modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
        SUCCESS
    }

    fn vkGetDeviceGroupSurfacePresentModesKHR(
        device: vk::Device,
        surface: vk::SurfaceKHR,
        modes: *mut vk::DeviceGroupPresentModeFlagsKHR,
    ) -> vk::Result {
        call.write(modes, vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        SUCCESS
    }
}
