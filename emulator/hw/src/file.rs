//! Files that a user names, or that others may have put where ours are: a FIFO or a device in a file's place is an error at
//! once, not a wait without end or a read without bound.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

#[cfg(unix)]
mod special {
    use std::fs::{FileType, OpenOptions};
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};

    /// Does not wait for the other end of a FIFO.
    pub fn at_once(options: &mut OpenOptions) -> &mut OpenOptions {
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32)
    }

    pub fn is_char_device(file: FileType) -> bool {
        file.is_char_device()
    }
}

/// Hosts whose folders have neither FIFOs nor devices.
#[cfg(not(unix))]
mod special {
    use std::fs::{FileType, OpenOptions};

    pub fn at_once(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub fn is_char_device(_: FileType) -> bool {
        false
    }
}

use special::{at_once, is_char_device};

fn regular(file: File) -> Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(Error::new(ErrorKind::InvalidInput, "no regular file")),
    }
}

/// Opens a regular file to read.
pub fn open(path: &Path) -> Result<File> {
    regular(at_once(OpenOptions::new().read(true)).open(path)?)
}

/// All bytes to the end. Of more than `most` none, and an error.
pub fn read_all(source: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(Error::new(ErrorKind::FileTooLarge, format!("larger than {most} bytes"))),
        false => Ok(bytes),
    }
}

/// The bytes of a regular file that has `most` or fewer.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    read_all(open(path)?, most)
}

/// Makes a file anew, in place of a regular one or of none; a character device takes what is written.
pub fn create(path: &Path) -> Result<File> {
    // Emptied only when it is known to be a file.
    let mut options = OpenOptions::new();
    let file = at_once(options.write(true).create(true).truncate(false)).open(path)?;
    if !is_char_device(file.metadata()?.file_type()) {
        regular(file.try_clone()?)?.set_len(0)?;
    }
    Ok(file)
}
