//! What instrumented code says, and where: its messages to the thread trace, and the table that says what they mean.
//!
//! S_TTRACEDATA sends M0 to the thread trace as user data. A message of code that has [`Site`]s is a dword with the site's
//! number in its lower [`SITE_BITS`] bits, [`FINDING`] above if it tells of something wrong, and the number of payload dwords
//! above that; then these. Each is an S_TTRACEDATA. It holds for the lanes of EXEC at its first dword. One that says [`COUNTED`] in
//! place of that number is whole with its first dword, and only the lanes that sent it are counted. Other code may send what
//! it likes: nobody knows what it means.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bits of a message's first dword that hold the site's number.
pub const SITE_BITS: u32 = 23;
/// In a message's first dword: it is a finding of a check, and not only told.
pub const FINDING: u32 = 1 << SITE_BITS;
const PAYLOAD: u32 = SITE_BITS + 1;
/// Dwords of payload that a message has at most.
pub const MAX_PAYLOAD: usize = 254;
/// In place of the number of payload dwords: there are none, and the message is only counted.
const COUNTED: u32 = 255;

/// A place in the source that sends messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    pub kind: SiteKind,
    /// Index into the code object's files, and line; line 0 = unknown.
    pub file: u32,
    pub line: u32,
}

/// What a message of a site means.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SiteKind {
    /// An index is outside of what it chooses from. Payload: the index in two dwords, its sign extended if it has one; then,
    /// if `bound` is `None`, the number of elements in one.
    Index {
        /// As the source writes what is indexed: `part`, `data.items[…].x`; empty if it has no name.
        name: String,
        of: Indexed,
        bound: Option<u32>,
        signed: bool,
    },
    /// A pointer is not a multiple of what the source says it is. Payload: the address in two dwords.
    Misaligned {
        /// As of an index.
        name: String,
        align: u32,
    },
    /// debugPrintfEXT. Payload: the arguments, each in as many dwords as its bits need, f16 as f32, narrow integers extended.
    Print { format: String, arguments: Vec<Argument> },
    /// An operation on numbers has no meaningful result. Payload: `values`, each as those of `Print`.
    Number {
        what: Numeric,
        /// As the source writes it: an operator, or a function.
        name: String,
        /// Of a component of the first operand.
        bits: u32,
        /// The operands, then the result; without components where they are too many.
        values: Vec<Argument>,
    },
    /// A block of statements is counted, by the id of its label.
    Block {
        label: u32,
        /// Lines of its statements: index into the code object's files, and line.
        lines: Vec<(u32, u32)>,
    },
    /// Lanes that a branch sends one of its ways are counted. The branch ends the block of this label.
    Arm {
        label: u32,
        /// Its number among the branch's ways, and what it is: `true`, `false`, `case 1, 2`, `default`.
        arm: u32,
        what: String,
    },
}

/// What is wrong with an operation on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Numeric {
    /// Of integers: by zero, or of the least number by minus one.
    Division,
    /// The result is NaN or infinite, and no operand is.
    NotFinite,
    /// By as many bits as there are, or more.
    Shift,
    /// It reaches past the last bit.
    BitField,
    /// From float to integer: there is no such integer.
    Conversion,
    /// The least value is above the greatest.
    Clamp,
    /// The function is not defined there.
    Domain,
}

/// What an index chooses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Indexed {
    Array,
    Vector,
    Matrix,
    Descriptors,
}

/// The type of an argument that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Argument {
    pub scalar: ScalarKind,
    /// Of each component in the payload: 32 or 64.
    pub bits: u32,
    /// 1, or the components of a vector.
    pub components: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScalarKind {
    Bool,
    Int,
    Uint,
    Float,
}

/// A message that is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    pub workgroup: [u32; 3],
    pub wave: u32,
    /// EXEC: never empty.
    pub lanes: u64,
    /// Of the S_TTRACEDATA that sent the first dword.
    pub pc: u64,
    pub site: u32,
    pub payload: &'a [u32],
}

/// How many lanes sent a message that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub site: u32,
    /// Of the S_TTRACEDATA that sent it, or one like it.
    pub pc: u64,
    pub lanes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    wave: u32,
    lanes: u64,
    pc: u64,
    first: u32,
    /// Of its payload in the batch's words.
    start: usize,
}

/// Messages of one work-group, in the order in which its waves sent their last dwords.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    pub workgroup: [u32; 3],
    heads: Vec<Head>,
    words: Vec<u32>,
    /// By site.
    counted: BTreeMap<u32, Counted>,
}

impl Messages {
    /// None yet, of a work-group.
    pub fn of(workgroup: [u32; 3]) -> Messages {
        Messages { workgroup, ..Messages::default() }
    }

    /// None any more, of a work-group.
    #[inline(always)]
    pub fn restart(&mut self, workgroup: [u32; 3]) {
        match self.is_empty() {
            true => self.workgroup = workgroup,
            false => *self = Messages::of(workgroup),
        }
    }

    /// Adds one, of the dwords in `sent`: at least the first.
    pub fn push(&mut self, wave: u32, lanes: u64, pc: u64, sent: &[u32]) {
        let Some((&first, payload)) = sent.split_first() else { return };
        self.heads.push(Head { wave, lanes, pc, first, start: self.words.len() });
        self.words.extend_from_slice(payload);
    }

    /// Counts the lanes that sent a message.
    pub fn count(&mut self, site: u32, pc: u64, lanes: u64) {
        let counted = self.counted.entry(site).or_insert(Counted { site, pc, lanes: 0 });
        counted.lanes += u64::from(lanes.count_ones());
    }

    /// What was counted, by site.
    pub fn counted(&self) -> impl Iterator<Item = Counted> {
        self.counted.values().copied()
    }

    /// Messages, those left out that are only counted.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is nothing to hand on.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty() && self.counted.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Message<'_>> {
        self.heads.iter().map(|h| Message {
            workgroup: self.workgroup,
            wave: h.wave,
            lanes: h.lanes,
            pc: h.pc,
            site: site_of(h.first),
            payload: self.words.get(h.start..h.start + payload_dwords(h.first)).unwrap_or(&[]),
        })
    }
}

impl SiteKind {
    pub fn is_finding(&self) -> bool {
        matches!(self, SiteKind::Index { .. } | SiteKind::Misaligned { .. } | SiteKind::Number { .. })
    }
}

/// The first dword of a message.
pub const fn first_dword(site: u32, finding: bool, payload: usize) -> u32 {
    site | if finding { FINDING } else { 0 } | (payload as u32) << PAYLOAD
}

/// The first dword, and the only one, of a message that is counted.
pub const fn counted_dword(site: u32) -> u32 {
    site | COUNTED << PAYLOAD
}

/// Whether a message is counted, by its first dword.
pub const fn is_counted(first: u32) -> bool {
    first >> PAYLOAD == COUNTED
}

/// The number of a message's site, by its first dword.
pub const fn site_of(first: u32) -> u32 {
    first & (FINDING - 1)
}

/// Dwords of payload that follow a message's first one.
pub const fn payload_dwords(first: u32) -> usize {
    if is_counted(first) { 0 } else { (first >> PAYLOAD) as usize }
}
