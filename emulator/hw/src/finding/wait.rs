//! Waits that are missing.

use std::fmt;

/// A wait that is missing in front of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingWait {
    pub what: Awaited,
    /// The counter that was to be waited for, as assembly calls it, and the value that would have done.
    pub counter: &'static str,
    pub at_most: u8,
}

/// How something that is still on its way is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// These registers are read, and may hold their old values.
    Read(String),
    /// These registers are written, and the result on its way may overwrite that.
    Overwritten(String),
    /// These registers are written, and the operation may not have read them yet.
    OverwrittenUnread(String),
    /// This offset in LDS, or this address, is accessed behind a barrier that a wave passed without waiting for its own access.
    LdsBehindBarrier {
        address: u32,
        wave: u32,
    },
    MemoryBehindBarrier {
        address: u64,
        wave: u32,
    },
}

impl MissingWait {
    /// In a word or two.
    pub fn slug(&self) -> &'static str {
        match self.what {
            Awaited::Read(_) => "early-read",
            Awaited::Overwritten(_) => "early-write",
            Awaited::OverwrittenUnread(_) => "overwritten-unread",
            Awaited::LdsBehindBarrier { .. } => "lds-behind-barrier",
            Awaited::MemoryBehindBarrier { .. } => "memory-behind-barrier",
        }
    }
}

impl fmt::Display for MissingWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MissingWait { what, counter, at_most } = self;
        match what {
            Awaited::Read(registers) => write!(f, "{registers} is read before it is loaded")?,
            Awaited::Overwritten(registers) => write!(f, "{registers} is overwritten before it is loaded")?,
            Awaited::OverwrittenUnread(registers) => write!(f, "{registers} is overwritten before it has been read")?,
            Awaited::LdsBehindBarrier { address, wave } => write!(
                f,
                "{address:#x} of LDS is accessed behind a barrier that wave {wave} passed before its own access there was done"
            )?,
            Awaited::MemoryBehindBarrier { address, wave } => write!(
                f,
                "{address:#x} is accessed behind a barrier that wave {wave} passed before its own access there was done"
            )?,
        }
        write!(f, ": {counter}({at_most}) was to be waited for")
    }
}
