//! What a debugger learns of the GPU beside findings: who wrote memory last, and which instructions ran.

use crate::finding::{Location, SourceLine};
use bitflags::bitflags;
use std::fmt;

bitflags! {
    /// What the GPU takes note of, on request.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct Observe: u32 {
        /// Who wrote each byte of the ranges that are watched last. One host thread then runs all work-groups, in their order.
        const WRITERS = 1 << 0;
        /// How often each instruction ran; code is to be compiled so that it counts its blocks and branches.
        const COVERAGE = 1 << 1;
    }
}

/// Who wrote a byte last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writer {
    /// A packet: a copy, a fill, an update, a query's result.
    Command,
    Invocation(Box<WritingInvocation>),
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WritingInvocation {
    /// The driver's name of the kernel; empty as it comes from the GPU.
    pub kernel: String,
    /// Names and lines are the driver's to add. Without lanes: a scalar instruction of the wave.
    pub site: Location,
    /// The invocation's global id; `None` if it was the wave's scalar unit.
    pub invocation: Option<[u32; 3]>,
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Writer::Command => f.write_str("a command: a copy, a fill, an update or a query"),
            Writer::Invocation(by) => write!(f, "{by}"),
        }
    }
}

/// Work-group, wave and lane; the invocation; the line, or where there is none the place in the kernel; the instruction.
impl fmt::Display for WritingInvocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { workgroup: [x, y, z], wave, lane, .. } = self.site;
        write!(f, "work-group {x},{y},{z} wave {wave}")?;
        if let Some([x, y, z]) = self.invocation {
            write!(f, " lane {lane} (invocation {x},{y},{z})")?;
        }
        match &self.site.source {
            Some(SourceLine { file, line }) => write!(f, " at {file}:{line}")?,
            None => {
                let name = self.site.function.as_ref().unwrap_or(&self.kernel);
                write!(f, " at `{name}`+{:#x}", self.site.pc_offset)?;
            }
        }
        write!(f, ": {}", self.site.disassembly)
    }
}

/// How often an instruction ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Its address.
    pub pc: u64,
    /// By how many waves, and in how many lanes of them together.
    pub waves: u64,
    pub lanes: u64,
}
