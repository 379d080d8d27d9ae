//! How `wavepipe exec` learns whether anything that it started opened the driver: a file without a name, whose path under
//! /proc stands in the environment. The driver appends a line when a process has opened it, made an instance, made a device, and
//! for each finding (`icd/src/mark.rs`). It goes with this process; nothing is left behind.

use crate::findings::Findings;
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;

/// Names it for the driver.
pub const VARIABLE: &str = "WAVEPIPE_EXEC_MARK";
/// The driver writes to a file of this name and to no other.
const NAME: &str = "wavepipe-exec";
/// More than this is not read: some thousand processes, with some ten thousand findings.
const BYTES: usize = 16 << 20;

pub struct Mark(File);

/// How far the processes came, all together.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Reached {
    pub opened: bool,
    /// What the last one that made an instance calls itself: its engine, or the program.
    pub instance: Option<String>,
    pub device: bool,
}

impl Mark {
    pub fn new() -> std::io::Result<Mark> {
        Ok(Mark(File::from(memfd_create(NAME, MemfdFlags::CLOEXEC)?)))
    }

    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
    }

    pub fn read(&self) -> Reached {
        reached(&self.text())
    }

    /// What was found in all processes.
    pub fn findings(&self) -> Findings {
        findings(&self.text())
    }

    fn text(&self) -> String {
        let mut bytes = vec![0; self.0.metadata().map_or(0, |m| m.len() as usize).min(BYTES)];
        let n = self.0.read_at(&mut bytes, 0).unwrap_or(0);
        String::from_utf8_lossy(&bytes[..n]).into_owned()
    }
}

/// Reads what was found from the lines of a mark.
pub fn findings(text: &str) -> Findings {
    let mut all = Findings::default();
    for line in text.lines() {
        match line.split_once(' ') {
            // A line that is cut off is a finding too.
            Some(("finding", json)) => match serde_json::from_str(json) {
                Ok(report) => all.add(report),
                Err(_) => all.more += 1,
            },
            Some(("more", n)) => all.more = all.more.saturating_add(n.parse().unwrap_or(1)),
            _ => {}
        }
    }
    all
}

/// Reads how far the processes came from the lines of a mark.
pub fn reached(text: &str) -> Reached {
    let mut all = Reached::default();
    for line in text.lines() {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("opened", _) => all.opened = true,
            ("instance", name) => all.instance = Some(name.to_owned()),
            ("device", _) => all.device = true,
            _ => {}
        }
    }
    all
}
