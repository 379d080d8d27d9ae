//! A window of the X server that `DISPLAY` names. libxcb is looked for when there is a window to open, and no sooner.

use crate::host::Error;
use std::ffi::c_void;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, WindowClass};
use x11rb::wrapper::ConnectionExt as _;
use x11rb::xcb_ffi::{XCBConnection, load_libxcb};

pub struct Window {
    connection: XCBConnection,
    id: u32,
    /// The message of a window manager that its close button sends.
    close: u32,
}

/// What the user did.
#[derive(Clone, Copy, Debug, Default)]
pub struct News {
    pub closed: bool,
    /// What the window showed may be gone.
    pub exposed: bool,
    /// Of the window, where it may have changed.
    pub size: Option<[u32; 2]>,
}

/// Of a server that answered before.
fn failed(e: impl std::fmt::Display) -> Error {
    Error::Driver { what: "the X server", why: format!("it is gone, or refuses ({e})") }
}

/// The server, and which of its screens.
fn connect() -> Result<(XCBConnection, usize), Error> {
    let refuse = |why: String| Error::Driver { what: "no window", why };
    load_libxcb().map_err(|e| refuse(format!("{e}; install libxcb.so.1 (Debian: libxcb1), or leave --window out")))?;
    let Some(display) = std::env::var_os("DISPLAY").filter(|name| !name.is_empty()) else {
        return Err(refuse("DISPLAY is not set; set it to an X server's, as :0, or leave --window out".to_owned()));
    };
    XCBConnection::connect(None).map_err(|e| {
        let display = display.display();
        refuse(format!(
            "display {display} does not open ({e}); set DISPLAY to that of an X server that runs, or leave --window out"
        ))
    })
}

impl Window {
    pub fn open(title: &str, [width, height]: [u32; 2]) -> Result<Window, Error> {
        let (connection, screen) = connect()?;
        let screen = &connection.setup().roots[screen];
        let (root, black) = (screen.root, screen.black_pixel);
        let id = connection.generate_id().map_err(failed)?;
        let (depth, input) = (x11rb::COPY_DEPTH_FROM_PARENT, WindowClass::INPUT_OUTPUT);
        let events = EventMask::EXPOSURE | EventMask::STRUCTURE_NOTIFY;
        let look = CreateWindowAux::new().background_pixel(black).event_mask(events);
        let (width, height) = (width as u16, height as u16);
        connection.create_window(depth, id, root, 0, 0, width, height, 0, input, 0, &look).map_err(failed)?;
        let atom = |name: &[u8]| -> Result<u32, Error> {
            Ok(connection.intern_atom(false, name).map_err(failed)?.reply().map_err(failed)?.atom)
        };
        let (protocols, close) = (atom(b"WM_PROTOCOLS")?, atom(b"WM_DELETE_WINDOW")?);
        let (replace, string) = (PropMode::REPLACE, AtomEnum::STRING);
        connection.change_property32(replace, id, protocols, AtomEnum::ATOM, &[close]).map_err(failed)?;
        connection.change_property8(replace, id, AtomEnum::WM_NAME, string, title.as_bytes()).map_err(failed)?;
        connection.map_window(id).map_err(failed)?;
        connection.flush().map_err(failed)?;
        Ok(Window { connection, id, close })
    }

    /// What has happened since last asked.
    pub fn news(&self) -> Result<News, Error> {
        let mut news = News::default();
        while let Some(event) = self.connection.poll_for_event().map_err(failed)? {
            match event {
                Event::ClientMessage(message) if message.data.as_data32()[0] == self.close => news.closed = true,
                Event::DestroyNotify(_) => news.closed = true,
                Event::Expose(_) => news.exposed = true,
                Event::ConfigureNotify(now) => news.size = Some([now.width.into(), now.height.into()]),
                _ => {}
            }
        }
        Ok(news)
    }

    /// The xcb_connection_t and the window, as VkXcbSurfaceCreateInfoKHR wants them.
    pub fn xcb(&self) -> (*mut c_void, u32) {
        (self.connection.get_raw_xcb_connection().cast(), self.id)
    }
}
