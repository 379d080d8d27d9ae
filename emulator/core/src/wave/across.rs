//! Instructions that move words between lanes, or between lanes and scalars, as an engine of host code takes them.

use super::cross;
use super::op::{Known, MicroOp};
use super::state::LITERAL;
use wavepipe_isa::row::{Sem, WaveOp};
use wavepipe_isa::{Gen, Src};

/// A word that is the same for all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shared {
    Constant(u32),
    /// Of the scalar file.
    Scalar(u8),
}

/// Registers are those of [`super::Operand::Vgpr`]. A lane's number is taken modulo the wave's lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Across {
    /// A lane's word to a scalar; without a lane that of the first that lives, lane 0 if none does.
    Read { from: u32, lane: Option<Shared>, to: u8 },
    /// A word to a lane, whether it lives or not.
    Write { word: Shared, lane: Shared, to: u32 },
    /// To each live lane the word of one of the 32 of its half.
    Take { from: u32, which: Which, dead: Dead, to: u32 },
    /// Each live lane's word to the lane of its half that bits 2 to 6 of a register's word and the offset name: the highest lane's, where
    /// several give to one; zero to whom none gives. Only live lanes receive.
    Give { from: u32, address: u32, offset: u32, to: u32 },
}

impl Across {
    /// The scalars that it reads besides EXEC.
    pub fn reads(&self) -> impl Iterator<Item = u8> {
        let words = match *self {
            Across::Read { lane, .. } => [lane, None],
            Across::Write { word, lane, .. } => [Some(word), Some(lane)],
            Across::Take { which: Which::Selects { words: [low, high], .. }, .. } => [Some(low), Some(high)],
            Across::Take { .. } | Across::Give { .. } => [None, None],
        };
        words.into_iter().flatten().filter_map(|word| match word {
            Shared::Scalar(i) => Some(i),
            Shared::Constant(_) => None,
        })
    }
}

/// The lane that each one takes from, in its half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    Constant([u8; 32]),
    /// For the lanes of each row of sixteen eight selects of four bits in each of two words; crossed: from the other row.
    Selects {
        words: [Shared; 2],
        crossed: bool,
    },
    /// Bits 2 to 6 of a register's word and the offset.
    Address {
        from: u32,
        offset: u32,
    },
}

/// What becomes of a lane that takes from one that does not live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dead {
    /// It takes the word all the same.
    Read,
    Zero,
    /// It keeps its own.
    Keep,
}

fn shared(op: &MicroOp, s: u8) -> Shared {
    match s {
        s if usize::from(s) == LITERAL => Shared::Constant(op.literal),
        s => Src(s.into()).inline_value().map_or(Shared::Scalar(s), Shared::Constant),
    }
}

fn selects(words: [Shared; 2], crossed: bool) -> Which {
    let [Shared::Constant(low), Shared::Constant(high)] = words else { return Which::Selects { words, crossed } };
    let selects = u64::from(low) | u64::from(high) << 32;
    Which::Constant(std::array::from_fn(|lane| cross::selected(selects, lane, crossed) as u8))
}

/// How host code does the operation; `None`: by a call.
pub(super) fn across(op: &MicroOp, halves: usize, isa: Gen) -> Option<Across> {
    let Sem::Wave(what) = op.row.sem else { return None };
    if op.known != Known::Lanes {
        return None;
    }
    let vgpr = |k: usize| {
        let is = (op.constant | op.splat) >> k & 1 == 0;
        is.then(|| (op.src[k].index() / halves) as u32)
    };
    let lane = |k: usize| vgpr(k).is_none().then(|| shared(op, op.s[2 * k]));
    // SGPRs, VCC and M0: what has EXEC in it, and where nothing goes, is called.
    let scalar = || u8::try_from(op.dst).ok().filter(|&i| i < super::hot::NULL);
    let to = op.dst / halves as u32;
    let dead = match op.cross {
        super::op::CrossLane { fetch_inactive: true, .. } => Dead::Read,
        super::op::CrossLane { bound_control: true, .. } => Dead::Zero,
        _ => Dead::Keep,
    };
    Some(match what {
        WaveOp::ReadFirstLane => Across::Read { from: vgpr(0)?, lane: None, to: scalar()? },
        WaveOp::ReadLane => Across::Read { from: vgpr(0)?, lane: Some(lane(1)?), to: scalar()? },
        WaveOp::WriteLane => Across::Write { word: lane(0)?, lane: lane(1)?, to },
        WaveOp::Permlane16 | WaveOp::Permlanex16 => {
            let which = selects([lane(1)?, lane(2)?], what == WaveOp::Permlanex16);
            Across::Take { from: vgpr(0)?, which, dead, to }
        }
        // All lanes of a wave64 among one another are not halves.
        WaveOp::DsBpermute if halves == 1 || !isa.caps().wave_permute => {
            let which = Which::Address { from: vgpr(0)?, offset: op.imm as u32 };
            Across::Take { from: vgpr(1)?, which, dead: Dead::Zero, to }
        }
        WaveOp::DsPermute if halves == 1 || !isa.caps().wave_permute => {
            Across::Give { from: vgpr(1)?, address: vgpr(0)?, offset: op.imm as u32, to }
        }
        WaveOp::DsSwizzle => {
            let offset = op.imm as u32 & 0xffff;
            let which = Which::Constant(std::array::from_fn(|lane| cross::swizzled(offset, lane as u32) as u8));
            Across::Take { from: vgpr(0)?, which, dead: Dead::Zero, to }
        }
        _ => return None,
    })
}
