//! What may be done with the process's memory, as the kernel lists its mappings.

use crate::error::{Error, Result};
use std::io::{BufRead, BufReader};

/// A line of /proc/self/maps: `start-end rwxp offset device inode path`.
fn parse(line: &str) -> Option<(u64, u64, &str)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let address = |text| u64::from_str_radix(text, 16).ok();
    Some((address(start)?, address(end)?, words.next()?))
}

/// What is wrong with reading and writing `size` bytes at `start`, by the mappings in order of address.
pub fn problem(mappings: impl BufRead, start: u64, size: u64) -> Option<String> {
    let Some(end) = start.checked_add(size) else { return Some("ends behind the last address".into()) };
    let mut at = start;
    for line in mappings.lines().map_while(std::io::Result::ok) {
        let Some((from, to, rights)) = parse(&line).filter(|(_, to, _)| *to > at) else { continue };
        if from > at || at >= end {
            break;
        }
        if !rights.starts_with("rw") {
            return Some(format!("is not to be read and written at {at:#x} ({rights})"));
        }
        at = to;
    }
    (at < end).then(|| format!("is not mapped at {at:#x}"))
}

/// Whether `size` bytes at `start` can be read and written now.
///
/// # Errors
/// [`Error::ExternalHandle`] if a page of them cannot. Where the kernel does not list mappings, nothing is known, and no error.
pub fn check(start: usize, size: u64) -> Result<()> {
    let Ok(mappings) = std::fs::File::open("/proc/self/maps") else { return Ok(()) };
    match problem(BufReader::new(mappings), start as u64, size) {
        None => Ok(()),
        Some(why) => Err(Error::ExternalHandle { why: format!("host memory of {size} bytes at {start:#x} {why}") }),
    }
}
