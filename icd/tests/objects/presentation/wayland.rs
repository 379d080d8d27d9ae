//! Surfaces of a Wayland compositor, pixel by pixel.

use super::compositor::{self, Compositor};
use super::{Stage, Wanted, pixel};
use crate::bed::{Bed, Way, can_compile, everywhere};
use crate::host_time::{PATIENCE, PATIENCE_NS};
use ash::vk;
use std::time::{Duration, Instant};
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::{wl_compositor, wl_registry, wl_surface};
use wayland_client::{Connection, Dispatch, EventQueue, Proxy as _, QueueHandle, delegate_noop};
use wayland_protocols::wp::fullscreen_shell::zv1::client::zwp_fullscreen_shell_v1 as shell;

const SIZE: [u32; 2] = [211, 97];

/// The program's side: a surface that the screen shows.
struct Program {
    connection: Connection,
    events: EventQueue<Told>,
    surface: wl_surface::WlSurface,
}

/// What the compositor tells it is not listened to.
struct Told;

impl Dispatch<wl_registry::WlRegistry, GlobalListContents> for Told {
    fn event(
        _: &mut Self,
        _: &wl_registry::WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

delegate_noop!(Told: wl_compositor::WlCompositor);
delegate_noop!(Told: ignore shell::ZwpFullscreenShellV1);
delegate_noop!(Told: ignore wl_surface::WlSurface);

impl Program {
    fn open(compositor: &Compositor) -> Program {
        let connection = Connection::from_socket(compositor.connect()).unwrap();
        let (globals, events) = registry_queue_init::<Told>(&connection).unwrap();
        let handle = events.handle();
        let surfaces: wl_compositor::WlCompositor = globals.bind(&handle, 1..=4, ()).unwrap();
        let screen: shell::ZwpFullscreenShellV1 = globals.bind(&handle, 1..=1, ()).unwrap();
        let surface = surfaces.create_surface(&handle, ());
        screen.present_surface(Some(&surface), shell::PresentMethod::Default, None);
        Program { connection, events, surface }
    }

    /// `None` where the driver has no such surfaces.
    fn stage<'a>(&self, bed: &'a Bed) -> Option<Stage<'a>> {
        bed.has(ash::khr::wayland_surface::NAME).then(|| {
            let of_wayland = ash::khr::wayland_surface::Instance::new(&bed.entry, &bed.instance);
            let (display, surface) = (self.connection.backend().display_ptr(), self.surface.id().as_ptr());
            let info = vk::WaylandSurfaceCreateInfoKHR::default().display(display.cast()).surface(surface.cast());
            // SAFETY: both outlive the surface.
            unsafe {
                let presents =
                    of_wayland.get_physical_device_wayland_presentation_support(bed.physical, 0, &mut *display.cast());
                assert!(presents);
                Stage::new(bed, of_wayland.create_wayland_surface(&info, None).unwrap())
            }
        })
    }

    /// The screen comes to show the picture, all of it.
    #[track_caller]
    fn shows(&mut self, compositor: &Compositor, seed: u32) {
        let start = Instant::now();
        loop {
            // A program goes on listening to its compositor.
            let _ = self.events.roundtrip(&mut Told);
            let (pixels, width) = compositor.screenshot();
            assert_eq!((width, pixels.len()), (SIZE[0] as usize, (SIZE[0] * SIZE[1]) as usize));
            let wrong = pixels.iter().enumerate().find_map(|(i, shown)| {
                let (x, y) = (i as u32 % SIZE[0], i as u32 / SIZE[0]);
                (*shown != pixel(x, y, seed)).then(|| format!("picture {seed} at ({x}, {y}): {shown:?}"))
            });
            let Some(wrong) = wrong else { return };
            assert!(start.elapsed() < PATIENCE, "{wrong}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn pictures_show_in_surfaces_of_wayland() {
    if !compositor::there() || !can_compile() {
        return;
    }
    everywhere("presentation::wayland::pictures_show_in_surfaces_of_wayland", |bed| {
        let compositor = Compositor::start(SIZE);
        let mut program = Program::open(&compositor);
        let Some(stage) = program.stage(bed) else { return };
        // SAFETY: valid usage.
        let modes =
            unsafe { stage.of_surface.get_physical_device_surface_present_modes(bed.physical, stage.surface) }.unwrap();
        let wanted = [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX];
        let images = stage.capabilities().unwrap().min_image_count.max(3);
        for (n, mode) in wanted.into_iter().filter(|mode| modes.contains(mode)).enumerate() {
            let chain = stage.chain(Wanted { images, ..Wanted::of(SIZE, mode) }).unwrap();
            let last = 50 + n as u32;
            let start = Instant::now();
            for seed in [1, 2, 3, 4, 5, 6, 7, 8, 9, last] {
                assert_eq!(stage.show(&chain, seed), Ok(false), "{mode:?}");
            }
            // All but the images that are still waiting have had a blank of weston's, of which it has 60 a second.
            if mode == vk::PresentModeKHR::FIFO {
                let blanks = 10 - images - 1;
                assert!(start.elapsed() >= Duration::from_millis(16) * blanks, "{:?}", start.elapsed());
            }
            program.shows(&compositor, last);
            stage.end(chain);
        }
    });
}

/// What of a picture changed is only a hint, and alpha counts where it is asked to.
#[test]
fn parts_of_pictures_change() {
    if !compositor::there() || !can_compile() {
        return;
    }
    everywhere("presentation::wayland::parts_of_pictures_change", |bed| {
        let compositor = Compositor::start(SIZE);
        let mut program = Program::open(&compositor);
        let Some(stage) = program.stage(bed).filter(|_| bed.has(ash::khr::incremental_present::NAME)) else { return };
        let chain = stage.chain(Wanted { images: 4, ..Wanted::of(SIZE, vk::PresentModeKHR::FIFO) }).unwrap();
        assert_eq!(stage.show(&chain, 1), Ok(false));
        program.shows(&compositor, 1);
        let image = stage.acquire(&chain, PATIENCE_NS).unwrap();
        stage.bed.submit(stage.paint(&chain, image, 2));
        let all = [vk::RectLayerKHR {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D { width: SIZE[0], height: SIZE[1] },
            layer: 0,
        }];
        let regions = [vk::PresentRegionKHR::default().rectangles(&all)];
        let mut regions = vk::PresentRegionsKHR::default().regions(&regions);
        let (chains, images) = ([chain.handle], [image]);
        let info = vk::PresentInfoKHR::default().swapchains(&chains).image_indices(&images).push_next(&mut regions);
        // SAFETY: valid usage.
        assert_eq!(unsafe { stage.of_chain.queue_present(stage.queue, &info) }, Ok(false));
        program.shows(&compositor, 2);
        stage.end(chain);
    });
}

#[test]
fn a_compositor_that_is_gone_loses_the_surface() {
    if !compositor::there() || !can_compile() {
        return;
    }
    let bed = Bed::linked();
    assert_eq!(bed.way, Way::Linked);
    let mut compositor = Compositor::start(SIZE);
    let program = Program::open(&compositor);
    let stage = program.stage(&bed).unwrap();
    let chain = stage.chain(Wanted::of(SIZE, vk::PresentModeKHR::FIFO)).unwrap();
    assert_eq!(stage.show(&chain, 1), Ok(false));
    compositor.kill();
    let start = Instant::now();
    let lost = (0..100).find_map(|seed| stage.show(&chain, seed).err());
    assert_eq!(lost, Some(vk::Result::ERROR_SURFACE_LOST_KHR));
    assert!(start.elapsed() < PATIENCE);
    stage.end(chain);
}
