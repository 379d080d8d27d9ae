//! VK_EXT_surface_maintenance1 and VK_EXT_swapchain_maintenance1.

use super::headless::stage;
use super::{SECOND, Stage, Wanted, pixel};
use crate::bed::{Bed, Way, can_compile, everywhere};
use crate::host_time::PATIENCE_NS;
use ash::{ext, khr, vk};

const SIZE: [u32; 2] = [72, 40];
const FIFO: vk::PresentModeKHR = vk::PresentModeKHR::FIFO;
const MAILBOX: vk::PresentModeKHR = vk::PresentModeKHR::MAILBOX;
const MODES: [vk::PresentModeKHR; 3] = [FIFO, MAILBOX, vk::PresentModeKHR::IMMEDIATE];

/// Runs `program` on a surface of this driver, with and without the layer: what others offer is theirs.
fn maintained(test: &str, program: impl Fn(&Stage<'_>)) {
    if can_compile() {
        everywhere(&format!("presentation::maintenance::{test}"), |bed| {
            if bed.way != Way::Lavapipe && bed.has(ext::swapchain_maintenance1::NAME) {
                stage(bed).iter().for_each(&program);
            }
        });
    }
}

/// Gives images back that were not presented.
fn release(stage: &Stage<'_>, chain: vk::SwapchainKHR, images: &[u32]) -> Result<(), vk::Result> {
    let of_images = ext::swapchain_maintenance1::Device::new(&stage.bed.instance, &stage.bed.device);
    let info = vk::ReleaseSwapchainImagesInfoEXT::default().swapchain(chain).image_indices(images);
    // SAFETY: valid usage, but for images that were not acquired, which the driver knows.
    unsafe { of_images.release_swapchain_images(&info) }
}

/// Presents images, each to its swapchain, with a fence for each, behind the semaphore.
fn present_with_fences(
    stage: &Stage<'_>,
    made: vk::Semaphore,
    chains: &[vk::SwapchainKHR],
    images: &[u32],
    fences: &[vk::Fence],
) -> Result<bool, vk::Result> {
    let made = [made];
    let mut over = vk::SwapchainPresentFenceInfoEXT::default().fences(fences);
    let info = vk::PresentInfoKHR::default().wait_semaphores(&made).swapchains(chains).image_indices(images);
    // SAFETY: valid usage.
    unsafe { stage.of_chain.queue_present(stage.queue, &info.push_next(&mut over)) }
}

#[test]
fn a_mode_goes_with_itself_and_nothing_is_scaled() {
    maintained("a_mode_goes_with_itself_and_nothing_is_scaled", |stage| {
        let Bed { entry, instance, physical, .. } = stage.bed;
        let newer = khr::get_surface_capabilities2::Instance::new(entry, instance);
        let plain = stage.capabilities().unwrap();
        // SAFETY: valid usage.
        let modes = unsafe { stage.of_surface.get_physical_device_surface_present_modes(*physical, stage.surface) };
        assert_eq!(modes.unwrap(), MODES);
        for mode in MODES {
            // How many go with it; which ones is written to `room`.
            let ask = |room: Option<&mut [vk::PresentModeKHR]>| {
                let mut mode = vk::SurfacePresentModeEXT::default().present_mode(mode);
                let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(stage.surface).push_next(&mut mode);
                let mut scaling = vk::SurfacePresentScalingCapabilitiesEXT {
                    supported_present_scaling: vk::PresentScalingFlagsEXT::ONE_TO_ONE,
                    supported_present_gravity_x: vk::PresentGravityFlagsEXT::MIN,
                    supported_present_gravity_y: vk::PresentGravityFlagsEXT::MAX,
                    ..Default::default()
                };
                let mut modes = vk::SurfacePresentModeCompatibilityEXT::default();
                if let Some(room) = room {
                    modes = modes.present_modes(room);
                }
                let mut all = vk::SurfaceCapabilities2KHR::default().push_next(&mut modes).push_next(&mut scaling);
                // SAFETY: valid usage.
                unsafe { newer.get_physical_device_surface_capabilities2(*physical, &info, &mut all) }.unwrap();
                assert!(all.surface_capabilities.min_image_count >= plain.min_image_count);
                let count = modes.present_mode_count;
                assert!(scaling.supported_present_scaling.is_empty(), "{scaling:?}");
                assert!(scaling.supported_present_gravity_x.is_empty(), "{scaling:?}");
                assert!(scaling.supported_present_gravity_y.is_empty(), "{scaling:?}");
                assert_eq!(scaling.min_scaled_image_extent, plain.min_image_extent);
                assert_eq!(scaling.max_scaled_image_extent, plain.max_image_extent);
                count
            };
            assert_eq!(ask(None), 1, "{mode:?}");
            let untouched = vk::PresentModeKHR::SHARED_DEMAND_REFRESH;
            let mut modes = [untouched; 3];
            assert_eq!(ask(Some(&mut modes)), 1, "{mode:?}");
            assert_eq!(modes, [mode, untouched, untouched]);
        }
    });
}

/// Of the modes and of the scaling that a program may ask for: what is offered is there, the rest is refused.
#[test]
fn swapchains_are_made_for_what_is_offered() {
    maintained("swapchains_are_made_for_what_is_offered", |stage| {
        let base = vk::SwapchainCreateInfoKHR::default()
            .surface(stage.surface)
            .min_image_count(2)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
            .image_extent(vk::Extent2D { width: SIZE[0], height: SIZE[1] })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(MAILBOX);
        let make = |modes: &[vk::PresentModeKHR], scaling, flags| {
            let mut modes = vk::SwapchainPresentModesCreateInfoEXT::default().present_modes(modes);
            let mut scaling = vk::SwapchainPresentScalingCreateInfoEXT::default().scaling_behavior(scaling);
            let info = base.push_next(&mut modes).push_next(&mut scaling).flags(flags);
            // SAFETY: what is against the rules is what the driver refuses.
            unsafe { stage.of_chain.create_swapchain(&info, None) }
        };
        let (none, plain) = (vk::PresentScalingFlagsEXT::empty(), vk::SwapchainCreateFlagsKHR::empty());
        for flags in [plain, vk::SwapchainCreateFlagsKHR::DEFERRED_MEMORY_ALLOCATION_EXT] {
            let chain = make(&[MAILBOX], none, flags).unwrap();
            // SAFETY: valid usage.
            let (image, _) = unsafe {
                assert_eq!(stage.of_chain.get_swapchain_images(chain).unwrap().len(), 2);
                let there = stage.fence();
                let image =
                    stage.of_chain.acquire_next_image(chain, PATIENCE_NS, vk::Semaphore::null(), there).unwrap();
                stage.wait(there);
                image
            };
            release(stage, chain, &[image]).unwrap();
            // SAFETY: nothing uses it.
            unsafe { stage.of_chain.destroy_swapchain(chain, None) };
        }
        // The layer would say so before the driver.
        if stage.bed.way == Way::Linked {
            let refused = Err(vk::Result::ERROR_INITIALIZATION_FAILED);
            assert_eq!(make(&[MAILBOX, FIFO], none, plain), refused);
            assert_eq!(make(&[MAILBOX], vk::PresentScalingFlagsEXT::STRETCH, plain), refused);
        }
    });
}

/// Released images can be acquired at once, hold what they held, and belong to nobody; of a retired swapchain too.
#[test]
fn images_go_back_unseen() {
    maintained("images_go_back_unseen", |stage| {
        let chain = stage.chain(Wanted { images: 2, ..Wanted::of(SIZE, FIFO) }).unwrap();
        let held = [0, 1].map(|_| stage.acquire(&chain, PATIENCE_NS).unwrap());
        for image in held {
            stage.bed.submit(stage.paint(&chain, image, 50 + image));
        }
        release(stage, chain.handle, &held).unwrap();
        let linked = stage.bed.way == Way::Linked;
        if linked {
            let twice = release(stage, chain.handle, &held);
            assert_eq!(twice, Err(vk::Result::ERROR_UNKNOWN), "nobody has them");
        }
        let again = held.map(|_| stage.acquire(&chain, 0).unwrap());
        for image in again {
            for (i, texel) in stage.read(&chain, image).into_iter().enumerate() {
                let [r, g, b] = pixel(i as u32 % SIZE[0], i as u32 / SIZE[0], 50 + image);
                assert_eq!(texel.to_le_bytes(), [b, g, r, 255], "image {image}, texel {i}");
            }
        }
        let new = stage.chain(Wanted { old: chain.handle, ..Wanted::of(SIZE, FIFO) }).unwrap();
        release(stage, chain.handle, &again).unwrap();
        stage.end(chain);
        assert_eq!(stage.show(&new, 3), Ok(false));
        stage.end(new);
    });
}

/// The fence of a present says that its semaphores are free, and its swapchain may go: not before its waits are over.
#[test]
fn fences_say_when_presents_are_over() {
    maintained("fences_say_when_presents_are_over", |stage| {
        let d = &stage.bed.device;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: valid usage.
        let gate = unsafe { d.create_semaphore(&info, None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        stage.bed.later(move |d| unsafe { d.destroy_semaphore(gate, None) });
        let chain = stage.chain(Wanted { images: 2, ..Wanted::of(SIZE, FIFO) }).unwrap();
        let images = [0, 1].map(|_| stage.acquire(&chain, PATIENCE_NS).unwrap());
        for image in images {
            stage.bed.submit(stage.paint(&chain, image, 1));
        }
        let fences = [(images[0], 1), (images[1], 2)].map(|(image, turn)| {
            let (made, over) = (stage.semaphore(), stage.fence());
            let (waits, values, signals) = ([gate], [turn], [made]);
            let mut timeline =
                vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values).signal_semaphore_values(&[0]);
            let held = vk::SubmitInfo::default()
                .wait_semaphores(&waits)
                .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS])
                .signal_semaphores(&signals)
                .push_next(&mut timeline);
            // SAFETY: valid usage.
            unsafe { d.queue_submit(stage.queue, &[held], vk::Fence::null()) }.unwrap();
            assert_eq!(present_with_fences(stage, made, &[chain.handle], &[image], &[over]), Ok(false));
            over
        });
        // SAFETY: valid usage throughout.
        unsafe {
            let signal = |turn| d.signal_semaphore(&vk::SemaphoreSignalInfo::default().semaphore(gate).value(turn));
            let over = |fence, ns| d.wait_for_fences(&[fence], true, ns);
            // The gate is open before anything is judged: nothing waits for it for ever.
            let before = over(fences[0], SECOND / 50);
            signal(1).unwrap();
            let after = over(fences[0], PATIENCE_NS);
            let other = over(fences[1], SECOND / 50);
            signal(2).unwrap();
            let closed = Err(vk::Result::TIMEOUT);
            assert_eq!((before, other), (closed, closed), "its work is not done");
            assert_eq!((after, over(fences[1], PATIENCE_NS)), (Ok(()), Ok(())));
        }
        // At once, though the second picture waits for its blank.
        stage.end(chain);
    });
}

