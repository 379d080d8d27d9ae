//! Which files are tests, and which cases of them run.

use std::path::{Path, PathBuf};
use wavepipe::failure::{Failure, Result};
use wavepipe_check::ending::{AMBER, TOML, VKRUNNER};

const ENDINGS: [&str; 3] = [TOML, AMBER, VKRUNNER];

pub fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// Folders nobody keeps tests in: hidden ones, and what builds leave.
fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || name == "target" || name == "node_modules"
}

/// The test files of these paths, in order: files as they are, folders with all that is in them.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, &mut out)?;
        } else if !path.exists() {
            return Err(Failure::usage(format!("there is no {}", path.display())));
        } else if is_test(path) {
            out.push(path.clone());
        } else {
            let message =
                format!("{} is no test: a test is a {} file, or a folder", path.display(), ENDINGS.join(", "));
            return Err(Failure::usage(message));
        }
    }
    // The same file by two paths is one.
    let mut seen = std::collections::BTreeSet::new();
    out.retain(|p| seen.insert(p.canonicalize().unwrap_or_else(|_| p.clone())));
    Ok(out)
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |source| Failure::File { verb: "read", path: folder.to_owned(), source };
    let mut entries: Vec<_> = std::fs::read_dir(folder).map_err(failed)?.flatten().collect();
    entries.sort_by_key(|e| e.file_name());
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        // What a link points to is found where it is.
        let Ok(kind) = entry.file_type() else { continue };
        let path = if folder == Path::new(".") { PathBuf::from(&name) } else { entry.path() };
        if kind.is_dir() && !is_skipped(&name) {
            walk(&path, out)?;
        } else if !kind.is_dir() && is_test(&path) {
            out.push(path);
        }
    }
    Ok(())
}

/// `hash:1/4`: the first of four parts, by the cases' names, so that it is the same on every host; `count:1/4`: every fourth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partition {
    pub part: u64,
    pub of: u64,
    pub by_count: bool,
}

impl std::str::FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Partition, String> {
        let parse = || {
            let (by, share) = text.split_once(':')?;
            let by_count = match by {
                "hash" => false,
                "count" => true,
                _ => return None,
            };
            let (part, of) = share.split_once('/')?;
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            (1 <= part && part <= of).then_some(Partition { part, of, by_count })
        };
        parse().ok_or_else(|| "write hash:1/4 or count:1/4".to_owned())
    }
}

/// FNV-1a, and MurmurHash3's last step, as the lower bits of the former say little: the same everywhere and always.
pub fn hash(name: &str) -> u64 {
    let h: u64 = name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

impl Partition {
    /// Whether the `n`th case of that name is in it.
    pub fn has(self, n: usize, name: &str) -> bool {
        let at = if self.by_count { n as u64 } else { hash(name) };
        at % self.of == self.part - 1
    }
}
