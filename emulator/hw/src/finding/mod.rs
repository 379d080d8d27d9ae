//! What a check found in guest code: one value, made by the GPU, completed by the driver, shown as text, JSON ([`report`]) and to
//! debug messengers.
//!
//! A finding is of a kind at a place: kernel, instruction and, where two are at odds, the other one. However often it comes in
//! a dispatch it is one value, with a count and the facts of the first time in the order of work-group, wave and lane; so it
//! is the same whatever the host's threads do.

mod hash;
mod index;
mod layout;
mod never;
mod number;
mod race;
pub mod report;
mod stray;
mod unordered;
mod wait;

pub use index::Index;
pub use layout::WrongLayout;
pub use never::{Never, NeverWritten, UsedFor};
pub use number::Number;
pub use race::{Between, Race};
pub use stray::{Near, NearPlace, OutsideImage, Stray};
pub use unordered::{Command, Lack, Unordered};
pub use wait::{Awaited, MissingWait};

use crate::pipe;
use hash::Fnv;
use std::fmt;

/// What is checked, as `WAVEPIPE_CHECK` and `--check` name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Accesses to memory that are not the program's, or not where they belong.
    Mem,
    /// Accesses whose order nothing determines.
    Race,
    /// Uses of what was never written.
    Init,
    /// Barriers that not all come to, and those that are missing between commands.
    Sync,
    /// Waits that machine code owes its memory operations.
    Wait,
    /// Numbers that come of nothing good.
    Num,
}

impl Check {
    pub const ALL: [Check; 6] = [Check::Mem, Check::Race, Check::Init, Check::Sync, Check::Wait, Check::Num];

    pub fn name(self) -> &'static str {
        match self {
            Check::Mem => "mem",
            Check::Race => "race",
            Check::Init => "init",
            Check::Sync => "sync",
            Check::Wait => "wait",
            Check::Num => "num",
        }
    }

    /// What it looks for, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Check::Mem => "Memory is accessed where the program may not, or where nothing is",
            Check::Race => "Two accesses to the same memory, whose order nothing determines",
            Check::Init => "Something is used that was never written",
            Check::Sync => {
                "A barrier that not all invocations come to, or one that is missing between commands or for a layout"
            }
            Check::Wait => "A result is used before the machine code has waited for it",
            Check::Num => "An operation on numbers has no meaningful result",
        }
    }

    /// Whether what the program computes is wrong for certain on some card, or only doubtful.
    pub fn is_error(self) -> bool {
        !matches!(self, Check::Sync | Check::Num)
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// A result is used that nobody waited for. The other party is the instruction that is not done.
    MissingWait(MissingWait),
    /// What the silicon gets wrong. The other party is the instruction that it must not come behind.
    Hazard {
        /// As LLVM or Mesa calls it.
        name: &'static str,
        what: &'static str,
    },
    /// A barrier opened for a part of its work-group. The machine counts waves at S_BARRIER, and leaves out those that have
    /// ended, so such a program goes on as on a card; what it computes is undefined in every language that has barriers.
    DivergentBarrier(Absent),
    /// Two invocations access the same bytes, one of them writes, not both are atomics, and nothing orders them. The place is
    /// the later one of the code, and the other party the earlier one; which came first tells nothing.
    Race(Race),
    /// Something is decided by what was never written. The other party is the instruction that read it first.
    NeverWritten(Never),
    /// Instrumented code told of it. The driver knows the code's sites, and what this means.
    Told { site: u32, payload: Vec<u32> },
    /// An index is outside of what it chooses from.
    Index(Index),
    /// An operation on numbers has no meaningful result.
    Number(Number),
    /// A buffer's descriptor cuts an access off: `offset` bytes from the begin of the `size` bytes at `base`.
    OutOfBounds { base: u64, size: u64, offset: u64 },
    /// An access through a descriptor that nobody has written.
    UnwrittenDescriptor,
    /// An access that goes where nothing of the program's is.
    Stray(Stray),
    /// Two commands access the same memory, and nothing orders them. The place is the second's.
    Unordered(Unordered),
    /// An image is in another layout than a command says or a shader needs.
    Layout(WrongLayout),
}

