//! Tells `wavepipe exec` how far a program came with the driver, so that it can warn of one that ran elsewhere: a line in the
//! file that exec names in the environment. Without exec, nothing.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Exec's file, which has no name in any folder. The number in the path may be somebody else's when exec has ended; that file
/// is left alone.
fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let path = PathBuf::from(std::env::var_os("WAVEPIPE_EXEC_MARK")?);
        let own = std::fs::read_link(&path).ok()?.to_string_lossy().starts_with("/memfd:wavepipe-exec");
        let named = path.starts_with("/proc");
        (own && named).then(|| OpenOptions::new().append(true).open(path).ok()).flatten()
    };
    FILE.get_or_init(open).as_ref()
}

fn say(line: &str) {
    if let Some(mut file) = file() {
        // Exec may have ended meanwhile; nobody reads it then.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

/// The loader, or the program without one, has begun to talk to the driver.
pub fn opened() {
    say("opened");
}

/// An instance was made for a program that calls itself so.
pub fn instance(name: &[u8]) {
    let name: String = String::from_utf8_lossy(name).chars().filter(|c| !c.is_control()).take(80).collect();
    say(&format!("instance {name}"));
}

pub fn device() {
    say("device");
}
