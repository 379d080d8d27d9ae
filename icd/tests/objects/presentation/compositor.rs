//! A Wayland compositor of the test's own: Debian's weston with no screen but its memory, and what that shows.

use crate::bed::skip;
use crate::host_time::PATIENCE;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const SOCKET: &str = "screen";

pub struct Compositor {
    child: Child,
    /// Its runtime folder.
    folder: PathBuf,
}

/// Whether there is one to start; says so if not.
pub fn there() -> bool {
    let there = Path::new("/usr/bin/weston").exists() && Path::new("/usr/bin/weston-screenshooter").exists();
    if !there {
        skip("weston");
    }
    there
}

impl Compositor {
    /// With a screen of that size.
    pub fn start([width, height]: [u32; 2]) -> Compositor {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("wavepipe-weston-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        let child = Command::new("/usr/bin/weston")
            .args(["--backend=headless-backend.so", "--use-pixman", "--shell=fullscreen-shell.so", "--no-config"])
            .args(["--debug", "--idle-time=0", &format!("--socket={SOCKET}")])
            .args([format!("--width={width}"), format!("--height={height}")])
            .env("XDG_RUNTIME_DIR", &folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let compositor = Compositor { child, folder };
        let start = Instant::now();
        while UnixStream::connect(compositor.socket()).is_err() {
            assert!(start.elapsed() < PATIENCE, "weston does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        compositor
    }

    fn socket(&self) -> PathBuf {
        self.folder.join(SOCKET)
    }

    pub fn connect(&self) -> UnixStream {
        UnixStream::connect(self.socket()).unwrap()
    }

    /// The screen's pixels from the top, as red, green and blue, and its width.
    pub fn screenshot(&self) -> (Vec<[u8; 3]>, usize) {
        let shots = self.folder.join("shots");
        let _ = std::fs::remove_dir_all(&shots);
        std::fs::create_dir(&shots).unwrap();
        let taken = Command::new("/usr/bin/weston-screenshooter")
            .current_dir(&shots)
            .env("XDG_RUNTIME_DIR", &self.folder)
            .env("WAYLAND_DISPLAY", SOCKET)
            .env_remove("XDG_PICTURES_DIR")
            .env("HOME", &shots)
            .output()
            .unwrap();
        let shot = std::fs::read_dir(&shots).unwrap().flatten().next();
        let shot = shot.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&taken.stderr)));
        let file = std::io::BufReader::new(std::fs::File::open(shot.path()).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let samples = info.color_type.samples();
        assert!(samples >= 3, "{info:?}");
        let pixels = bytes.chunks_exact(samples).map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        (pixels.collect(), info.width as usize)
    }

    /// Stops it at once, as a crash would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
