//! JSON that is written piece by piece, and partly on disk until it is put together.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Characters of a list that are kept in memory.
const KEPT: usize = 1 << 14;

/// Text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The items of a list (or the members of an object), separated by commas. Long ones spill into a file beside.
pub struct List {
    path: PathBuf,
    text: String,
    any: bool,
    spilled: bool,
}

impl List {
    /// `path`: of the file that it may spill into.
    pub fn new(path: PathBuf) -> List {
        List { path, text: String::new(), any: false, spilled: false }
    }

    pub fn add(&mut self, item: std::fmt::Arguments<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.any, true) {
            self.text.push(',');
        }
        let _ = self.text.write_fmt(item);
        if self.text.len() > KEPT {
            let mut file = OpenOptions::new().append(true).create(true).open(&self.path)?;
            file.write_all(self.text.as_bytes())?;
            self.text.clear();
            self.spilled = true;
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Writes all items, and forgets them.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::take(&mut self.spilled) {
            io::copy(&mut File::open(&self.path)?, out)?;
            std::fs::remove_file(&self.path)?;
        }
        self.any = false;
        out.write_all(std::mem::take(&mut self.text).as_bytes())
    }
}

/// Makes a file of what `write` writes.
pub fn file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(wavepipe_hw::file::create(path)?);
    write(&mut out)?;
    out.flush()
}
