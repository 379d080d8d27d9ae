//! What the GPU says when guest code did something it cannot: a value, never a panic.

use crate::finding::{self, Finding};
use crate::pipe;
use std::fmt;

/// Why the device was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A memory access outside every allocation. `nearest` = (base, size, name) of the closest one.
    WildAddress { address: u64, bytes: u32, write: bool, nearest: Option<(u64, u64, String)> },
    /// An access to memory of the program's that it has freed: `size` bytes, called `name`.
    Freed { address: u64, bytes: u32, write: bool, name: String, size: u64 },
    /// An access to memory that the driver keeps from programs; `name` is the allocation's.
    Protected { address: u64, bytes: u32, write: bool, name: String },
    /// Undecodable bytes at pc.
    IllegalInstruction { words: [u32; 2] },
    /// S_TRAP: the program reports a failure of its own.
    Trap { id: u8 },
    /// The wave halted itself, and nothing resumes it.
    Halted,
    /// The decoder knows it, the emulator does not execute it yet.
    Unimplemented,
    /// A descriptor asks for something that the emulator does not have, as a swizzle mode: what it is.
    Unsupported { what: String },
    /// Access that the ISA requires to be aligned.
    Misaligned { address: u64, align: u32 },
    /// Access outside of a lane's private memory: byte offset, and bytes that a lane has.
    ScratchOutOfRange { offset: u32, bytes: u32, size: u32, write: bool },
    /// An access outside of the work-group's LDS (`size` bytes of it are allocated).
    LdsOutOfRange { address: u64, bytes: u32, size: u32 },
    /// An access outside of what M0 allows of GDS.
    GdsOutOfRange { address: u64, bytes: u32, size: u32 },
    /// A check found something, and the program is to stop there.
    Finding(Box<Finding>),
    /// A packet that the command processor cannot execute.
    BadPacket { dword: u32, why: String },
    /// A dispatch that no compute unit can ever hold.
    BadDispatch { why: String },
    /// The dispatch ran longer than the time limit.
    Timeout { limit_ms: u64 },
    /// A bug of ours, caught at the boundary instead of taking the process down.
    Internal { why: String },
}

/// Where a wave stood. Absent for faults of the command processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveSite {
    pub workgroup: [u32; 3],
    /// Index of the wave in its work-group.
    pub wave: u32,
    /// First faulting lane and the mask of all of them.
    pub lane: u32,
    pub lanes: u64,
    /// Byte address of the instruction, and its offset from the kernel's start.
    pub pc: u64,
    pub pc_offset: u64,
    pub disassembly: String,
    /// `file:line`, when the code object has a source map and the driver added it.
    pub source: Option<String>,
    pub registers: Registers,
    /// The other waves of the work-group, where the report is of the time that they took.
    pub waves: Vec<WaveStand>,
}

/// Registers of a wave at a fault.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Registers {
    pub exec: u64,
    pub vcc: u64,
    pub scc: bool,
    pub m0: u32,
    /// SGPRs that the instruction names (108 and up: TTMPs), by number.
    pub scalars: Vec<(u32, u32)>,
    /// VGPRs that it names, by number: values by lane, of the first faulting lanes.
    pub vectors: Vec<(u32, Vec<(u32, u32)>)>,
}

/// What a wave is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Running,
    AtBarrier,
    Ended,
}

/// Where one wave of a work-group stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveStand {
    pub wave: u32,
    pub standing: Standing,
    /// Of the next instruction.
    pub pc: u64,
    pub pc_offset: u64,
    pub exec: u64,
    pub disassembly: String,
}

impl fmt::Display for WaveStand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.standing {
            Standing::Running => "at",
            Standing::AtBarrier => "waits at the barrier before",
            Standing::Ended => return write!(f, "wave {} has ended", self.wave),
        };
        let WaveStand { wave, pc, pc_offset, exec, disassembly, .. } = self;
        write!(f, "wave {wave} {what} {pc:#x} (+{pc_offset:#x}), exec {exec:#x}: {disassembly}")
    }
}

