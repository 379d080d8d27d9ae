//! Watchpoints: on bytes, on what has a name, on what a text says; and what has to hold for the wave that changed them.

use super::{Session, Watch, eye};
use crate::condition::Condition;
use crate::order::{Executed, Execution};
use crate::program::Space;
use crate::schedule::Turn;
use crate::stop::{Reason, Watched};
use crate::value::{What, WhatError, unknown};
use wavepipe_core::timed::{Memory, Timed};

/// A watchpoint, by its number.
pub(super) struct Watchpoint {
    pub id: u32,
    watched: Watched,
    when: Option<Condition>,
}

impl Session {
    /// A watchpoint, and the number that its stops have. With a condition it stops where that holds behind the change, for the wave that
    /// made it.
    ///
    /// # Errors
    /// The condition asks for what nothing is called.
    pub fn add_watchpoint(&mut self, watched: Watched, when: Option<Condition>) -> Result<u32, WhatError> {
        if let Some(condition) = &when {
            condition.check(&self.names).map_err(|e| WhatError(e.to_string()))?;
        }
        self.last_id += 1;
        self.watchpoints.push(Watchpoint { id: self.last_id, watched, when });
        Ok(self.last_id)
    }

    /// A watchpoint on [`Session::watched`].
    pub fn watch(&mut self, what: &What, group: Option<u64>, when: Option<Condition>) -> Result<u32, WhatError> {
        self.add_watchpoint(self.watched(what, group)?, when)
    }

    /// The bytes of memory, of LDS, or of what has a name. LDS is that of the work-group with this number, or of any.
    ///
    /// # Errors
    /// It is a register, which a condition can be about, or nothing has the name.
    pub fn watched(&self, what: &What, group: Option<u64>) -> Result<Watched, WhatError> {
        Ok(match *what {
            What::Named(ref name, index) => self.named(name, index, group)?,
            What::Memory(address, dwords) => Watched::Memory { address, bytes: 4 * dwords },
            What::Lds(at, dwords) => Watched::Lds { group, at, bytes: 4 * dwords },
            ref other => {
                let why = "memory and LDS can be watched, registers by a condition";
                return Err(WhatError(format!("{other} is a register: {why}")));
            }
        })
    }

    /// The bytes of what has a name, or of a dword of it.
    fn named(&self, name: &str, index: Option<u64>, group: Option<u64>) -> Result<Watched, WhatError> {
        let thing = match self.names.get(name) {
            Some(thing) => thing,
            None if self.names.knows(name) => {
                let why = "memory and LDS can be watched, variables by a condition";
                return Err(WhatError(format!("{name} is a variable of the shader: {why}")));
            }
            None => return Err(unknown(name, &self.names)),
        };
        let (at, bytes) = match index {
            Some(n) if n >= thing.bytes / 4 => {
                return Err(WhatError(format!("{name} has {} dwords, no {name}[{n}]", thing.bytes / 4)));
            }
            Some(n) => (thing.at + 4 * n, 4),
            None => (thing.at, thing.bytes.min(u32::MAX.into()) as u32),
        };
        Ok(match thing.space {
            Space::Memory => Watched::Memory { address: at, bytes },
            Space::Lds => Watched::Lds { group, at, bytes },
        })
    }
}

/// Watched bytes in front of an instruction; `None`: it changes none.
pub(super) fn before(
    watched: &[Watchpoint],
    execution: &mut Execution,
    timed: &Timed<'_>,
    memory: &Memory,
) -> Option<Vec<Vec<u8>>> {
    let may = !watched.is_empty() && execution.accesses(timed, memory);
    may.then(|| bytes_of(watched, execution.turn(), execution, memory))
}

/// Watched bytes of the work-group whose turn it is, by watchpoint; empty where it has none.
fn bytes_of(watched: &[Watchpoint], turn: Option<Turn>, execution: &Execution, memory: &Memory) -> Vec<Vec<u8>> {
    let Some(turn) = turn else { return Vec::new() };
    let read = |watched: &Watched| match watched {
        Watched::Memory { address, bytes } => {
            let mut out = vec![0; *bytes as usize];
            memory.map().read(*address, &mut out).map(|()| out)
        }
        Watched::Lds { group, .. } if group.is_some_and(|g| g != turn.group) => None,
        Watched::Lds { at, bytes, .. } => {
            let mut out = vec![0; *bytes as usize];
            execution.group(turn.group)?.read_lds(*at, &mut out).map(|()| out)
        }
    };
    watched.iter().map(|w| read(&w.watched).unwrap_or_default()).collect()
}

/// The watchpoints whose bytes an instruction changed, and whose conditions hold.
pub(super) fn changed(
    watched: &[Watchpoint],
    before: Option<Vec<Vec<u8>>>,
    done: &Executed,
    watch: &Watch<'_>,
    execution: &Execution,
    memory: &Memory,
) -> Vec<Reason> {
    let Some(before) = before else { return Vec::new() };
    let after = bytes_of(watched, Some(done.turn), execution, memory);
    let holds = |w: &Watchpoint| {
        let eye = || eye(execution, done.turn, memory, watch.names, watch.programs);
        w.when.as_ref().is_none_or(|condition| eye().is_some_and(|eye| condition.holds(&eye)))
    };
    let changes = watched.iter().zip(before.into_iter().zip(after));
    // A work-group that has just ended has no LDS to compare.
    let changes = changes.filter(|(w, (old, new))| old != new && !new.is_empty() && holds(w));
    let reason =
        |(w, (old, new)): (&Watchpoint, _)| Reason::Watchpoint { id: w.id, old, new, by: done.turn, pc: done.pc };
    changes.map(reason).collect()
}
