//! Swapchains of windows that nobody sees.

use super::{SECOND, Stage, Wanted, pixel};
use crate::bed::{Bed, can_compile, everywhere};
use ash::vk;
use std::time::{Duration, Instant};

const SIZE: [u32; 2] = [72, 40];
const FIFO: vk::PresentModeKHR = vk::PresentModeKHR::FIFO;
const MODES: [vk::PresentModeKHR; 3] = [FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

/// `None` where the driver has no such surfaces.
fn stage(bed: &Bed) -> Option<Stage<'_>> {
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
                let image = stage.acquire(&chain, 60 * SECOND).unwrap();
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
        if stage.bed.way == crate::bed::Way::Linked {
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
