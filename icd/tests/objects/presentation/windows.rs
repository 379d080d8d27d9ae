//! Windows of an X server, through libxcb and through Xlib, pixel by pixel.

use super::xserver::{self, XServer};
use super::{Chain, Stage, Wanted, pixel};
use crate::bed::{Bed, can_compile, everywhere};
use ash::vk;
use libloading::os::unix::{Library, Symbol};
use std::ffi::{CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, WindowClass};
use x11rb::wrapper::ConnectionExt as _;
use x11rb::xcb_ffi::XCBConnection;

const SIZE: [u32; 2] = [203, 101];
const FIFO: vk::PresentModeKHR = vk::PresentModeKHR::FIFO;
const MODES: [vk::PresentModeKHR; 3] = [FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];
/// Longer than anything but a picture that never comes.
const PATIENCE: Duration = Duration::from_secs(30);

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
        let name = CString::new(display).unwrap();
        let (connection, screen) = XCBConnection::connect(Some(&name)).unwrap();
        let screen = &connection.setup().roots[screen];
        let window = connection.generate_id().unwrap();
        let (copy, input) = (x11rb::COPY_DEPTH_FROM_PARENT, WindowClass::INPUT_OUTPUT);
        let [width, height] = SIZE.map(|n| n as u16);
        let black = CreateWindowAux::new().background_pixel(0);
        // Neither is flushed: the driver must have them sent.
        connection.create_window(copy, window, screen.root, 30, 20, width, height, 0, input, 0, &black).unwrap();
        connection.map_window(window).unwrap();
        let visual = screen.root_visual;
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
