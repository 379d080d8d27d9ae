//! Watchpoints: on bytes, on what has a name, on what a text says.

use super::Session;
use crate::program::Space;
use crate::stop::Watched;
use crate::value::{What, WhatError};

impl Session {
    /// The number that its stops have.
    pub fn add_watchpoint(&mut self, watched: Watched) -> u32 {
        self.last_id += 1;
        self.watchpoints.push((self.last_id, watched));
        self.last_id
    }

    /// A watchpoint on memory, on LDS, or on what has a name. LDS is that of the work-group with this number, or of any.
    ///
    /// # Errors
    /// It is a register, which a condition can be about, or nothing has the name.
    pub fn watch(&mut self, what: &What, group: Option<u64>) -> Result<u32, WhatError> {
        Ok(match *what {
            What::Named(ref name, index) => return self.watch_name(name, index),
            What::Memory(address, dwords) => self.add_watchpoint(Watched::Memory { address, bytes: 4 * dwords }),
            What::Lds(at, dwords) => self.add_watchpoint(Watched::Lds { group, at, bytes: 4 * dwords }),
            ref other => {
                let why = "memory and LDS can be watched, registers by a condition";
                return Err(WhatError(format!("{other} is a register: {why}")));
            }
        })
    }

    /// A watchpoint on what has a name, or a dword of it.
    pub fn watch_name(&mut self, name: &str, index: Option<u64>) -> Result<u32, WhatError> {
        let thing = self.names.get(name).copied().ok_or_else(|| crate::value::unknown(name, &self.names))?;
        let (at, bytes) = match index {
            Some(n) if n >= thing.bytes / 4 => {
                return Err(WhatError(format!("{name} has {} dwords, no {name}[{n}]", thing.bytes / 4)));
            }
            Some(n) => (thing.at + 4 * n, 4),
            None => (thing.at, thing.bytes.min(u32::MAX.into()) as u32),
        };
        Ok(self.add_watchpoint(match thing.space {
            Space::Memory => Watched::Memory { address: at, bytes },
            Space::Lds => Watched::Lds { group: None, at, bytes },
        }))
    }
}
