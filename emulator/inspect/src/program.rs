//! What the machine's addresses are called: source lines of code, names of memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_hw::code::{CodeObject, LineRow};

use crate::form::Form;

/// A source line: of a program by its number, a file of that, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Line {
    pub program: u32,
    pub file: u32,
    pub line: u32,
}

/// Code in memory, and where it comes from.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    /// Address of its first byte, which row offsets count from, and bytes.
    pub address: u64,
    pub bytes: u64,
    pub files: Vec<String>,
    /// Sorted by offset; none where nothing is known.
    pub lines: Vec<LineRow>,
    pub(crate) number: u32,
}

impl Program {
    /// Code that nothing is known of but where it is: hand-written assembly.
    pub fn plain(name: &str, address: u64, bytes: u64) -> Program {
        Program { name: name.into(), address, bytes, files: Vec::new(), lines: Vec::new(), number: 0 }
    }

    /// A code object of the driver's compiler at its address.
    pub fn of(code: &CodeObject, address: u64) -> Program {
        Program {
            files: code.files.clone(),
            lines: code.lines.clone(),
            ..Program::plain(&code.name, address, code.text.len() as u64)
        }
    }

    /// The source line of an address; `None` outside of the program and where none is known.
    pub fn line(&self, pc: u64) -> Option<Line> {
        let offset = pc.checked_sub(self.address).filter(|o| *o < self.bytes)? as u32;
        let row = self.lines[..self.lines.partition_point(|row| row.pc <= offset)].last()?;
        (row.line != 0).then_some(Line { program: self.number, file: row.file, line: row.line })
    }

    /// Name of a file of its lines.
    pub fn file(&self, n: u32) -> &str {
        self.files.get(n as usize).map_or("", |f| f)
    }
}

/// Something that a name stands for: dwords at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thing {
    pub space: Space,
    /// Address, or byte of LDS.
    pub at: u64,
    pub bytes: u64,
    /// As it is printed, unless something else is asked for.
    pub form: Form,
}

/// Where a thing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    Memory,
    Lds,
}

/// Names, as conditions and reads write them.
#[derive(Clone, Debug, Default)]
pub struct Names(Arc<BTreeMap<String, Thing>>);

impl Names {
    pub fn add(&mut self, name: impl Into<String>, thing: Thing) {
        Arc::make_mut(&mut self.0).insert(name.into(), thing);
    }

    pub fn get(&self, name: &str) -> Option<&Thing> {
        self.0.get(name)
    }

    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
