//! The cache that outlives the process: a folder with a file per code object. Nothing here fails loudly; a folder that
//! cannot be written, or a file that is damaged, is a cache that has nothing.
//!
//! Several processes share the folder without a lock: a file appears whole, by renaming, and is never changed. When the
//! folder has grown past its bound, the files that were not used for longest go.

use super::{Key, encoding};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::file;

/// Bytes that all files take of the disk, at most.
const BYTES: u64 = 256 << 20;
/// Of one file, at most: more than any shader's code, and less than a process minds to read.
const ENTRY_BYTES: u64 = 64 << 20;
/// Bytes that a process writes between two looks at the size of all files.
const BETWEEN_LOOKS: u64 = 16 << 20;
/// A file's time of use is this coarse, so that most uses write nothing.
const USE_GRAIN: Duration = Duration::from_secs(24 * 3600);
const SUFFIX: &str = "wpc";

pub struct Disk {
    folder: PathBuf,
    bytes: u64,
    /// Bytes written since the last look; none was taken at first.
    written: AtomicU64,
    /// Numbers temporary files.
    serial: AtomicU64,
}

impl Disk {
    pub fn new(folder: &Path) -> Disk {
        Disk::bounded(folder, BYTES)
    }

    pub fn bounded(folder: &Path, bytes: u64) -> Disk {
        let written = AtomicU64::new(BETWEEN_LOOKS);
        Disk { folder: folder.to_owned(), bytes, written, serial: AtomicU64::new(0) }
    }

    /// `ab/cdef….wpc`, so that no folder has all files.
    pub fn path(&self, key: &Key) -> PathBuf {
        let hex: String = key.0.iter().map(|b| format!("{b:02x}")).collect();
        self.folder.join(&hex[..2]).join(&hex[2..]).with_extension(SUFFIX)
    }

    pub fn find(&self, key: &Key) -> Option<CodeObject> {
        let file = file::open(&self.path(key)).ok()?;
        let data = file::read_all(&file, ENTRY_BYTES).ok()?;
        let (found, code, _) = encoding::decode(&data)?;
        let now = SystemTime::now();
        let used = file.metadata().and_then(|m| m.modified()).ok();
        if used.is_some_and(|u| now.duration_since(u).is_ok_and(|age| age > USE_GRAIN)) {
            let _ = file.set_modified(now);
        }
        (found == *key).then_some(code)
    }

    pub fn insert(&self, key: &Key, code: &CodeObject) {
        let mut data = Vec::new();
        encoding::encode(key, code, &mut data);
        if data.len() as u64 > ENTRY_BYTES {
            return;
        }
        let path = self.path(key);
        let Some(folder) = path.parent() else { return };
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!("{}-{serial}.tmp", std::process::id()));
        let write = || {
            fs::create_dir_all(folder)?;
            // A process of the same number may have been killed here; what it left is in nobody's use.
            let _ = fs::remove_file(&temporary);
            File::create_new(&temporary)?.write_all(&data)?;
            fs::rename(&temporary, &path)
        };
        if write().is_err() {
            let _ = fs::remove_file(&temporary);
            return;
        }
        let written = self.written.fetch_add(data.len() as u64, Ordering::Relaxed) + data.len() as u64;
        if written >= BETWEEN_LOOKS {
            self.written.store(0, Ordering::Relaxed);
            self.trim();
        }
    }

    /// Removes the files that were not used for longest, down to three quarters of the bound, if they are too many.
    pub fn trim(&self) {
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let files = folders.flat_map(|f| fs::read_dir(f.path()).into_iter().flatten().flatten());
        let mut all: Vec<(SystemTime, u64, PathBuf)> = files
            .filter_map(|f| {
                let data = f.metadata().ok()?;
                Some((data.modified().ok()?, occupied(&data), f.path()))
            })
            .collect();
        let mut bytes: u64 = all.iter().map(|(_, bytes, _)| bytes).sum();
        if bytes <= self.bytes {
            return;
        }
        all.sort();
        for (_, size, path) in all {
            if bytes <= self.bytes / 4 * 3 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                bytes -= size;
            }
        }
    }
}

/// Bytes that a file takes of the disk: of one with holes, only what is there.
fn occupied(data: &fs::Metadata) -> u64 {
    #[cfg(unix)]
    {
        // In units of 512 bytes, whatever the file system's own are.
        std::os::unix::fs::MetadataExt::blocks(data).saturating_mul(512)
    }
    #[cfg(not(unix))]
    data.len()
}
