//! Windows of an X server, through libxcb and through Xlib, pixel by pixel.

use super::xserver::{self, XServer};
use super::{Chain, Stage, Wanted, pixel};
use crate::bed::{Bed, Way, can_compile, everywhere};
use crate::host_time::{PATIENCE, PATIENCE_NS};
use ash::vk;
use libloading::os::unix::{Library, Symbol};
use std::ffi::{CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ColormapAlloc, ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, WindowClass};
use x11rb::wrapper::ConnectionExt as _;
use x11rb::xcb_ffi::XCBConnection;

const SIZE: [u32; 2] = [203, 101];
const FIFO: vk::PresentModeKHR = vk::PresentModeKHR::FIFO;
const MODES: [vk::PresentModeKHR; 3] = [FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

/// The program's side of a window, by either library.
trait Program {
    fn window(&self) -> u32;
    fn surface(&self, bed: &Bed) -> vk::SurfaceKHR;
    fn visual_is_supported(&self, bed: &Bed) -> bool;
    /// Without waiting for the server.
    fn resize(&self, size: [u32; 2]);
    fn destroy(&self);
}

/// By libxcb, as x11rb opens it.
struct Xcb {
    connection: XCBConnection,
    window: u32,
    visual: u32,
}

impl Xcb {
    fn open(display: &str) -> Xcb {
        Self::open_at(display, [30, 20])
    }

    fn open_at(display: &str, [x, y]: [i16; 2]) -> Xcb {
        let name = CString::new(display).unwrap();
        let (connection, screen) = XCBConnection::connect(Some(&name)).unwrap();
        let screen = &connection.setup().roots[screen];
        let window = connection.generate_id().unwrap();
        let (copy, input) = (x11rb::COPY_DEPTH_FROM_PARENT, WindowClass::INPUT_OUTPUT);
        let [width, height] = SIZE.map(|n| n as u16);
        let black = CreateWindowAux::new().background_pixel(0);
        // Neither is flushed: the driver must have them sent.
        connection.create_window(copy, window, screen.root, x, y, width, height, 0, input, 0, &black).unwrap();
        connection.map_window(window).unwrap();
        let visual = screen.root_visual;
        Xcb { connection, window, visual }
    }

    /// A window whose pixels have alpha.
    fn translucent(display: &str) -> Xcb {
        let name = CString::new(display).unwrap();
        let (connection, screen) = XCBConnection::connect(Some(&name)).unwrap();
        let screen = &connection.setup().roots[screen];
        let visuals = screen.allowed_depths.iter().filter(|depth| depth.depth == 32).flat_map(|depth| &depth.visuals);
        let visual = visuals.map(|visual| visual.visual_id).next().expect("a visual with alpha");
        let (window, colors) = (connection.generate_id().unwrap(), connection.generate_id().unwrap());
        connection.create_colormap(ColormapAlloc::NONE, colors, screen.root, visual).unwrap();
        let [width, height] = SIZE.map(|n| n as u16);
        let (input, root) = (WindowClass::INPUT_OUTPUT, screen.root);
        let look = CreateWindowAux::new().background_pixel(0).border_pixel(0).colormap(colors);
        connection.create_window(32, window, root, 30, 20, width, height, 0, input, visual, &look).unwrap();
        connection.map_window(window).unwrap();
        Xcb { connection, window, visual }
    }
}

impl Program for Xcb {
    fn window(&self) -> u32 {
        self.window
    }

    fn surface(&self, bed: &Bed) -> vk::SurfaceKHR {
        let connection = self.connection.get_raw_xcb_connection();
        let info = vk::XcbSurfaceCreateInfoKHR::default().connection(connection.cast()).window(self.window);
        // SAFETY: the connection outlives the surface.
        unsafe { ash::khr::xcb_surface::Instance::new(&bed.entry, &bed.instance).create_xcb_surface(&info, None) }
            .unwrap()
    }

    fn visual_is_supported(&self, bed: &Bed) -> bool {
        let of_xcb = ash::khr::xcb_surface::Instance::new(&bed.entry, &bed.instance);
        // SAFETY: an open connection.
        let connection = unsafe { &mut *self.connection.get_raw_xcb_connection().cast::<c_void>() };
        // SAFETY: as above.
        unsafe { of_xcb.get_physical_device_xcb_presentation_support(bed.physical, 0, connection, self.visual) }
    }

    fn resize(&self, [width, height]: [u32; 2]) {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.connection.configure_window(self.window, &size).unwrap();
    }

    fn destroy(&self) {
        self.connection.destroy_window(self.window).unwrap();
        self.connection.sync().unwrap();
    }
}

/// By libX11, which only the program has loaded.
struct Xlib {
    library: Library,
    display: *mut c_void,
    window: c_ulong,
}

impl Xlib {
    /// `F` must be the function's type.
    fn function<F>(library: &Library, name: &str) -> Symbol<F> {
        // SAFETY: the types below are those of Xlib's header; the library stays loaded.
        unsafe { library.get(name.as_bytes()) }.unwrap()
    }

    fn open(display: &str) -> Xlib {
        // SAFETY: Xlib may be loaded by anybody.
        let library = unsafe { Library::open(Some("libX11.so.6"), libloading::os::unix::RTLD_LAZY) }.unwrap();
        let name = CString::new(display).unwrap();
        type Open = unsafe extern "C" fn(*const c_char) -> *mut c_void;
        type Root = unsafe extern "C" fn(*mut c_void) -> c_ulong;
        type Create = unsafe extern "C" fn(
            *mut c_void,
            c_ulong,
            c_int,
            c_int,
            c_uint,
            c_uint,
            c_uint,
            c_ulong,
            c_ulong,
        ) -> c_ulong;
        type OfWindow = unsafe extern "C" fn(*mut c_void, c_ulong) -> c_int;
        // SAFETY: as Xlib's manual has it.
        unsafe {
            let display = Self::function::<Open>(&library, "XOpenDisplay")(name.as_ptr());
            assert!(!display.is_null());
            let root = Self::function::<Root>(&library, "XDefaultRootWindow")(display);
            let create = Self::function::<Create>(&library, "XCreateSimpleWindow");
            let window = create(display, root, 30, 20, SIZE[0], SIZE[1], 0, 0, 0);
            Self::function::<OfWindow>(&library, "XMapWindow")(display, window);
            Xlib { library, display, window }
        }
    }
}

impl Program for Xlib {
    fn window(&self) -> u32 {
        self.window as u32
    }

    fn surface(&self, bed: &Bed) -> vk::SurfaceKHR {
        let info = vk::XlibSurfaceCreateInfoKHR::default().dpy(self.display).window(self.window);
        // SAFETY: the display outlives the surface.
        unsafe { ash::khr::xlib_surface::Instance::new(&bed.entry, &bed.instance).create_xlib_surface(&info, None) }
            .unwrap()
    }

    fn visual_is_supported(&self, bed: &Bed) -> bool {
        type Screen = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
        type Id = unsafe extern "C" fn(*mut c_void) -> c_ulong;
        let of_xlib = ash::khr::xlib_surface::Instance::new(&bed.entry, &bed.instance);
        // SAFETY: as Xlib's manual has it.
        unsafe {
            let screen = Self::function::<Screen>(&self.library, "XDefaultScreenOfDisplay")(self.display);
            let visual = Self::function::<Screen>(&self.library, "XDefaultVisualOfScreen")(screen);
            let id = Self::function::<Id>(&self.library, "XVisualIDFromVisual")(visual);
            let display = &mut *self.display;
            of_xlib.get_physical_device_xlib_presentation_support(bed.physical, 0, display, id as _)
        }
    }

    fn resize(&self, [width, height]: [u32; 2]) {
        type Resize = unsafe extern "C" fn(*mut c_void, c_ulong, c_uint, c_uint) -> c_int;
        // SAFETY: as Xlib's manual has it.
        unsafe { Self::function::<Resize>(&self.library, "XResizeWindow")(self.display, self.window, width, height) };
    }

    fn destroy(&self) {
        type Destroy = unsafe extern "C" fn(*mut c_void, c_ulong) -> c_int;
        type Sync = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
        // SAFETY: as Xlib's manual has it.
        unsafe {
            Self::function::<Destroy>(&self.library, "XDestroyWindow")(self.display, self.window);
            Self::function::<Sync>(&self.library, "XSync")(self.display, 0);
        }
    }
}

impl Drop for Xlib {
    fn drop(&mut self) {
        type Close = unsafe extern "C" fn(*mut c_void) -> c_int;
        let close = Self::function::<Close>(&self.library, "XCloseDisplay");
        // A server that is gone makes Xlib end the process.
        self.display = match std::mem::replace(&mut self.display, null_mut()) {
            display if display.is_null() => display,
            // SAFETY: open, and not used after this.
            display => unsafe {
                close(display);
                null_mut()
            },
        };
    }
}

/// Where the window does not show the picture.
fn difference(server: &XServer, program: &dyn Program, size: [u32; 2], seed: u32) -> Option<String> {
    let shot = server.screenshot(program.window(), size);
    shot.iter().enumerate().find_map(|(i, shown)| {
        let (x, y) = (i as u32 % size[0], i as u32 / size[0]);
        let [r, g, b] = pixel(x, y, seed).map(u32::from);
        (*shown != r << 16 | g << 8 | b).then(|| format!("picture {seed} at ({x}, {y}): {shown:06x}"))
    })
}

/// The window comes to show the picture, all of it.
#[track_caller]
fn shows(server: &XServer, program: &dyn Program, size: [u32; 2], seed: u32) {
    let start = Instant::now();
    while let Some(difference) = difference(server, program, size, seed) {
        assert!(start.elapsed() < PATIENCE, "{difference}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn pictures(open: impl Fn(&str) -> Box<dyn Program>, more: &[&str], bed: &Bed) {
    let server = XServer::start(more);
    let program = open(&server.display);
    let stage = Stage::new(bed, program.surface(bed));
    assert!(program.visual_is_supported(bed));
    let capabilities = stage.capabilities().unwrap();
    assert_eq!(capabilities.current_extent, vk::Extent2D { width: SIZE[0], height: SIZE[1] });
    // SAFETY: valid usage.
    let modes =
        unsafe { stage.of_surface.get_physical_device_surface_present_modes(bed.physical, stage.surface) }.unwrap();
    assert!(modes.contains(&FIFO));
    let mut before: Option<Chain> = None;
    for (n, mode) in modes.into_iter().filter(|mode| MODES.contains(mode)).enumerate() {
        let images = 3.max(capabilities.min_image_count);
        let old = before.as_ref().map_or(vk::SwapchainKHR::null(), |chain| chain.handle);
        let chain = stage.chain(Wanted { old, images, ..Wanted::of(SIZE, mode) }).unwrap();
        before.take().into_iter().for_each(|chain| stage.end(chain));
        let last = 77 + n as u32;
        for seed in [1, 2, 3, 4, last] {
            assert_eq!(stage.show(&chain, seed), Ok(false), "{mode:?}");
        }
        shows(&server, &*program, SIZE, last);
        before = Some(chain);
    }
    before.into_iter().for_each(|chain| stage.end(chain));
    drop(stage);
}

#[test]
fn pictures_show_in_windows_of_xcb() {
    if xserver::there() && can_compile() {
        everywhere("presentation::windows::pictures_show_in_windows_of_xcb", |bed| {
            pictures(|display| Box::new(Xcb::open(display)), &[], bed);
        });
    }
}

#[test]
fn pictures_show_in_windows_of_xlib() {
    if xserver::there() && can_compile() {
        everywhere("presentation::windows::pictures_show_in_windows_of_xlib", |bed| {
            pictures(|display| Box::new(Xlib::open(display)), &[], bed);
        });
    }
}

/// Pictures travel in requests.
#[test]
fn pictures_show_without_shared_memory() {
    if xserver::there() && can_compile() {
        everywhere("presentation::windows::pictures_show_without_shared_memory", |bed| {
            pictures(|display| Box::new(Xcb::open(display)), &["-extension", "MIT-SHM"], bed);
        });
    }
}

/// More bytes than a request of the X server's may have.
#[test]
fn large_pictures_travel_in_strips() {
    if !xserver::there() || !can_compile() {
        return;
    }
    everywhere("presentation::windows::large_pictures_travel_in_strips", |bed| {
        let server = XServer::start(&["-extension", "MIT-SHM", "-maxbigreqsize", "1"]);
        let program = Xcb::open(&server.display);
        let stage = Stage::new(bed, program.surface(bed));
        let size = [630, 470];
        program.resize(size);
        let chain = stage.chain(Wanted::of(size, FIFO)).unwrap();
        assert_eq!(stage.show(&chain, 12), Ok(false));
        shows(&server, &program, size, 12);
        stage.end(chain);
    });
}

/// By shader and by copy, in each format; SRGB is what the bytes are, however they came to be.
#[test]
fn every_format_shows_its_colours() {
    if !xserver::there() || !can_compile() {
        return;
    }
    everywhere("presentation::windows::every_format_shows_its_colours", |bed| {
        let server = XServer::start(&[]);
        let program = Xcb::open(&server.display);
        let stage = Stage::new(bed, program.surface(bed));
        // SAFETY: valid usage.
        let formats =
            unsafe { stage.of_surface.get_physical_device_surface_formats(bed.physical, stage.surface) }.unwrap();
        let (bgra, rgba) = (vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM);
        let cases = [
            (bgra, bgra, [2, 1, 0]),
            (rgba, rgba, [0, 1, 2]),
            (vk::Format::B8G8R8A8_SRGB, bgra, [2, 1, 0]),
            (vk::Format::R8G8B8A8_SRGB, rgba, [0, 1, 2]),
        ];
        for (n, (format, view, order)) in cases.into_iter().enumerate() {
            let offered = formats.iter().any(|f| f.format == format);
            assert!(offered || bed.way == Way::Lavapipe, "{format:?}");
            // Distributions' layers do not know that a swapchain may have the usage of its views.
            if !offered || bed.way == Way::Layered && view != format {
                continue;
            }
            let chain = stage.chain(Wanted { format, view, ..Wanted::of(SIZE, FIFO) }).unwrap();
            let seed = 20 + 2 * n as u32;
            if chain.can_paint() {
                assert_eq!(stage.show(&chain, seed), Ok(false));
                shows(&server, &program, SIZE, seed);
            }
            let image = stage.acquire(&chain, PATIENCE_NS).unwrap();
            let copy = stage.copy(&chain, image, seed + 1, order);
            assert_eq!(stage.present(&chain, image, copy, None), Ok(false));
            shows(&server, &program, SIZE, seed + 1);
            stage.end(chain);
        }
    });
}

#[test]
fn a_resized_window_wants_a_new_swapchain() {
    if !xserver::there() || !can_compile() {
        return;
    }
    everywhere("presentation::windows::a_resized_window_wants_a_new_swapchain", |bed| {
        // When a driver notices is its own affair: this one at once.
        if bed.way == Way::Lavapipe {
            return;
        }
        let server = XServer::start(&[]);
        for program in [Box::new(Xcb::open(&server.display)) as Box<dyn Program>, Box::new(Xlib::open(&server.display))]
        {
            let stage = Stage::new(bed, program.surface(bed));
            // Not over the first.
            let other = Xcb::open_at(&server.display, [400, 300]);
            let other_stage = Stage::new(bed, other.surface(bed));
            let (old, steady) = (stage.chain(Wanted::of(SIZE, FIFO)), other_stage.chain(Wanted::of(SIZE, FIFO)));
            let (old, steady) = (old.unwrap(), steady.unwrap());
            assert_eq!(stage.show(&old, 1), Ok(false));
            shows(&server, &*program, SIZE, 1);
            let held = stage.acquire(&old, PATIENCE_NS).unwrap();
            let of_steady = other_stage.acquire(&steady, PATIENCE_NS).unwrap();
            bed.submit(stage.paint(&old, held, 2));
            bed.submit(other_stage.paint(&steady, of_steady, 2));
            let size = [SIZE[0] + 40, SIZE[1] - 30];
            program.resize(size);
            // Asking has the program's requests sent.
            let extent = stage.capabilities().unwrap().current_extent;
            assert_eq!([extent.width, extent.height], size);
            assert_eq!(stage.acquire(&old, 0), Err(vk::Result::ERROR_OUT_OF_DATE_KHR));
            // Each swapchain has a result of its own.
            let (chains, images) = ([steady.handle, old.handle], [of_steady, held]);
            let mut results = [vk::Result::ERROR_UNKNOWN; 2];
            let mut info =
                vk::PresentInfoKHR::default().swapchains(&chains).image_indices(&images).results(&mut results);
            let fences = [0, 1].map(|_| stage.fence());
            let mut over = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
            let fenced = bed.has(ash::ext::swapchain_maintenance1::NAME);
            if fenced {
                info = info.push_next(&mut over);
            }
            // SAFETY: valid usage.
            let all = unsafe { stage.of_chain.queue_present(stage.queue, &info) };
            assert_eq!(all, Err(vk::Result::ERROR_OUT_OF_DATE_KHR));
            // Nothing was shown in one of them, and what it used is free all the same.
            fences.iter().filter(|_| fenced).for_each(|fence| stage.wait(*fence));
            assert_eq!(results, [vk::Result::SUCCESS, vk::Result::ERROR_OUT_OF_DATE_KHR]);
            shows(&server, &other, SIZE, 2);
            let new = stage.chain(Wanted { old: old.handle, ..Wanted::of(size, FIFO) }).unwrap();
            stage.end(old);
            assert_eq!(stage.show(&new, 3), Ok(false));
            shows(&server, &*program, size, 3);
            stage.end(new);
            other_stage.end(steady);
        }
    });
}

#[test]
fn a_window_that_is_gone_loses_the_surface() {
    if !xserver::there() || !can_compile() {
        return;
    }
    everywhere("presentation::windows::a_window_that_is_gone_loses_the_surface", |bed| {
        if bed.way == Way::Lavapipe {
            return;
        }
        let lost = vk::Result::ERROR_SURFACE_LOST_KHR;
        let server = XServer::start(&[]);
        for program in [Box::new(Xcb::open(&server.display)) as Box<dyn Program>, Box::new(Xlib::open(&server.display))]
        {
            let stage = Stage::new(bed, program.surface(bed));
            let chain = stage.chain(Wanted::of(SIZE, FIFO)).unwrap();
            assert_eq!(stage.show(&chain, 1), Ok(false));
            let held = stage.acquire(&chain, PATIENCE_NS).unwrap();
            program.destroy();
            let commands = stage.paint(&chain, held, 2);
            assert_eq!(stage.present(&chain, held, commands, Some(7)), Err(lost));
            assert_eq!(stage.acquire(&chain, u64::MAX), Err(lost));
            assert_eq!(stage.wait_shown(&chain, 7, u64::MAX), lost);
            assert_eq!(stage.capabilities().err(), Some(lost));
            // The layer knows that no surface without capabilities can have a swapchain.
            if bed.way == Way::Linked {
                let again = stage.chain(Wanted { old: chain.handle, ..Wanted::of(SIZE, FIFO) });
                assert_eq!(again.err(), Some(lost));
            }
            stage.end(chain);
        }
    });
}

/// A window can go while its pictures are on their way.
#[test]
fn a_window_that_goes_under_its_pictures_loses_the_surface() {
    if !xserver::there() || !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let server = XServer::start(&[]);
    let program = Xcb::open(&server.display);
    let stage = Stage::new(&bed, program.surface(&bed));
    let chain = stage.chain(Wanted::of(SIZE, FIFO)).unwrap();
    for (id, seed) in [(1, 1), (2, 2), (3, 3)] {
        let image = stage.acquire(&chain, PATIENCE_NS).unwrap();
        assert_eq!(stage.present(&chain, image, stage.paint(&chain, image, seed), Some(id)), Ok(false));
    }
    program.destroy();
    let waited = stage.wait_shown(&chain, 4, PATIENCE_NS);
    let after = stage.acquire(&chain, PATIENCE_NS);
    assert_eq!(after, Err(vk::Result::ERROR_SURFACE_LOST_KHR), "waited: {waited:?}");
    stage.end(chain);
}

#[test]
fn a_server_that_is_gone_loses_the_surface() {
    if !xserver::there() || !can_compile() {
        return;
    }
    let bed = Bed::linked();
    for more in [&[][..], &["-extension", "MIT-SHM"]] {
        let mut server = XServer::start(more);
        let program = Xcb::open(&server.display);
        let stage = Stage::new(&bed, program.surface(&bed));
        let chain = stage.chain(Wanted::of(SIZE, FIFO)).unwrap();
        assert_eq!(stage.show(&chain, 1), Ok(false));
        let held = stage.acquire(&chain, PATIENCE_NS).unwrap();
        server.kill();
        let commands = stage.paint(&chain, held, 2);
        assert_eq!(stage.present(&chain, held, commands, None), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
        assert_eq!(stage.acquire(&chain, u64::MAX), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
        assert_eq!(stage.capabilities().err(), Some(vk::Result::ERROR_SURFACE_LOST_KHR));
        stage.end(chain);
    }
}

/// Pixels of two bytes: nothing is shown there, and nothing is offered.
#[test]
fn windows_of_few_colours_are_not_presentable() {
    if !xserver::there() || !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let server = XServer::start(&["-screen", "0", "640x480x16"]);
    let program = Xcb::open(&server.display);
    assert!(!program.visual_is_supported(&bed));
    let of_surface = ash::khr::surface::Instance::new(&bed.entry, &bed.instance);
    let surface = program.surface(&bed);
    // SAFETY: valid usage.
    unsafe {
        assert_eq!(of_surface.get_physical_device_surface_support(bed.physical, 0, surface), Ok(false));
        assert_eq!(of_surface.get_physical_device_surface_formats(bed.physical, surface).unwrap(), []);
        of_surface.destroy_surface(surface, None);
    }
}

/// A screen of 25 blanks a second, which its server says.
#[test]
fn pictures_follow_the_rate_of_their_screen() {
    if !xserver::there() || !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let server = XServer::start(&[]);
    server.set_rate(25);
    let program = Xcb::open(&server.display);
    let stage = Stage::new(&bed, program.surface(&bed));
    let chain = stage.chain(Wanted::of(SIZE, FIFO)).unwrap();
    let start = Instant::now();
    for id in 1..=6 {
        let image = stage.acquire(&chain, PATIENCE_NS).unwrap();
        let commands = stage.paint(&chain, image, id as u32);
        assert_eq!(stage.present(&chain, image, commands, Some(id)), Ok(false));
    }
    assert_eq!(stage.wait_shown(&chain, 6, PATIENCE_NS), vk::Result::SUCCESS);
    assert!(start.elapsed() >= Duration::from_millis(5 * 40), "six pictures in {:?}", start.elapsed());
    stage.end(chain);
}

/// Nobody has such a window, or such a server.
#[test]
fn what_is_no_window_is_no_surface() {
    if !xserver::there() || !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let mut server = XServer::start(&[]);
    let program = Xcb::open(&server.display);
    let of_xcb = ash::khr::xcb_surface::Instance::new(&bed.entry, &bed.instance);
    let connection = program.connection.get_raw_xcb_connection().cast::<c_void>();
    let make = |connection: *mut c_void, window| {
        let info = vk::XcbSurfaceCreateInfoKHR::default().connection(connection).window(window);
        // SAFETY: what is wrong with it is what is asked.
        unsafe { of_xcb.create_xcb_surface(&info, None) }.err()
    };
    let failed = Some(vk::Result::ERROR_INITIALIZATION_FAILED);
    assert_eq!(make(connection, program.window + 1000), failed);
    assert_eq!(make(null_mut(), program.window), failed);
    server.kill();
    assert_eq!(make(connection, program.window), failed);
}

/// A window that shows what is behind it: alpha is the program's, or nobody's.
#[test]
fn alpha_counts_where_it_is_asked_to() {
    if !xserver::there() || !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let server = XServer::start(&[]);
    let program = Xcb::translucent(&server.display);
    let stage = Stage::new(&bed, program.surface(&bed));
    let offered = stage.capabilities().unwrap().supported_composite_alpha;
    let (opaque, own) = (vk::CompositeAlphaFlagsKHR::OPAQUE, vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED);
    assert!(offered.contains(opaque | own));
    for (alpha, expected) in [(opaque, 0xff), (own, 0x7f)] {
        let chain = stage.chain(Wanted { alpha, ..Wanted::of(SIZE, FIFO) }).unwrap();
        let image = stage.acquire(&chain, PATIENCE_NS).unwrap();
        let copy = stage.copy(&chain, image, 4, [2, 1, 0]);
        assert_eq!(stage.present(&chain, image, copy, Some(1)), Ok(false));
        assert_eq!(stage.wait_shown(&chain, 1, PATIENCE_NS), vk::Result::SUCCESS);
        let pixels = server.pixels(program.window(), SIZE);
        let [r, g, b] = pixel(3, 2, 4).map(u32::from);
        assert_eq!(pixels[(2 * SIZE[0] + 3) as usize], expected << 24 | r << 16 | g << 8 | b);
        stage.end(chain);
    }
}
