//! How `wavepipe exec` learns whether anything that it started opened the driver: a file without a name, whose path under
//! /proc stands in the environment. The driver appends a line when a process has opened it, made an instance, made a device
//! (`icd/src/mark.rs`). It goes with this process; nothing is left behind.

use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;

/// Names it for the driver.
pub const VARIABLE: &str = "WAVEPIPE_EXEC_MARK";
/// The driver writes to a file of this name and to no other.
const NAME: &str = "wavepipe-exec";
/// More than this is not read: some thousand processes.
const BYTES: usize = 1 << 20;

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
        let mut bytes = vec![0; self.0.metadata().map_or(0, |m| m.len() as usize).min(BYTES)];
        let n = self.0.read_at(&mut bytes, 0).unwrap_or(0);
        reached(&String::from_utf8_lossy(&bytes[..n]))
    }
}

fn reached(text: &str) -> Reached {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_mark() {
        assert_eq!(reached(""), Reached::default());
        let all = reached("opened\ninstance Dawn\nopened\ninstance \nunheard of\n");
        assert_eq!(all, Reached { opened: true, instance: Some(String::new()), device: false });
        assert!(reached("opened\ninstance x\ndevice\n").device);
    }
}