impl FindingKind {
    pub fn check(&self) -> Check {
        match self {
            FindingKind::MissingWait(_) | FindingKind::Hazard { .. } => Check::Wait,
            FindingKind::Number(_) => Check::Num,
            FindingKind::DivergentBarrier(_) | FindingKind::Unordered(_) | FindingKind::Layout(_) => Check::Sync,
            FindingKind::Race(_) => Check::Race,
            FindingKind::NeverWritten(_) => Check::Init,
            FindingKind::Told { .. }
            | FindingKind::Index(_)
            | FindingKind::OutOfBounds { .. }
            | FindingKind::UnwrittenDescriptor
            | FindingKind::Stray(_) => Check::Mem,
        }
    }

    /// The kind in a word or two; findings of different slugs at one place are different findings.
    pub fn slug(&self) -> &'static str {
        match self {
            FindingKind::MissingWait(missing) => missing.slug(),
            FindingKind::Hazard { name, .. } => name,
            FindingKind::DivergentBarrier(absent) => match absent {
                Absent::Lanes { .. } => "lanes-absent",
                Absent::Ended { .. } => "waves-absent",
                Absent::Elsewhere => "other-barrier",
            },
            FindingKind::Race(race) => match race.accesses() {
                (AccessKind::Write, AccessKind::Write) => "write-write",
                (AccessKind::Read, AccessKind::Write) => "read-write",
                (AccessKind::Read, _) => "read-atomic",
                _ => "write-atomic",
            },
            FindingKind::NeverWritten(never) => never.used.slug(),
            FindingKind::Told { .. } => "told",
            FindingKind::Index(_) => "index",
            FindingKind::Number(number) => number.slug(),
            FindingKind::OutOfBounds { .. } => "out-of-bounds",
            FindingKind::UnwrittenDescriptor => "unwritten-descriptor",
            FindingKind::Stray(stray) => stray.slug(),
            FindingKind::Unordered(unordered) => unordered.slug(),
            FindingKind::Layout(layout) => layout.slug(),
        }
    }

    /// An address in what the access was meant for, if it went elsewhere.
    pub fn base(&self) -> Option<u64> {
        match self {
            FindingKind::OutOfBounds { base, .. } => Some(*base),
            FindingKind::Stray(Stray::Texel(outside)) => Some(outside.base),
            _ => None,
        }
    }

    /// How the other party stands to this one, in front of its place.
    fn relation(&self) -> &'static str {
        match self {
            FindingKind::MissingWait(_) => "not done",
            FindingKind::Hazard { .. } => "behind",
            FindingKind::DivergentBarrier(_) => "the other barrier",
            FindingKind::Race(_) => "races with",
            FindingKind::NeverWritten(_) => "read first by",
            FindingKind::Unordered(_) => "before",
            _ => "beside",
        }
    }

    /// What holds for all findings of the kind, and helps to understand one.
    fn advice(&self) -> Option<&'static str> {
        match self {
            FindingKind::Hazard { .. } => Some("a card may compute something else here; the emulator does not"),
            FindingKind::DivergentBarrier(_) => Some(
                "all work-items of a work-group have to come to the same barriers, those that return early too; the GPU leaves out \
                 who does not, and goes on",
            ),
            FindingKind::Race(race) => Some(race.advice()),
            FindingKind::Unordered(unordered) => Some(unordered.advice()),
            FindingKind::Layout(layout) => Some(layout.advice()),
            _ => None,
        }
    }
}

/// Which part of a work-group did not come to a barrier that let the rest go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absent {
    /// Lanes of the wave: EXEC at the barrier, and the lanes that were launched.
    Lanes { exec: u64, launched: u64 },
    /// Waves of the work-group that have ended, and all of them.
    Ended { waves: u32, of: u32 },
    /// The other party, a wave of the work-group, came to another barrier.
    Elsewhere,
}

/// Memory of one numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    Global,
    Lds,
    Private,
    Gds,
}

