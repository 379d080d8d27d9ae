//! Hazards: sequences and forms that the silicon of a generation gets wrong, and that code has to avoid by itself.
//!
//! - [`TABLES`]: a table by family. A rule says which instruction is dangerous behind which, what they must share, what between
//!   them makes it harmless, and what resolves it. Who follows the table: the compiler's pass (a dataflow over blocks).
//! - [`Facts`]: what an instruction is to the rules, from its row and its fields.
//! - [`walk`]: the checker. It reads bytes and follows paths; it shares the table with the pass, and no step of the search.
//!
//! A generation is a column ([`Rule::on`]). The two compilers that work around these bugs do not read all of them alike;
//! [`Reading`] says whose word a rule is.

mod facts;
mod gcn;
mod gfx10;
mod rules;
pub mod walk;

pub use facts::{Facts, Kinds, Vgprs, facts};
pub use gcn::GCN;
pub use gfx10::GFX10;

use crate::generation::Gen;
use crate::instr::Instr;
use crate::insts as i;
use crate::reg::Src;
use crate::wait::{Counter, Counts};

/// The hazards of every generation, in tables by family.
pub const TABLES: [&[Hazard]; 2] = [GCN, GFX10];

/// Every hazard, of every generation.
pub fn hazards() -> impl Iterator<Item = &'static Hazard> {
    TABLES.into_iter().flatten()
}

/// A bug of the hardware.
#[derive(Debug)]
pub struct Hazard {
    /// As LLVM's features or Mesa's ISA notes call it.
    pub name: &'static str,
    /// What goes wrong when, in a line.
    pub what: &'static str,
    pub remedy: Remedy,
    /// Where it was read.
    pub source: &'static str,
    pub rules: &'static [Rule],
}

/// Whose word a rule is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Reading {
    /// A hazard as soon as either source says so, and harmless only by what both accept: what our code is held to.
    Strict,
    /// LLVM 19's, which code of clang is held to. It treats a call as any other instruction and knows nothing of the callee.
    Llvm,
}

#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Generations that it holds on.
    pub on: &'static [Gen],
    pub readings: &'static [Reading],
    pub trigger: Trigger,
}

#[derive(Clone, Copy, Debug)]
pub enum Trigger {
    /// The instruction itself.
    Alone(Kinds),
    /// An instruction behind another, on any path.
    Behind(Sequence),
    /// An instruction that an S_CLAUSE covers.
    InClause(Kinds),
    /// A branch by so many dwords.
    Distance(u16),
    /// Addresses decide, which bytes do not show.
    Unseen,
}

/// `first`, then perhaps `between`, then `then`, without `clear` among them. Each is a set of which an instruction must have
/// one; a further `first` starts over, and clears what had got as far as `between`.
#[derive(Clone, Copy, Debug)]
pub struct Sequence {
    pub first: Kinds,
    pub between: Option<Kinds>,
    pub then: Kinds,
    pub clear: Kinds,
    pub meet: Meet,
    /// Dangerous with fewer wait states in between; `None`: however far.
    pub within: Option<u8>,
}

/// What the two instructions have to share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meet {
    Nothing,
    /// An SGPR, VCC, M0 or EXEC that the first reads and the second writes.
    Sgpr,
    /// The same, without what the second writes by implication (EXEC of S_*_SAVEEXEC).
    NamedSgpr,
    /// Such a register that the first writes and the second reads.
    SgprResult,
    /// One that the first writes, and that tells the second the lane.
    LaneSelect,
    /// A VGPR that the first writes and the second reads.
    VgprResult,
    /// A VGPR with data that the first stores and the second writes.
    StoredVgpr,
    /// A hardware register.
    Hardware,
}

/// Registers that a [`Meet`] is about, a bit each: by their numbers, and of VGPRs those from v128 on in the second half.
pub type Shared = [u128; 2];

impl Meet {
    /// What the first instruction leaves to be met.
    #[inline]
    pub fn given(self, first: &Facts) -> Shared {
        match self {
            Meet::Nothing => [0; 2],
            Meet::Sgpr | Meet::NamedSgpr => [first.reads, 0],
            Meet::SgprResult | Meet::LaneSelect => [first.writes, 0],
            Meet::VgprResult => first.vector_writes,
            Meet::StoredVgpr => first.stored,
            Meet::Hardware => [first.hardware.into(), 0],
        }
    }