/// A fence for each swapchain that wants one.
#[test]
fn each_present_has_its_fence() {
    maintained("each_present_has_its_fence", |stage| {
        let Some(other) = super::headless::stage(stage.bed) else { return };
        let chains = [stage, &other].map(|stage| stage.chain(Wanted::of(SIZE, FIFO)).unwrap());
        let handles = chains.each_ref().map(|chain| chain.handle);
        let fence = stage.fence();
        // The layer of 1.3.239 did not know yet that there may be none.
        let second = if stage.bed.way == Way::Linked { vk::Fence::null() } else { stage.fence() };
        for fences in [[second, fence], [fence, second]] {
            let images = chains.each_ref().map(|chain| stage.acquire(chain, PATIENCE_NS).unwrap());
            for (chain, image) in chains.iter().zip(images) {
                stage.bed.submit(stage.paint(chain, image, 1));
            }
            let (made, none) = (stage.semaphore(), vk::Fence::null());
            let signal = [made];
            let submit = [vk::SubmitInfo::default().signal_semaphores(&signal)];
            // SAFETY: valid usage.
            unsafe { stage.bed.device.queue_submit(stage.queue, &submit, none) }.unwrap();
            assert_eq!(present_with_fences(stage, made, &handles, &images, &fences), Ok(false));
            fences.iter().filter(|fence| **fence != vk::Fence::null()).for_each(|fence| stage.wait(*fence));
        }
        let [one, two] = chains;
        stage.end(one);
        other.end(two);
    });
}