impl AddressSpace {
    pub fn name(self) -> &'static str {
        match self {
            AddressSpace::Global => "global",
            AddressSpace::Lds => "lds",
            AddressSpace::Private => "private",
            AddressSpace::Gds => "gds",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
}

impl AccessKind {
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic",
        }
    }
}

/// What a lane accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub kind: AccessKind,
    pub space: AddressSpace,
    /// An address; an offset in other spaces than the global one.
    pub address: u64,
    pub bytes: u32,
    /// Of the allocation or variable, where it is known.
    pub name: Option<String>,
}

/// A line of a program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    pub file: String,
    pub line: u32,
}

/// Where a wave stands.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Location {
    pub workgroup: [u32; 3],
    /// Index of the wave in its work-group.
    pub wave: u32,
    /// The first lane that it is about, and the mask of all of them.
    pub lane: u32,
    pub lanes: u64,
    /// Address of the instruction, and its offset from the begin of the kernel, or of `function`.
    pub pc: u64,
    pub pc_offset: u64,
    pub disassembly: String,
    /// The piece of code, if it is not the kernel itself but one that it calls. The driver knows.
    pub function: Option<String>,
    /// Where the code object has a source map, and the driver added it.
    pub source: Option<SourceLine>,
}

/// The lowest of these is the first that is told of.
pub type Order = ([u32; 3], u32, u32);

impl Location {
    /// Its place in the order of work-groups (x fastest), waves and lanes.
    pub fn order(&self) -> Order {
        let [x, y, z] = self.workgroup;
        ([z, y, x], self.wave, self.lane)
    }
}

/// One side of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Party {
    pub site: Location,
    pub access: Option<Access>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    /// The driver's name of it; empty as it comes from the GPU.
    pub kernel: String,
    /// Hardware queue: [`pipe`] and queue number.
    pub queue: (u32, u32),
    pub site: Location,
    pub access: Option<Access>,
    pub other: Option<Box<Party>>,
    /// How often it came.
    pub count: u64,
}

impl Finding {
    pub fn check(&self) -> Check {
        self.kind.check()
    }

    /// Names this finding in every run, on every host: check and kind in words; kernel, the name of its file and places hashed.
    pub fn id(&self) -> String {
        let mut hash = Fnv::default();
        hash.text(&self.kernel);
        // Most kernels are called `main`. Which folder the file was in is one host's affair.
        let file = self.site.source.as_ref().map_or("", |source| &source.file);
        hash.text(file.rsplit(['/', '\\']).next().unwrap_or_default());
        for site in [Some(&self.site), self.other.as_ref().map(|o| &o.site)].into_iter().flatten() {
            hash.text(site.function.as_deref().unwrap_or_default());
            hash.bytes(&site.pc_offset.to_le_bytes());
        }
        format!("{}-{}-{:08x}", self.check().name(), self.kind.slug(), hash.0)
    }

    /// What is wrong, in a sentence without the place.
    pub fn message(&self) -> String {
        Message(self).to_string()
    }
}

impl AccessKind {
    pub fn of(writes: bool, atomic: bool) -> AccessKind {
        match (atomic, writes) {
            (true, _) => AccessKind::Atomic,
            (false, true) => AccessKind::Write,
            (false, false) => AccessKind::Read,
        }
    }
}

