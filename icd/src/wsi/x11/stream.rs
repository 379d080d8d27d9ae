//! The socket to an X server. As x11rb's own, but that a server which is gone is an error and never SIGPIPE, which would end
//! a program that is not in Rust.

use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrAny, getsockname, sendmsg};
use std::io::{IoSlice, Result};
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use x11rb::reexports::x11rb_protocol::parse_display::parse_display;
use x11rb::reexports::x11rb_protocol::xauth::get_auth;
use x11rb::rust_connection::{DefaultStream, PollMode, RustConnection, Stream as XStream};
use x11rb::utils::RawFdContainer;

pub struct Stream(DefaultStream);

/// A connection of our own to a display, which `DISPLAY`'s syntax names.
pub fn connect(name: &str) -> std::result::Result<RustConnection<Stream>, String> {
    let parsed = parse_display(Some(name)).map_err(|e| e.to_string())?;
    let mut failed = "its name has no address".to_owned();
    for address in parsed.connect_instruction() {
        match DefaultStream::connect(&address) {
            Ok((stream, (family, host))) => {
                // Without leave, the server says whether it wants one.
                let leave = get_auth(family, &host, parsed.display).ok().flatten();
                let (name, data) = leave.unwrap_or_default();
                let screen = parsed.screen.into();
                let connected = RustConnection::connect_to_stream_with_auth_info(Stream(stream), screen, name, data);
                return connected.map_err(|e| e.to_string());
            }
            Err(e) => failed = e.to_string(),
        }
    }
    Err(failed)
}

impl Stream {
    /// Whether both ends are on one machine, and can hand file descriptors over.
    pub fn is_local(&self) -> bool {
        let address: std::result::Result<SocketAddrAny, Errno> = getsockname(self.0.as_fd());
        address.is_ok_and(|address| address.address_family() == rustix::net::AddressFamily::UNIX)
    }
}

impl XStream for Stream {
    fn poll(&self, mode: PollMode) -> Result<()> {
        self.0.poll(mode)
    }

    fn read(&self, bytes: &mut [u8], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.0.read(bytes, fds)
    }

    fn write(&self, bytes: &[u8], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)], fds)
    }

    fn write_vectored(&self, parts: &[IoSlice<'_>], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        let given: Vec<_> = fds.iter().map(|fd| fd.as_fd()).collect();
        let rights = SendAncillaryMessage::ScmRights(&given);
        let mut space = vec![MaybeUninit::uninit(); if given.is_empty() { 0 } else { rights.size() }];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !given.is_empty() {
            control.push(rights);
        }
        loop {
            match sendmsg(self.0.as_fd(), parts, &mut control, SendFlags::NOSIGNAL) {
                Ok(sent) => {
                    fds.clear();
                    return Ok(sent);
                }
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }
}
