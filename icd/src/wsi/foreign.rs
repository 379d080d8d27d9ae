//! The program's connection to its X server, through the library that the program made it with: which server it is, and that
//! requests have reached it; and its connection to a Wayland compositor, which is spoken on. All `unsafe` of the window systems is here.
//!
//! Invariant: no library is loaded for this. A function is looked for in the library if the process has it, under whatever
//! namespace, and in the program itself; where there is none, the answer is that nobody knows.

use libloading::os::unix::{Library, RTLD_LAZY, Symbol};
use rustix::net::getpeername;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;
use wayland_backend::client::{Backend, ObjectId};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Proxy as _};

/// Of dlopen: only if it is loaded already.
const RTLD_NOLOAD: c_int = 4;

const XCB: &str = "libxcb.so.1";
const XLIB: &str = "libX11.so.6";
const WAYLAND: &str = "libwayland-client.so.0";

/// The program's connection.
pub enum Client {
    /// An xcb_connection_t.
    Xcb(NonNull<c_void>),
    /// An Xlib Display.
    Xlib(NonNull<c_void>),
}
// SAFETY: both libraries let any thread use a connection, Xlib once the program has called XInitThreads (or since 1.8 by
// itself), which programs of several threads must.
unsafe impl Send for Client {}
// SAFETY: as above.
unsafe impl Sync for Client {}

/// A function of a library that stays loaded as long as this lives.
struct Function<F> {
    symbol: Symbol<F>,
    _library: Library,
}

/// `F` is the type of the function of that name.
fn find<F>(library: &str, name: &CStr) -> Option<Function<F>> {
    // SAFETY: a library that is loaded already runs no code for this.
    let loaded = unsafe { Library::open(Some(library), RTLD_LAZY | RTLD_NOLOAD) }.ok();
    [loaded, Some(Library::this())].into_iter().flatten().find_map(|library| {
        // SAFETY: callers give the type that the library's header declares, and Symbol is used while the library is open.
        let symbol = unsafe { library.get::<F>(name.to_bytes_with_nul()) }.ok()?;
        Some(Function { symbol, _library: library })
    })
}

type OfConnection<T> = unsafe extern "C" fn(*mut c_void) -> T;

impl Client {
    /// Names by which the server may be reached, the surest first.
    pub fn displays(&self) -> Vec<String> {
        let own = std::env::var("DISPLAY").ok();
        let mut names: Vec<String> = [self.name(), self.peer(), own].into_iter().flatten().collect();
        names.dedup();
        names
    }

    /// The name that the program opened the display by.
    fn name(&self) -> Option<String> {
        let Client::Xlib(display) = self else { return None };
        let name = find::<OfConnection<*const c_char>>(XLIB, c"XDisplayString")?;
        // SAFETY: XDisplayString(Display *) of Xlib; the display is open while the surface is in use (valid usage).
        let text = unsafe { (name.symbol)(display.as_ptr()) };
        // SAFETY: null, or a string that lives as long as the display.
        let text = unsafe { text.as_ref().map(|text| CStr::from_ptr(text)) };
        Some(text?.to_str().ok()?.to_owned())
    }

    /// The display at the other end of the connection's socket.
    fn peer(&self) -> Option<String> {
        let fd = match self {
            Client::Xcb(connection) => {
                let fd = find::<OfConnection<c_int>>(XCB, c"xcb_get_file_descriptor")?;
                // SAFETY: of the library's type; the connection is open while the surface is in use (valid usage).
                unsafe { (fd.symbol)(connection.as_ptr()) }
            }
            Client::Xlib(display) => {
                let fd = find::<OfConnection<c_int>>(XLIB, c"XConnectionNumber")?;
                // SAFETY: as above.
                unsafe { (fd.symbol)(display.as_ptr()) }
            }
        };
        if fd < 0 {
            return None;
        }
        // SAFETY: the open connection's descriptor, which stays open during this call.
        let address = getpeername(unsafe { BorrowedFd::borrow_raw(fd) }).ok()??;
        display_at(&address)
    }

    /// Returns when the server has met every request that the program has made so far.
    pub fn settle(&self) {
        match self {
            Client::Xcb(connection) => {
                let ask = find::<OfConnection<Cookie>>(XCB, c"xcb_get_input_focus");
                let answer = find::<OfReply>(XCB, c"xcb_get_input_focus_reply");
                if let (Some(ask), Some(answer)) = (ask, answer) {
                    // SAFETY: of the library's types; the connection is open (valid usage); null asks for no error.
                    let reply = unsafe {
                        let cookie = (ask.symbol)(connection.as_ptr());
                        (answer.symbol)(connection.as_ptr(), cookie, std::ptr::null_mut())
                    };
                    // SAFETY: null, or from malloc, and the caller's.
                    unsafe { free(reply) };
                }
            }
            Client::Xlib(display) => {
                if let Some(sync) = find::<unsafe extern "C" fn(*mut c_void, c_int) -> c_int>(XLIB, c"XSync") {
                    // SAFETY: XSync(Display *, Bool) of Xlib; the display is open (valid usage); events are kept.
                    unsafe { (sync.symbol)(display.as_ptr(), 0) };
                }
            }
        }
    }
}

/// xcb_get_input_focus_cookie_t.
#[repr(C)]
struct Cookie {
    sequence: u32,
}

type OfReply = unsafe extern "C" fn(*mut c_void, Cookie, *mut *mut c_void) -> *mut c_void;

unsafe extern "C" {
    /// The process's, with which the program's libraries allocate too.
    fn free(memory: *mut c_void);
}

/// Whether the process has Wayland's library: without it, no connection is of its kind.
pub fn has_wayland() -> bool {
    // SAFETY: a library that is loaded already runs no code for this.
    unsafe { Library::open(Some(WAYLAND), RTLD_LAZY | RTLD_NOLOAD) }.is_ok()
}

/// The program's wl_display and wl_surface.
pub fn wayland(display: NonNull<c_void>, surface: NonNull<c_void>) -> Result<(Connection, WlSurface), String> {
    if !has_wayland() {
        return Err(format!("the process has not loaded {WAYLAND}, so its wl_display is of another kind"));
    }
    // SAFETY: a wl_display that is connected while the surface is in use (valid usage), of the library that is loaded.
    let backend = unsafe { Backend::from_foreign_display(display.as_ptr().cast()) };
    // SAFETY: a wl_surface that lives as long (valid usage).
    let id = unsafe { ObjectId::from_ptr(WlSurface::interface(), surface.as_ptr().cast()) };
    let connection = Connection::from_backend(backend);
    let surface = WlSurface::from_id(&connection, id.map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    Ok((connection, surface))
}

/// The display of a server that listens at an address.
fn display_at(address: &rustix::net::SocketAddrAny) -> Option<String> {
    use rustix::net::{SocketAddr, SocketAddrUnix};
    const FIRST_PORT: u16 = 6000;
    if let Ok(unix) = SocketAddrUnix::try_from(address.clone()) {
        let path = unix.path_bytes().or(unix.abstract_name())?;
        let (_, number) = std::str::from_utf8(path).ok()?.rsplit_once("/X")?;
        return Some(format!(":{}", number.parse::<u16>().ok()?));
    }
    let internet = SocketAddr::try_from(address.clone()).ok()?;
    Some(format!("{}:{}", internet.ip(), internet.port().checked_sub(FIRST_PORT)?))
}
