//! Who is meant by a name: a machine that ships with wavepipe, a generation, for which the first machine stands that has it, or
//! a description in a file.

use super::read::{builtin_text, names};
use super::{Machine, MachineError};
use crate::spelling::nearest;
use std::fmt;
use std::path::Path;
use wavepipe_isa::Gen;

/// Of a file that describes a machine; those here have some ten thousand.
const DESCRIPTION_BYTES: u64 = 1 << 20;

/// What names there are, as an error lists them.
#[derive(Clone, Debug, PartialEq)]
pub struct Names {
    /// Machines that ship with wavepipe.
    pub machines: Vec<&'static str>,
    /// Generations that are taken as well.
    pub generations: Vec<&'static str>,
}

impl Names {
    /// What names a machine.
    fn of_machines() -> Names {
        let all: Vec<Machine> = Machine::all().collect();
        let has = |g: &Gen| all.iter().any(|m| m.generation() == *g);
        Names { machines: names().collect(), generations: Gen::ALL.into_iter().filter(has).map(Gen::name).collect() }
    }

    /// What names a generation.
    fn of_generations() -> Names {
        Names { machines: names().collect(), generations: Gen::ALL.map(Gen::name).to_vec() }
    }

    /// There is none of this name.
    fn unknown(self, name: &str) -> MachineError {
        // As it stands on a box: "RX 5700 XT".
        let spelled: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        let names = || self.machines.iter().chain(&self.generations).copied();
        let begun = || names().find(|known| spelled.len() > 2 && known.starts_with(&spelled));
        let near = nearest(&spelled, names()).or_else(begun);
        MachineError::Unknown { name: name.into(), near, known: self }
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (machines, generations) = (self.machines.join(", "), self.generations.join(", "));
        write!(f, "There are {machines}; the generations {generations}; and the path of a description, FILE.toml")
    }
}

impl Machine {
    /// Names of the machines that ship with wavepipe; the first is the default.
    pub fn names() -> impl Iterator<Item = &'static str> {
        names()
    }

    /// The machines that ship with wavepipe, in that order.
    pub fn all() -> impl Iterator<Item = Machine> {
        names().map(|name| Machine::builtin(name).expect("a machine that ships with wavepipe; its test parses it"))
    }

    /// A machine that ships with wavepipe.
    pub fn builtin(name: &str) -> Result<Machine, MachineError> {
        Self::parse(builtin_text(name).ok_or_else(|| Names::of_machines().unknown(name))?)
    }

    /// The machine that is meant by a name: its own, LLVM's name of what it executes (the first machine that has it), or the
    /// path of a description, which ends in `.toml`.
    pub fn open(name: &str) -> Result<Machine, MachineError> {
        if Path::new(name).extension().is_some_and(|e| e == "toml") {
            return Self::described(name);
        }
        if let Some(text) = builtin_text(name) {
            return Self::parse(text);
        }
        // Of gfx1012 there are cards of its own; what is left of a generation is all alike.
        let generation = Gen::named(name);
        let exactly = Self::all().find(|m| m.isa == name);
        match (exactly.or_else(|| Self::all().find(|m| Some(m.generation()) == generation)), generation) {
            (Some(machine), _) => Ok(machine),
            (None, Some(generation)) => {
                Err(MachineError::NotExecuted { generation: generation.name(), known: Names::of_machines() })
            }
            (None, None) => Err(Names::of_machines().unknown(name)),
        }
    }

    fn described(path: &str) -> Result<Machine, MachineError> {
        let file = |why: String| MachineError::File { file: path.into(), why };
        let bytes = crate::file::read(Path::new(path), DESCRIPTION_BYTES).map_err(|e| file(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|e| file(e.to_string()))?;
        Self::parse(&text).map_err(|e| file(e.to_string()))
    }
}

/// The generation that is meant by a name: its own, whether or not a machine has it, or that of what [`Machine::open`] takes.
pub fn generation(name: &str) -> Result<Gen, MachineError> {
    match Gen::named(name) {
        Some(generation) => Ok(generation),
        None => Machine::open(name).map(|m| m.generation()).map_err(|e| match e {
            MachineError::Unknown { .. } => Names::of_generations().unknown(name),
            other => other,
        }),
    }
}
