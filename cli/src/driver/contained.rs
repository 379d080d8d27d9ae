//! The driver that this program contains: a section of its own in the program's file, which is not loaded with it, and which a
//! package that has the driver beside the program removes.

use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ReadCache};
use std::fs::{self, File};
use std::io::{Error, Result, Write as _};
use std::path::{Path, PathBuf};
use wavepipe_runtime::hw::file;

/// `main.rs` assembles it.
const SECTION: &str = ".wavepipe.driver";

/// The library's bytes; None if there are none.
pub fn library() -> Result<Option<Vec<u8>>> {
    let cache = ReadCache::new(File::open(std::env::current_exe()?)?);
    let elf: ElfFile64<'_, object::Endianness, _> = ElfFile64::parse(&cache).map_err(Error::other)?;
    let Some(section) = elf.section_by_name(SECTION) else { return Ok(None) };
    section.data().map(|bytes| Some(bytes.to_vec())).map_err(Error::other)
}

/// Makes the file anew, if it does not hold these bytes: it appears whole, and who has the old one open keeps that.
pub fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    if file::read(path, bytes.len() as u64).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let folder = path.parent().ok_or_else(|| Error::other("no path of a file"))?;
    fs::create_dir_all(folder)?;
    let temporary = PathBuf::from(format!("{}.{}", path.display(), std::process::id()));
    // A process of the same number may have been killed here.
    let _ = fs::remove_file(&temporary);
    let write = || {
        File::create_new(&temporary)?.write_all(bytes)?;
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| drop(fs::remove_file(&temporary)))
}