/// SGPRs of a line, and TTMPs: the first of those is number 108.
const SCALARS_A_LINE: usize = 8;
const FIRST_TTMP: u32 = 108;

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Registers { exec, vcc, scc, m0, .. } = self;
        write!(f, "exec {exec:#x}, vcc {vcc:#x}, scc {}, m0 {m0:#x}", u32::from(*scc))?;
        for line in self.scalars.chunks(SCALARS_A_LINE) {
            let text = line.iter().map(|(n, v)| match n.checked_sub(FIRST_TTMP) {
                Some(t) => format!("ttmp{t} {v:#x}"),
                None => format!("s{n} {v:#x}"),
            });
            write!(f, "\n  {}", text.collect::<Vec<_>>().join(", "))?;
        }
        for (n, lanes) in &self.vectors {
            let text: Vec<String> = lanes.iter().map(|(lane, v)| format!("lane {lane} {v:#x}")).collect();
            write!(f, "\n  v{n}: {}", text.join(", "))?;
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuFault {
    pub kind: FaultKind,
    pub kernel: String,
    pub site: Option<WaveSite>,
    /// Hardware queue: [`pipe`] and queue number.
    pub queue: (u32, u32),
}

impl fmt::Display for GpuFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GPU fault on {} queue {}", pipe::name(self.queue.0), self.queue.1)?;
        if !self.kernel.is_empty() {
            write!(f, ", kernel `{}`", self.kernel)?;
        }
        write!(f, ": ")?;
        match &self.kind {
            FaultKind::WildAddress { address, bytes, write, nearest } => {
                let verb = if *write { "write" } else { "read" };
                write!(f, "{verb} of {bytes} bytes at {address:#x}, which is in no allocation")?;
                if let Some((base, size, name)) = nearest {
                    write!(f, "; nearest is `{name}` at {base:#x}..{:#x}", base + size)?;
                }
            }
            FaultKind::Freed { address, bytes, write, name, size } => {
                let verb = if *write { "write" } else { "read" };
                write!(
                    f,
                    "{verb} of {bytes} bytes at {address:#x}, which was in `{name}`, {size} bytes that were freed"
                )?;
            }
            FaultKind::Protected { address, bytes, write, name } => {
                let verb = if *write { "write" } else { "read" };
                write!(f, "{verb} of {bytes} bytes at {address:#x}, which is the driver's own memory: `{name}`")?;
            }
            FaultKind::IllegalInstruction { words } => {
                write!(f, "illegal instruction {:08x} {:08x}", words[0], words[1])?
            }
            FaultKind::Trap { id } => write!(f, "the program trapped (s_trap {id})")?,
            FaultKind::Halted => write!(f, "the wave halted itself, and no debugger resumes it")?,
            FaultKind::Unimplemented => write!(f, "instruction not implemented by the emulator")?,
            FaultKind::Unsupported { what } => write!(f, "{what}, which the emulator does not support")?,
            FaultKind::Misaligned { address, align } => write!(f, "address {address:#x} is not {align}-byte aligned")?,
            FaultKind::ScratchOutOfRange { offset, bytes, size, write } => {
                let verb = if *write { "write" } else { "read" };
                write!(f, "{verb} of {bytes} bytes at {offset:#x} of private memory, of which a lane has {size:#x}")?
            }
            FaultKind::LdsOutOfRange { address, bytes, size } => write!(
                f,
                "{bytes} bytes at {address:#x} of LDS, of which this work-group has {size:#x}; WAVEPIPE_LDS=ignore lets such \
                 reads give zero and drops such writes"
            )?,
            FaultKind::GdsOutOfRange { address, bytes, size } => {
                write!(f, "{bytes} bytes at {address:#x} of GDS, of which M0 allows {size:#x}")?
            }
            FaultKind::Finding(finding) => write!(f, "{}{}", finding.message(), finding::Rest(finding))?,
            FaultKind::BadPacket { dword, why } => write!(f, "bad packet at ring dword {dword}: {why}")?,
            FaultKind::BadDispatch { why } => write!(f, "dispatch cannot be placed: {why}")?,
            FaultKind::Timeout { limit_ms } => {
                write!(f, "still running after {limit_ms} ms; raise WAVEPIPE_TIMEOUT if it is meant to take so long")?
            }
            FaultKind::Internal { why } => write!(f, "internal error (a bug in wavepipe): {why}")?,
        }
        if let Some(s) = &self.site {
            let [x, y, z] = s.workgroup;
            write!(f, "\n  work-group ({x}, {y}, {z}), wave {}, lane {} (mask {:#x})", s.wave, s.lane, s.lanes)?;
            write!(f, "\n  pc {:#x} (+{:#x}): {}", s.pc, s.pc_offset, s.disassembly)?;
            if let Some(src) = &s.source {
                write!(f, "\n  at {src}")?;
            }
            write!(f, "\n  {}", s.registers)?;
            for w in &s.waves {
                write!(f, "\n  {w}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for GpuFault {}
