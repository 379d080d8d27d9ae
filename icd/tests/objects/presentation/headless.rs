//! Swapchains of windows that nobody sees.

use super::{Chain, SECOND, Stage, Wanted, pixel};
use crate::bed::{Bed, Way, can_compile, everywhere};
use crate::host_time::PATIENCE_NS;
use ash::vk;
use std::time::{Duration, Instant};

const SIZE: [u32; 2] = [72, 40];
const FIFO: vk::PresentModeKHR = vk::PresentModeKHR::FIFO;
const MODES: [vk::PresentModeKHR; 3] = [FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

/// `None` where the driver has no such surfaces.
pub fn stage(bed: &Bed) -> Option<Stage<'_>> {
    bed.has(ash::ext::headless_surface::NAME).then(|| {
        let of_headless = ash::ext::headless_surface::Instance::new(&bed.entry, &bed.instance);
        // SAFETY: valid usage.
        let surface =
            unsafe { of_headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None) };
        Stage::new(bed, surface.unwrap())
    })
}

/// Runs `program` on a surface in all ways that have one.
fn on_a_surface(test: &str, program: impl Fn(&Stage<'_>)) {
    if can_compile() {
        everywhere(&format!("presentation::headless::{test}"), |bed| {
            stage(bed).iter().for_each(&program);
        });
    }
}

#[test]
fn images_keep_what_was_presented_in_every_mode() {
    on_a_surface("images_keep_what_was_presented_in_every_mode", |stage| {
        for mode in MODES {
            let chain = stage.chain(Wanted::of(SIZE, mode)).unwrap();
            for seed in 0..7 {
                assert_eq!(stage.show(&chain, seed), Ok(false), "{mode:?}");
            }
            // The last three pictures, each in an image of its own, the oldest first.
            for seed in 4..7 {
                let image = stage.acquire(&chain, PATIENCE_NS).unwrap();
                for (i, texel) in stage.read(&chain, image).into_iter().enumerate() {
                    let [r, g, b] = pixel(i as u32 % SIZE[0], i as u32 / SIZE[0], seed);
                    assert_eq!(texel.to_le_bytes(), [b, g, r, 255], "{mode:?}, picture {seed}, texel {i}");
                }
            }
            stage.end(chain);
        }
    });
}

#[test]
fn acquiring_waits_as_long_as_it_is_told_to() {
    on_a_surface("acquiring_waits_as_long_as_it_is_told_to", |stage| {
        let chain = stage.chain(Wanted { images: 2, ..Wanted::of(SIZE, FIFO) }).unwrap();
        let images = [0, 1].map(|_| stage.acquire(&chain, 0).unwrap());
        assert_ne!(images[0], images[1]);
        // None is left. Asking without end would be against the rules, and asking for a while too, but for drivers.
        if stage.bed.way == Way::Linked {
            let acquire = |ns| {
                // SAFETY: the driver's own rules.
                unsafe { stage.of_chain.acquire_next_image(chain.handle, ns, stage.semaphore(), vk::Fence::null()) }
            };
            assert_eq!(acquire(0), Err(vk::Result::NOT_READY));
            let start = Instant::now();
            assert_eq!(acquire(SECOND / 20), Err(vk::Result::TIMEOUT));
            assert!(start.elapsed() >= Duration::from_millis(50));
        }
        for image in images {
            assert_eq!(stage.present(&chain, image, stage.paint(&chain, image, 1), None), Ok(false));
        }
        assert_eq!(stage.acquire(&chain, u64::MAX), Ok(images[0]));
        stage.end(chain);
    });
}

/// Presents pictures 1 to `count` with their numbers.
fn present_numbered(stage: &Stage<'_>, chain: &Chain, count: u64) {
    for id in 1..=count {
        let image = stage.acquire(chain, PATIENCE_NS).unwrap();
        assert_eq!(stage.present(chain, image, stage.paint(chain, image, id as u32), Some(id)), Ok(false));
    }
}

#[test]
fn a_program_can_wait_until_a_picture_is_shown() {
    on_a_surface("a_program_can_wait_until_a_picture_is_shown", |stage| {
        for mode in MODES {
            // The swapchain's blanks are counted from when it is made.
            let start = Instant::now();
            let chain = stage.chain(Wanted::of(SIZE, mode)).unwrap();
            let wait = |id, ns| stage.wait_shown(&chain, id, ns);
            present_numbered(stage, &chain, 6);
            assert_eq!(wait(6, PATIENCE_NS), vk::Result::SUCCESS, "{mode:?}");
            if mode == FIFO {
                assert!(start.elapsed() >= Duration::from_millis(83), "six pictures in {:?}", start.elapsed());
            }
            assert_eq!(wait(3, 0), vk::Result::SUCCESS, "{mode:?}");
            assert_eq!(wait(7, SECOND / 100), vk::Result::TIMEOUT, "{mode:?}");
            stage.end(chain);
        }
    });
}

/// Frames in flight as programs have them: a semaphore from acquiring to submitting, one from there to presenting, a fence
/// around.
#[test]
fn frames_follow_each_other_by_semaphores() {
    on_a_surface("frames_follow_each_other_by_semaphores", |stage| {
        let d = &stage.bed.device;
        for mode in MODES {
            let chain = stage.chain(Wanted::of(SIZE, mode)).unwrap();
            let flights = [0, 1].map(|_| (stage.semaphore(), stage.semaphore(), stage.fence()));
            for frame in 0..10 {
                let (there, done, over) = flights[frame % 2];
                if frame >= 2 {
                    stage.wait(over);
                }
                let (none, stages) = (vk::Fence::null(), [vk::PipelineStageFlags::ALL_COMMANDS]);
                // SAFETY: valid usage throughout.
                unsafe {
                    let acquired = stage.of_chain.acquire_next_image(chain.handle, u64::MAX, there, none);
                    let (image, false) = acquired.unwrap() else { panic!("suboptimal") };
                    let commands = [stage.paint(&chain, image, frame as u32)];
                    let (there, done) = ([there], [done]);
                    let submit = vk::SubmitInfo::default()
                        .wait_semaphores(&there)
                        .wait_dst_stage_mask(&stages)
                        .command_buffers(&commands)
                        .signal_semaphores(&done);
                    d.queue_submit(stage.queue, &[submit], over).unwrap();
                    let (chains, images) = ([chain.handle], [image]);
                    let info =
                        vk::PresentInfoKHR::default().wait_semaphores(&done).swapchains(&chains).image_indices(&images);
                    assert_eq!(stage.of_chain.queue_present(stage.queue, &info), Ok(false), "{mode:?}");
                }
            }
            for seed in 7..10 {
                let image = stage.acquire(&chain, PATIENCE_NS).unwrap();
                assert_eq!(stage.read(&chain, image)[0].to_le_bytes()[2], seed, "{mode:?}");
            }
            stage.end(chain);
        }
    });
}

/// What is presented may depend on what the host has not done yet; presenting does not wait for it.
#[test]
fn presenting_waits_for_nothing() {
    on_a_surface("presenting_waits_for_nothing", |stage| {
        let d = &stage.bed.device;
        let chain = stage.chain(Wanted { images: 2, ..Wanted::of(SIZE, FIFO) }).unwrap();
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: valid usage.
        let gate = unsafe { d.create_semaphore(&info, None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        stage.bed.later(move |d| unsafe { d.destroy_semaphore(gate, None) });
        let image = stage.acquire(&chain, 0).unwrap();
        let (waits, values, stages) = ([gate], [1], [vk::PipelineStageFlags::ALL_COMMANDS]);
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
        let held =
            vk::SubmitInfo::default().wait_semaphores(&waits).wait_dst_stage_mask(&stages).push_next(&mut timeline);
        // SAFETY: valid usage.
        unsafe { d.queue_submit(stage.queue, &[held], vk::Fence::null()) }.unwrap();
        assert_eq!(stage.present(&chain, image, stage.paint(&chain, image, 9), Some(1)), Ok(false));
        assert_eq!(stage.wait_shown(&chain, 1, SECOND / 20), vk::Result::TIMEOUT);
        // SAFETY: valid usage.
        unsafe { d.signal_semaphore(&vk::SemaphoreSignalInfo::default().semaphore(gate).value(1)) }.unwrap();
        assert_eq!(stage.wait_shown(&chain, 1, PATIENCE_NS), vk::Result::SUCCESS);
        stage.end(chain);
    });
}

#[test]
fn a_window_has_one_swapchain_at_a_time() {
    on_a_surface("a_window_has_one_swapchain_at_a_time", |stage| {
        let wanted = Wanted::of(SIZE, FIFO);
        let old = stage.chain(wanted).unwrap();
        let linked = stage.bed.way == Way::Linked;
        if linked {
            assert_eq!(stage.chain(wanted).err(), Some(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR));
        }
        assert_eq!(stage.show(&old, 1), Ok(false));
        let held = stage.acquire(&old, PATIENCE_NS).unwrap();
        let new = stage.chain(Wanted { old: old.handle, extent: [16, 16], ..wanted }).unwrap();
        if linked {
            assert_eq!(stage.acquire(&old, 0), Err(vk::Result::ERROR_OUT_OF_DATE_KHR));
        }
        // What was acquired may be presented still.
        assert_eq!(stage.present(&old, held, stage.paint(&old, held, 2), None), Ok(false));
        assert_eq!(stage.show(&new, 3), Ok(false));
        stage.end(old);
        assert_eq!(stage.show(&new, 4), Ok(false));
        stage.end(new);
        let again = stage.chain(wanted).unwrap();
        stage.end(again);
    });
}

#[test]
fn what_is_not_offered_is_refused() {
    on_a_surface("what_is_not_offered_is_refused", |stage| {
        if stage.bed.way == Way::Linked {
            let relaxed = Wanted::of(SIZE, vk::PresentModeKHR::SHARED_DEMAND_REFRESH);
            assert_eq!(stage.chain(relaxed).err(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
            let format = vk::Format::R16G16B16A16_SFLOAT;
            let float = Wanted { format, view: format, ..Wanted::of(SIZE, FIFO) };
            assert!(stage.chain(float).is_err());
            let chain = stage.chain(Wanted::of(SIZE, FIFO)).expect("the window is free after that");
            let commands = stage.paint(&chain, 0, 1);
            assert_eq!(stage.present(&chain, 0, commands, None), Err(vk::Result::ERROR_UNKNOWN), "not acquired");
            stage.end(chain);
        }
    });
}

#[test]
fn surfaces_say_what_they_can_do_by_both_commands() {
    on_a_surface("surfaces_say_what_they_can_do_by_both_commands", |stage| {
        let Bed { entry, instance, physical, .. } = stage.bed;
        let newer = ash::khr::get_surface_capabilities2::Instance::new(entry, instance);
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(stage.surface);
        let capabilities = stage.capabilities().unwrap();
        let mut again = vk::SurfaceCapabilities2KHR::default();
        // SAFETY: valid usage throughout.
        unsafe {
            newer.get_physical_device_surface_capabilities2(*physical, &info, &mut again).unwrap();
            let (a, b) = (capabilities, again.surface_capabilities);
            assert_eq!((a.min_image_count, a.current_extent), (b.min_image_count, b.current_extent));
            assert_eq!(a.current_extent, vk::Extent2D { width: u32::MAX, height: u32::MAX });
            assert!(a.supported_usage_flags.contains(vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_DST));
            let formats = stage.of_surface.get_physical_device_surface_formats(*physical, stage.surface).unwrap();
            let mut same = vec![vk::SurfaceFormat2KHR::default(); formats.len()];
            let count = newer.get_physical_device_surface_formats2_len(*physical, &info).unwrap();
            assert_eq!(count, formats.len());
            newer.get_physical_device_surface_formats2(*physical, &info, &mut same).unwrap();
            assert!(formats.iter().zip(&same).all(|(a, b)| *a == b.surface_format));
            // Whatever is offered is an image that the device has.
            for format in formats {
                let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::COLOR_ATTACHMENT;
                let (kind, tiling) = (vk::ImageType::TYPE_2D, vk::ImageTiling::OPTIMAL);
                let flags = vk::ImageCreateFlags::MUTABLE_FORMAT;
                let there = instance.get_physical_device_image_format_properties(
                    *physical,
                    format.format,
                    kind,
                    tiling,
                    usage,
                    flags,
                );
                assert!(there.is_ok(), "{format:?}");
            }
            let modes = stage.of_surface.get_physical_device_surface_present_modes(*physical, stage.surface).unwrap();
            assert!(MODES.iter().all(|mode| modes.contains(mode)));
            let all =
                stage.of_chain_instance().get_physical_device_present_rectangles(*physical, stage.surface).unwrap();
            assert_eq!(all, [vk::Rect2D { offset: vk::Offset2D::default(), extent: a.current_extent }]);
            let mut group = vk::DeviceGroupPresentCapabilitiesKHR::default();
            stage.of_chain.get_device_group_present_capabilities(&mut group).unwrap();
            assert_eq!((group.present_mask[0], group.modes), (1, vk::DeviceGroupPresentModeFlagsKHR::LOCAL));
            let modes = stage.of_chain.get_device_group_surface_present_modes(stage.surface).unwrap();
            assert_eq!(modes, vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        }
    });
}

/// An image that the program makes for a swapchain's memory is that of the swapchain.
#[test]
fn images_are_bound_to_a_swapchain() {
    on_a_surface("images_are_bound_to_a_swapchain", |stage| {
        let d = &stage.bed.device;
        let mut chain = stage.chain(Wanted::of(SIZE, FIFO)).unwrap();
        let (fence, mask) = (stage.fence(), 1);
        let info = vk::AcquireNextImageInfoKHR::default()
            .swapchain(chain.handle)
            .timeout(PATIENCE_NS)
            .fence(fence)
            .device_mask(mask);
        // SAFETY: valid usage throughout.
        unsafe {
            let (image, suboptimal) = stage.of_chain.acquire_next_image2(&info).unwrap();
            assert!(!suboptimal);
            stage.wait(fence);
            let mut of_chain = vk::ImageSwapchainCreateInfoKHR::default().swapchain(chain.handle);
            let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(vk::Format::B8G8R8A8_UNORM)
                .extent(vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .tiling(vk::ImageTiling::OPTIMAL)
                .usage(usage | vk::ImageUsageFlags::STORAGE)
                .push_next(&mut of_chain);
            let own = d.create_image(&info, None).unwrap();
            let mut place = vk::BindImageMemorySwapchainInfoKHR::default().swapchain(chain.handle).image_index(image);
            d.bind_image_memory2(&[vk::BindImageMemoryInfo::default().image(own).push_next(&mut place)]).unwrap();
            stage.bed.submit(stage.copy(&chain, image, 6, [2, 1, 0]));
            let theirs = std::mem::replace(&mut chain.images[image as usize], own);
            let texels = stage.read(&chain, image);
            chain.images[image as usize] = theirs;
            for (i, texel) in texels.into_iter().enumerate() {
                let [r, g, b] = pixel(i as u32 % SIZE[0], i as u32 / SIZE[0], 6);
                assert_eq!(texel.to_le_bytes(), [b, g, r, 0x7f], "texel {i}");
            }
            d.destroy_image(own, None);
        }
        stage.end(chain);
    });
}

/// The machine's clock goes on only while the program waits for it.
#[test]
fn swapchains_serve_a_machine_with_a_clock() {
    if !can_compile() {
        return;
    }
    let tests = ["frames_follow_each_other_by_semaphores", "a_program_can_wait_until_a_picture_is_shown"];
    let tests = tests.map(|test| format!("presentation::headless::{test}"));
    let mut me = std::process::Command::new(std::env::current_exe().unwrap());
    let output = me.arg("--exact").args(tests).arg("--nocapture").env("WAVEPIPE_TIMING", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("2 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