    /// What the second one meets it with.
    #[inline]
    pub fn taken(self, second: &Facts) -> Shared {
        match self {
            Meet::Nothing => [0; 2],
            Meet::Sgpr => [second.writes, 0],
            Meet::NamedSgpr => [second.writes & !second.implied, 0],
            Meet::SgprResult => [second.reads, 0],
            Meet::LaneSelect => [second.selects, 0],
            Meet::VgprResult => second.vector_reads,
            Meet::StoredVgpr => second.vector_writes,
            Meet::Hardware => [second.hardware.into(), 0],
        }
    }

    /// Whether what the first instruction gave is met by the second.
    #[inline]
    pub fn meets(self, given: Shared, second: &Facts) -> bool {
        let taken = self.taken(second);
        self == Meet::Nothing || given[0] & taken[0] != 0 || given[1] & taken[1] != 0
    }

    /// Whether it is about VGPRs, of which there are twice as many.
    pub const fn of_vgprs(self) -> bool {
        matches!(self, Meet::VgprResult | Meet::StoredVgpr)
    }
}

/// What makes it harmless, in front of the second instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// S_WAITCNT_DEPCTR with this operand.
    Depctr(u16),
    /// S_WAITCNT_VSCNT null, 0.
    Vscnt,
    /// S_WAITCNT lgkmcnt(0).
    Lgkmcnt,
    /// S_MOV_B32 null, 0.
    ScalarMove,
    /// V_MOV_B32 of the second instruction's first source (v0 if that is none) to itself.
    VectorMove,
    /// S_NOP for the wait states that are missing.
    Nops,
    /// S_MOV_B64 vcc, vcc.
    VccMove,
    /// None: such an instruction is not emitted. By whom not.
    Avoid(&'static str),
}

impl Remedy {
    /// The instruction to put in front of `second`, which `missing` wait states make harmless, as the generation encodes it.
    pub fn instr(self, second: &Instr, missing: u8, generation: Gen) -> Option<Instr> {
        let mut x = match self {
            Remedy::Depctr(wait) => Instr { imm: i32::from(wait as i16), ..Instr::new(i::S_WAITCNT_DEPCTR) },
            Remedy::Vscnt => {
                let mut x = Instr::new(i::S_WAITCNT_VSCNT);
                x.src[0] = Src::NULL;
                x
            }
            Remedy::Lgkmcnt => {
                Instr { imm: Counts::NONE.with(Counter::Lgkm, 0).imm(generation), ..Instr::new(i::S_WAITCNT) }
            }
            Remedy::ScalarMove => {
                let mut x = Instr::new(i::S_MOV_B32);
                (x.dst[0], x.src[0]) = (Src::NULL, Src::ZERO);
                x
            }
            Remedy::VectorMove => {
                let same = if second.src[0].is_vgpr() { second.src[0] } else { Src::v(0) };
                let mut x = Instr::new(i::V_MOV_B32);
                (x.dst[0], x.src[0]) = (same, same);
                x
            }
            Remedy::Nops => Instr { imm: i32::from(missing.saturating_sub(1)), ..Instr::new(i::S_NOP) },
            Remedy::VccMove => {
                let mut x = Instr::new(i::S_MOV_B64);
                (x.dst[0], x.src[0]) = (Src::VCC_LO, Src::VCC_LO);
                x
            }
            Remedy::Avoid(_) => return None,
        };
        x.imply();
        Some(x)
    }
}

impl Hazard {
    /// The rules that hold on a generation in a reading.
    pub fn rules(&self, generation: Gen, reading: Reading) -> impl Iterator<Item = &'static Trigger> {
        let holds = move |r: &&Rule| r.on.contains(&generation) && r.readings.contains(&reading);
        self.rules.iter().filter(holds).map(|r| &r.trigger)
    }

    /// Whether a generation has it.
    pub fn is_on(&self, generation: Gen) -> bool {
        self.rules.iter().any(|r| r.on.contains(&generation))
    }

    /// Whether LLVM knows of it on any generation: where it knows and does nothing, code of clang is right.
    pub fn known_to_llvm(&self) -> bool {
        self.rules.iter().any(|r| r.readings.contains(&Reading::Llvm))
    }

    pub fn find(name: &str) -> Option<&'static Hazard> {
        hazards().find(|h| h.name == name)
    }
}

/// Every sequence that is dangerous on a generation, with the hazard whose rule it is.
pub fn sequences(generation: Gen, reading: Reading) -> impl Iterator<Item = (&'static Hazard, &'static Sequence)> {
    let rules = hazards().flat_map(move |h| h.rules(generation, reading).map(move |t| (h, t)));
    rules.filter_map(|(h, t)| match t {
        Trigger::Behind(s) => Some((h, s)),
        _ => None,
    })
}
