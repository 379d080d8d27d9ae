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
fn problem(mappings: impl BufRead, start: u64, size: u64) -> Option<String> {
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
pub(crate) fn check(start: usize, size: u64) -> Result<()> {
    let Ok(mappings) = std::fs::File::open("/proc/self/maps") else { return Ok(()) };
    match problem(BufReader::new(mappings), start as u64, size) {
        None => Ok(()),
        Some(why) => Err(Error::ExternalHandle { why: format!("host memory of {size} bytes at {start:#x} {why}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
1000-3000 rw-p 00000000 00:00 0
3000-4000 rw-s 00000000 00:01 77   /memfd:x (deleted)
4000-5000 r--p 00001000 08:01 9    /usr/lib/x.so
7000-9000 rw-p 00000000 00:00 0    [heap]
";

    #[test]
    fn every_page_counts() {
        let problem = |start, size| problem(LINES.as_bytes(), start, size);
        for (start, size) in [(0x1000, 0x3000), (0x2000, 0x2000), (0x3fff, 1), (0x7000, 0x2000), (0x8000, 0)] {
            assert_eq!(problem(start, size), None, "{size:#x} bytes at {start:#x}");
        }
        for (start, size, word) in [
            (0, 0x1000, "not mapped at 0x0"),
            (0x3000, 0x1001, "not to be read and written at 0x4000 (r--p)"),
            (0x4000, 1, "(r--p)"),
            (0x5000, 1, "not mapped at 0x5000"),
            (0x8000, 0x1001, "not mapped at 0x9000"),
            (0x9000, 1, "not mapped at 0x9000"),
            (u64::MAX - 1, 2, "the last address"),
        ] {
            let why = problem(start, size).unwrap_or_default();
            assert!(why.contains(word), "{size:#x} bytes at {start:#x}: {why}");
        }
    }

    #[test]
    fn the_process_itself() {
        static CONSTANT: [u8; 1 << 16] = [1; 1 << 16];
        let heap = vec![0u8; 1 << 16];
        check(heap.as_ptr() as usize, 1 << 16).unwrap();
        assert!(check(CONSTANT.as_ptr() as usize, 1 << 16).is_err());
        assert!(check(4096, 4096).is_err());
    }
}
