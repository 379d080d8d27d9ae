//! Tells `wavepipe exec` how far a program came with the driver, so that it can warn of one that ran elsewhere, and what was
//! found in it: a line each in the file that exec names in the environment. Without exec, nothing.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;
use wavepipe_runtime::findings;
use wavepipe_runtime::hw::finding::Finding;

/// Exec's file, which has no name in any folder. The number in the path may be somebody else's when exec has ended; that file
/// is left alone.
pub fn open(path: &Path) -> Option<File> {
    let named = path.starts_with("/proc");
    let own = named && std::fs::read_link(path).ok()?.to_string_lossy().starts_with("/memfd:wavepipe-exec");
    own.then(|| OpenOptions::new().append(true).open(path).ok()).flatten()
}

fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    FILE.get_or_init(|| open(Path::new(&std::env::var_os("WAVEPIPE_EXEC_MARK")?))).as_ref()
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

/// A check found something in what the program ran.
pub fn finding(finding: &Finding) {
    if file().is_some() {
        say(&format!("finding {}", findings::line(finding)));
    }
}

/// Findings that are not told one by one.
pub fn more_findings(more: u64) {
    if more > 0 {
        say(&format!("more {more}"));
    }
}
