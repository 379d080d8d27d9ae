//! Windows of an X server (VK_KHR_xcb_surface, VK_KHR_xlib_surface).
//!
//! The program's connection is its own: pictures go to its window through one of ours, made in Rust, for a window's number
//! means the same to every client of a server. Where both sides share memory (MIT-SHM 1.2) a picture is written to a file in
//! memory that the server has mapped; elsewhere it travels in the requests. Each picture ends with a round trip, so that its
//! memory is free again and errors are known.

mod stream;

use super::Window;
use super::foreign::Client;
use super::headless::{ALL_MODES, REFRESH};
use ash::vk;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::time::Duration;
use stream::Stream;
use wavepipe_runtime::swapchain::{Arrangement, Channels, Condition, Picture, PresentMode, Screen};
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::randr::{self, ConnectionExt as _};
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, ImageFormat, ImageOrder, Setup, VisualClass};
use x11rb::rust_connection::RustConnection;

type Connection = RustConnection<Stream>;

/// A window of the program.
pub struct XWindow {
    client: Client,
    connection: Arc<Connection>,
    window: u32,
    depth: u8,
    /// What the bytes of its pixels are; `None`: something that no picture is made for.
    pixel: Option<Channels>,
}

impl XWindow {
    /// Finds the window on the program's server.
    ///
    /// # Errors
    /// What was tried, in words.
    pub fn new(client: Client, window: u32) -> Result<XWindow, String> {
        client.settle();
        let mut tried = Vec::new();
        for name in client.displays() {
            match stream::connect(&name).and_then(|connection| Self::on(connection, window)) {
                Ok((connection, depth, pixel)) => {
                    return Ok(XWindow { client, connection: Arc::new(connection), window, depth, pixel });
                }
                Err(why) => tried.push(format!("display {name}: {why}")),
            }
        }
        if tried.is_empty() {
            tried.push("nothing says where the X server is; DISPLAY is not set".into());
        }
        Err(format!("window {window:#x}: {}", tried.join("; ")))
    }

    fn on(connection: Connection, window: u32) -> Result<(Connection, u8, Option<Channels>), String> {
        let attributes = connection.get_window_attributes(window).map_err(|e| e.to_string())?;
        let attributes = attributes.reply().map_err(|e| e.to_string())?;
        let pixel = channels(connection.setup(), attributes.visual);
        let geometry = connection.get_geometry(window).map_err(|e| e.to_string())?;
        let depth = geometry.reply().map_err(|e| e.to_string())?.depth;
        Ok((connection, depth, pixel))
    }

    fn has_alpha(&self) -> bool {
        self.depth == 32
    }
}

/// Whether pictures can be shown in windows of a visual.
pub fn is_presentable(client: &Client, visual: u32) -> bool {
    let connected = client.displays().into_iter().find_map(|name| stream::connect(&name).ok());
    connected.is_some_and(|connection| channels(connection.setup(), visual).is_some())
}

/// The bytes of a visual's pixels, if they are four, of which each colour has one.
fn channels(setup: &Setup, visual: u32) -> Option<Channels> {
    let depths = setup.roots.iter().flat_map(|screen| &screen.allowed_depths);
    let mut all = depths.flat_map(|depth| depth.visuals.iter().map(|visual| (depth.depth, visual)));
    let (depth, visual) = all.find(|(_, v)| v.visual_id == visual)?;
    let format = setup.pixmap_formats.iter().find(|format| format.depth == depth)?;
    if format.bits_per_pixel != 32 || !matches!(visual.class, VisualClass::TRUE_COLOR | VisualClass::DIRECT_COLOR) {
        return None;
    }
    let masks = [visual.red_mask, visual.green_mask, visual.blue_mask];
    match (masks, setup.image_byte_order) {
        ([0xff_0000, 0xff00, 0xff], ImageOrder::LSB_FIRST) => Some(Channels::Bgra),
        ([0xff_0000, 0xff00, 0xff], ImageOrder::MSB_FIRST) => Some(Channels::Argb),
        ([0xff, 0xff00, 0xff_0000], ImageOrder::LSB_FIRST) => Some(Channels::Rgba),
        ([0xff, 0xff00, 0xff_0000], ImageOrder::MSB_FIRST) => Some(Channels::Abgr),
        _ => None,
    }
}

/// Of a server that answers no more, or says that a window is not there.
fn gone<E>(_: E) -> Condition {
    Condition::Lost
}

impl Window for XWindow {
    fn extent(&self) -> Result<Option<[u32; 2]>, Condition> {
        let geometry = self.connection.get_geometry(self.window).map_err(gone)?.reply().map_err(gone)?;
        Ok(Some([geometry.width.into(), geometry.height.into()]))
    }

    fn alphas(&self) -> vk::CompositeAlphaFlagsKHR {
        let own = if self.has_alpha() {
            vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED
        } else {
            vk::CompositeAlphaFlagsKHR::empty()
        };
        own | vk::CompositeAlphaFlagsKHR::OPAQUE | vk::CompositeAlphaFlagsKHR::INHERIT
    }

