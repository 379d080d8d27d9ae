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

pub(crate) struct Disk {
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

    fn bounded(folder: &Path, bytes: u64) -> Disk {
        let written = AtomicU64::new(BETWEEN_LOOKS);
        Disk { folder: folder.to_owned(), bytes, written, serial: AtomicU64::new(0) }
    }

    /// `ab/cdef….wpc`, so that no folder has all files.
    fn path(&self, key: &Key) -> PathBuf {
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
    fn trim(&self) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::ModuleId;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("wavepipe-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn key(n: u32) -> Key {
        Key(ModuleId::of(&[n]).0)
    }

    #[test]
    fn code_outlives_the_object_and_damage_is_absence() {
        let folder = folder("cache");
        let code = CodeObject { name: "k".into(), text: vec![1, 2, 3, 4], ..Default::default() };
        Disk::new(&folder).insert(&key(1), &code);
        let disk = Disk::new(&folder);
        assert_eq!(disk.find(&key(1)), Some(code.clone()));
        assert_eq!(disk.find(&key(2)), None);
        // A file under another's name is not believed.
        fs::create_dir_all(disk.path(&key(2)).parent().unwrap()).unwrap();
        fs::copy(disk.path(&key(1)), disk.path(&key(2))).unwrap();
        assert_eq!(disk.find(&key(2)), None);
        let mut bytes = fs::read(disk.path(&key(1))).unwrap();
        bytes[50] ^= 1;
        fs::write(disk.path(&key(1)), bytes).unwrap();
        assert_eq!(disk.find(&key(1)), None);
        disk.insert(&key(1), &code);
        assert_eq!(disk.find(&key(1)), Some(code));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_no_file_is_absence_and_no_wait() {
        let folder = folder("odd");
        let code = CodeObject { text: vec![5; 100], ..Default::default() };
        let disk = Disk::new(&folder);
        let odd = |n: u32, make: &dyn Fn(&Path)| {
            let path = disk.path(&key(n));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            make(&path);
            assert_eq!(disk.find(&key(n)), None);
            // What was compiled takes its place, where something can.
            disk.insert(&key(n), &code);
            disk.find(&key(n))
        };
        let fifo = |path: &Path| {
            rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        };
        assert_eq!(odd(1, &fifo), Some(code.clone()));
        assert_eq!(odd(2, &|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()), Some(code.clone()));
        assert_eq!(odd(3, &|path| fs::create_dir(path).unwrap()), None);
        let endless = |path: &Path| File::create(path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(odd(4, &endless), Some(code.clone()));
        // A FIFO where a new entry is written first.
        let temporary = disk.path(&key(5)).with_file_name(format!("{}-4.tmp", std::process::id()));
        assert_eq!(odd(5, &|_| fifo(&temporary)), Some(code));
        assert!(!temporary.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_folder_is_bounded_and_the_oldest_go() {
        let folder = folder("bound");
        let disk = Disk::bounded(&folder, 8 << 20);
        let code = CodeObject { text: vec![7; 2 << 20], ..Default::default() };
        for n in 0..20 {
            disk.insert(&key(n), &code);
            let day = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(n) * 1000);
            File::options().write(true).open(disk.path(&key(n))).unwrap().set_modified(day).unwrap();
        }
        disk.trim();
        let left: Vec<u32> = (0..20).filter(|n| disk.path(&key(*n)).exists()).collect();
        assert!(left.len() <= 4 && left.contains(&19) && !left.contains(&0), "{left:?}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_of_holes_costs_no_other_its_place() {
        let folder = folder("holes");
        let disk = Disk::bounded(&folder, 8 << 20);
        let code = CodeObject { text: vec![7; 2 << 20], ..Default::default() };
        disk.insert(&key(1), &code);
        fs::create_dir_all(disk.path(&key(2)).parent().unwrap()).unwrap();
        File::create(disk.path(&key(2))).unwrap().set_len(1 << 40).unwrap();
        disk.trim();
        assert_eq!(disk.find(&key(1)), Some(code));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_is_no_failure() {
        let disk = Disk::new(Path::new("/proc/none/such"));
        disk.insert(&key(1), &CodeObject::default());
        assert_eq!(disk.find(&key(1)), None);
    }
}
