//! An X server of the test's own, and what its screen shows.

use crate::bed::skip;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use x11rb::connection::Connection as _;
use x11rb::protocol::randr::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};
use x11rb::rust_connection::RustConnection;

pub struct XServer {
    child: Child,
    pub display: String,
}

/// Whether there is one to start; says so if not.
pub fn there() -> bool {
    let there = Path::new("/usr/bin/Xvfb").exists();
    if !there {
        skip("Xvfb");
    }
    there
}

impl XServer {
    pub fn start(more: &[&str]) -> XServer {
        let mut child = Command::new("/usr/bin/Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut number).unwrap();
        assert!(!number.trim().is_empty(), "Xvfb ended: {:?}", child.wait());
        XServer { child, display: format!(":{}", number.trim()) }
    }

    /// The window's pixels, as 0xRRGGBB.
    pub fn screenshot(&self, window: u32, size: [u32; 2]) -> Vec<u32> {
        self.pixels(window, size).into_iter().map(|pixel| pixel & 0xff_ffff).collect()
    }

    /// The same with what the top byte holds.
    pub fn pixels(&self, window: u32, [width, height]: [u32; 2]) -> Vec<u32> {
        let (connection, _) = RustConnection::connect(Some(&self.display)).unwrap();
        assert_eq!(connection.setup().image_byte_order, x11rb::protocol::xproto::ImageOrder::LSB_FIRST);
        let (width, height) = (width as u16, height as u16);
        let image = connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, width, height, !0).unwrap();
        let data = image.reply().unwrap().data;
        data.as_chunks::<4>().0.iter().map(|pixel| u32::from_le_bytes(*pixel)).collect()
    }

    /// Gives its screen, of the same size, that many blanks a second.
    pub fn set_rate(&self, rate: u32) {
        let (connection, screen) = RustConnection::connect(Some(&self.display)).unwrap();
        let root = connection.setup().roots[screen].root;
        connection.randr_query_version(1, 3).unwrap().reply().unwrap();
        let now = connection.randr_get_screen_resources(root).unwrap().reply().unwrap();
        let (width, height) = (800, 600);
        let name = format!("{width}x{height} at {rate}");
        let (htotal, vtotal) = (width, height);
        let dot_clock = u32::from(htotal) * u32::from(vtotal) * rate;
        let name_len = name.len() as u16;
        let mode = randr::ModeInfo { width, height, dot_clock, htotal, vtotal, name_len, ..Default::default() };
        let mode = connection.randr_create_mode(root, mode, name.as_bytes()).unwrap().reply().unwrap().mode;
        let (output, crtc) = (now.outputs[0], now.crtcs[0]);
        connection.randr_add_output_mode(output, mode).unwrap().check().unwrap();
        let (now, rotation) = (now.config_timestamp, randr::Rotation::ROTATE0);
        let set = connection.randr_set_crtc_config(crtc, 0, now, 0, 0, mode, rotation, &[output]).unwrap();
        assert_eq!(set.reply().unwrap().status, randr::SetConfig::SUCCESS);
    }

    /// Stops it at once, as a crash would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for XServer {
    fn drop(&mut self) {
        self.kill();
    }
}