    fn modes(&self) -> &'static [vk::PresentModeKHR] {
        ALL_MODES
    }

    fn is_presentable(&self) -> bool {
        self.pixel.is_some()
    }

    fn settle(&self) {
        self.client.settle();
    }

    fn screen(&self, extent: [u32; 2], _: PresentMode, opaque: bool) -> Result<Box<dyn Screen>, Condition> {
        let pixel = self.pixel.ok_or(Condition::Lost)?;
        let opaque = opaque && self.has_alpha();
        let gc = self.connection.generate_id().map_err(gone)?;
        // No events of exposed areas: nothing is copied from a window.
        let quiet = CreateGCAux::new().graphics_exposures(0);
        self.connection.create_gc(gc, self.window, &quiet).map_err(gone)?.check().map_err(gone)?;
        let shared = Shared::new(&self.connection, extent);
        let (connection, window, depth) = (self.connection.clone(), self.window, self.depth);
        let period = refresh(&connection, window);
        Ok(Box::new(XScreen { connection, window, depth, gc, pixel, opaque, shared, period }))
    }
}

/// Memory that the server has mapped.
struct Shared {
    file: File,
    segment: shm::Seg,
}

impl Shared {
    /// For pictures of that size; `None` if the server is elsewhere, or does not share memory.
    fn new(connection: &Connection, [width, height]: [u32; 2]) -> Option<Shared> {
        if !connection.stream().is_local() {
            return None;
        }
        connection.extension_information(shm::X11_EXTENSION_NAME).ok()??;
        let version = connection.shm_query_version().ok()?.reply().ok()?;
        if (version.major_version, version.minor_version) < (1, 2) {
            return None;
        }
        let file = memfd_create("wavepipe window", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).ok()?;
        ftruncate(&file, u64::from(width) * u64::from(height) * 4).ok()?;
        fcntl_add_seals(&file, SealFlags::SHRINK).ok()?;
        let segment = connection.generate_id().ok()?;
        let theirs = file.try_clone().ok()?;
        connection.shm_attach_fd(segment, theirs, true).ok()?.check().ok()?;
        Some(Shared { file: file.into(), segment })
    }
}

/// What shows pictures in a window.
struct XScreen {
    connection: Arc<Connection>,
    window: u32,
    depth: u8,
    gc: u32,
    pixel: Channels,
    opaque: bool,
    shared: Option<Shared>,
    period: Duration,
}

/// From blank to blank of the screen that the window is on, where the server tells a rate that a display can have.
fn refresh(connection: &Connection, window: u32) -> Duration {
    let told = || {
        connection.extension_information(randr::X11_EXTENSION_NAME).ok()??;
        // Rates are told to clients that ask for a version that has them.
        connection.randr_query_version(1, 1).ok()?.reply().ok()?;
        let screen = connection.randr_get_screen_info(window).ok()?.reply().ok()?;
        Some(Duration::from_secs(1) / Some(screen.rate).filter(|rate| (20..=1000).contains(rate))?.into())
    };
    told().unwrap_or(REFRESH)
}

impl XScreen {
    fn put_shared(&self, shared: &Shared, picture: &Picture<'_>) -> Result<(), Condition> {
        let [width, height] = picture.extent.map(|n| n as u16);
        shared.file.write_all_at(picture.pixels, 0).map_err(gone)?;
        let (format, segment) = (u8::from(ImageFormat::Z_PIXMAP), shared.segment);
        let sent = self.connection.shm_put_image(
            self.window,
            self.gc,
            width,
            height,
            0,
            0,
            width,
            height,
            0,
            0,
            self.depth,
            format,
            false,
            segment,
            0,
        );
        sent.map_err(gone)?.check().map_err(gone)
    }

    /// As many rows at a time as a request holds.
    fn put(&self, picture: &Picture<'_>) -> Result<(), Condition> {
        /// Of a PutImage besides its rows, with room to spare.
        const HEAD: usize = 64;
        let [width, height] = picture.extent;
        let pitch = width as usize * 4;
        let rows = ((self.connection.maximum_request_bytes().saturating_sub(HEAD)) / pitch).clamp(1, height as usize);
        for (n, strip) in picture.pixels.chunks(rows * pitch).enumerate() {
            let (y, count) = ((n * rows) as i16, (strip.len() / pitch) as u16);
            let sent = self.connection.put_image(
                ImageFormat::Z_PIXMAP,
                self.window,
                self.gc,
                width as u16,
                count,
                0,
                y,
                0,
                self.depth,
                strip,
            );
            sent.map_err(gone)?.check().map_err(gone)?;
        }
        Ok(())
    }
}

impl Screen for XScreen {
    fn arrangement(&self, texel: Channels) -> Arrangement {
        Arrangement::new(texel, self.pixel, self.opaque)
    }

    fn period(&self) -> Option<Duration> {
        Some(self.period)
    }

    fn show(&mut self, picture: &Picture<'_>) -> Result<(), Condition> {
        match &self.shared {
            Some(shared) => self.put_shared(shared, picture),
            None => self.put(picture),
        }
    }
}

impl Drop for XScreen {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            let _ = self.connection.shm_detach(shared.segment).map(|sent| sent.ignore_error());
        }
        let _ = self.connection.free_gc(self.gc).map(|sent| sent.ignore_error());
        let _ = self.connection.flush();
    }
}