struct Message<'a>(&'a Finding);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finding = self.0;
        match &finding.kind {
            FindingKind::MissingWait(missing) => write!(f, "{missing}"),
            FindingKind::Hazard { name, what } => write!(f, "{what}: {name}"),
            FindingKind::Told { site, .. } => write!(f, "site {site} of the code tells of it"),
            FindingKind::Index(index) => write!(f, "{index}"),
            FindingKind::NeverWritten(never) => write!(f, "{never}"),
            FindingKind::Number(number) => write!(f, "{number}"),
            FindingKind::OutOfBounds { size, offset, .. } => {
                let (kind, bytes) = finding.access.as_ref().map_or(("access", 0), |a| (a.kind.name(), a.bytes));
                let name = finding.access.as_ref().and_then(|a| a.name.as_ref());
                write!(f, "{kind} of {bytes} bytes at offset {offset} of a buffer of {size} bytes")?;
                name.map_or(Ok(()), |name| write!(f, ", which is in `{name}`"))
            }
            FindingKind::UnwrittenDescriptor => {
                let kind = finding.access.as_ref().map_or("access", |a| a.kind.name());
                write!(f, "{kind} through a descriptor that was never written")
            }
            FindingKind::Stray(stray) => stray.tell(f, finding.access.as_ref()),
            FindingKind::Unordered(unordered) => unordered.tell(f, finding.access.as_ref()),
            FindingKind::Layout(layout) => layout.tell(f, finding.access.as_ref()),
            FindingKind::DivergentBarrier(absent) => {
                let wave = finding.site.wave;
                write!(f, "barrier in divergent control flow: ")?;
                match absent {
                    Absent::Lanes { exec, launched } => write!(
                        f,
                        "{} of the {} lanes of wave {wave} came to it (EXEC {exec:#x}, launched {launched:#x})",
                        exec.count_ones(),
                        launched.count_ones(),
                    ),
                    Absent::Ended { waves, of } => {
                        write!(f, "{waves} of the {of} waves of the work-group had ended when wave {wave} waited at it")
                    }
                    Absent::Elsewhere => {
                        let other = finding.other.as_ref().map_or(0, |o| o.site.wave);
                        write!(f, "wave {wave} waited at it, and wave {other} at another one")
                    }
                }
            }
            FindingKind::Race(race) => race.tell(f, finding.access.as_ref().map(|a| a.space)),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Access { kind, space, address, bytes, name } = self;
        write!(f, "{} of {bytes} bytes at {address:#x}", kind.name())?;
        match (space, name) {
            (AddressSpace::Global, None) => Ok(()),
            (AddressSpace::Global, Some(name)) => write!(f, " in `{name}`"),
            (_, None) => write!(f, " of {}", space.name()),
            (_, Some(name)) => write!(f, " of {}, in `{name}`", space.name()),
        }
    }
}

/// Work-group, wave and lane; then the instruction, and the line that it comes from.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { workgroup: [x, y, z], wave, lane, lanes, pc, pc_offset, .. } = self;
        if *pc == 0 {
            // No instruction.
            return write!(f, "command {pc_offset} of its command buffer: {}", self.disassembly);
        }
        write!(f, "work-group ({x}, {y}, {z}), wave {wave}, lane {lane} (mask {lanes:#x})")?;
        write!(f, "\n  pc {pc:#x} (+{pc_offset:#x}")?;
        if let Some(function) = &self.function {
            write!(f, " of `{function}`")?;
        }
        write!(f, "): {}", self.disassembly)?;
        match &self.source {
            Some(SourceLine { file, line }) => write!(f, "\n  at {file}:{line}"),
            None => Ok(()),
        }
    }
}

/// What the other party, and the words for all of the kind, add to a report that has the finding's own place.
pub(crate) struct Rest<'a>(pub &'a Finding);

impl fmt::Display for Rest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { kind, other, .. } = self.0;
        if let Some(other) = other {
            write!(f, "\n  {}: ", kind.relation())?;
            if let Some(access) = &other.access {
                write!(f, "{access}, ")?;
            }
            write!(f, "{}", other.site)?;
        }
        kind.advice().map_or(Ok(()), |words| write!(f, "\n  {words}"))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", Message(self), self.id())?;
        write!(f, "\n  ")?;
        if !self.kernel.is_empty() {
            write!(f, "kernel `{}`, ", self.kernel)?;
        }
        if let Some(access) = &self.access {
            write!(f, "{access}, ")?;
        }
        write!(f, "{}", self.site)?;
        write!(f, "{}", Rest(self))?;
        if self.count > 1 {
            write!(f, "\n  {} times; this is the first", self.count)?;
        }
        write!(f, "\n  on {} queue {}", pipe::name(self.queue.0), self.queue.1)
    }
}
