//! What the machine's addresses are called: source lines of code, names of memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use wavepipe_core::wave::Launch;
use wavepipe_hw::code::{CodeObject, LineRow};
use wavepipe_hw::launch::UserData;
use wavepipe_hw::variable::Variables;

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
    /// Where its source variables are, if its compiler told.
    pub variables: Option<Arc<Variables>>,
    /// Which dword of the user data is the address of the scratch ring's V#, if it is given one.
    pub ring: Option<u32>,
    pub(crate) number: u32,
}

impl Program {
    /// Code that nothing is known of but where it is: hand-written assembly.
    pub fn plain(name: &str, address: u64, bytes: u64) -> Program {
        Program {
            name: name.into(),
            address,
            bytes,
            files: Vec::new(),
            lines: Vec::new(),
            variables: None,
            ring: None,
            number: 0,
        }
    }

    /// A code object of the driver's compiler at its address.
    pub fn of(code: &CodeObject, address: u64) -> Program {
        Program {
            files: code.files.clone(),
            lines: code.lines.clone(),
            variables: code.variables.as_deref().cloned().map(Arc::new),
            ring: ring(code),
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

fn ring(code: &CodeObject) -> Option<u32> {
    let n = code.user_data.iter().position(|u| *u == UserData::ScratchRing)?;
    Some(code.user_data[..n].iter().map(|u| u.dwords()).sum())
}

/// Where variables' values may be, besides registers.
pub(crate) struct Surroundings<'a> {
    pub programs: &'a [Program],
    pub launch: &'a Launch,
    /// Where the work-group's part of the scratch ring begins.
    pub scratch: Option<u64>,
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
pub struct Names(Arc<BTreeMap<String, Thing>>, Arc<BTreeSet<String>>);

impl Names {
    pub fn add(&mut self, name: impl Into<String>, thing: Thing) {
        Arc::make_mut(&mut self.0).insert(name.into(), thing);
    }

    pub fn get(&self, name: &str) -> Option<&Thing> {
        self.0.get(name)
    }

    /// Names of source variables, which have a place where they have one.
    pub fn add_variables(&mut self, variables: &Variables) {
        Arc::make_mut(&mut self.1).extend(variables.all.iter().map(|v| v.name.clone()));
    }

    /// Whether something may have this name, or the variable that it is a part of.
    pub fn knows(&self, name: &str) -> bool {
        let base = name.split(['.', '[']).next().unwrap_or(name);
        self.0.contains_key(name) || self.1.contains(name) || self.1.contains(base)
    }

    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.0.keys().chain(self.1.iter()).map(String::as_str)
    }
}
