//! Uses of what was never written.

use std::fmt;

/// What is decided by what was never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Never {
    pub used: UsedFor,
    pub what: NeverWritten,
}

/// How something undefined is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UsedFor {
    /// Where the wave goes on, or which of its lanes.
    Branch,
    /// Which memory is accessed, by which descriptor; which lane is read.
    Address,
    /// It is stored to a buffer or an image, or told of.
    Output,
    /// A hardware register.
    Register,
}

impl UsedFor {
    pub fn slug(self) -> &'static str {
        match self {
            UsedFor::Branch => "branch",
            UsedFor::Address => "address",
            UsedFor::Output => "output",
            UsedFor::Register => "register",
        }
    }
}

/// What the undefined bits come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NeverWritten {
    /// By its operand number; VGPRs from 256 on.
    Register(u16),
    /// A byte of LDS.
    Lds(u32),
    Private,
    /// A byte of a program's memory.
    Memory(u64),
    /// A variable that no memory was made for.
    Variable,
    /// A lane of the subgroup that takes no part, or is not there.
    Lane,
    /// One of too many to know each.
    Unknown,
}

impl fmt::Display for NeverWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            NeverWritten::Register(n @ 256..) => write!(f, "v{}, which was never written", n - 256),
            NeverWritten::Register(n @ 0..=105) => write!(f, "s{n}, which was never written"),
            NeverWritten::Register(106 | 107) => f.write_str("VCC, which was never written"),
            NeverWritten::Register(124) => f.write_str("M0, which was never written"),
            NeverWritten::Register(253) => f.write_str("SCC, which was never written"),
            NeverWritten::Register(_) => f.write_str("a register that was never written"),
            NeverWritten::Lds(at) => write!(f, "the byte at {at:#x} of LDS, which this work-group never wrote"),
            NeverWritten::Memory(at) => write!(f, "the byte at {at:#x}, which nobody wrote"),
            NeverWritten::Private => f.write_str("private memory that was never written"),
            NeverWritten::Variable => f.write_str("a variable that was never given a value"),
            NeverWritten::Lane => {
                f.write_str("what a subgroup operation read of an invocation that takes no part in it")
            }
            NeverWritten::Unknown => f.write_str("what was never written"),
        }
    }
}

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.what;
        match self.used {
            UsedFor::Branch => write!(f, "a branch depends on {what}"),
            UsedFor::Address => write!(f, "an address depends on {what}"),
            UsedFor::Output => write!(f, "what is stored depends on {what}"),
            UsedFor::Register => write!(f, "a hardware register depends on {what}"),
        }
    }
}
