//! Scalar operations and control flow.

use super::origin::{Origin, OriginId, Origins};
use super::state::WaveBits;
use super::vector::scalar;
use crate::wave::probe::{Issue, WaveView};
use crate::wave::state::{EXEC, SCC, VCC};
use wavepipe_hw::finding::{NeverWritten, UsedFor};
use wavepipe_hw::undefined;
use wavepipe_isa::alu::{Bits, FpMode, Truth};
use wavepipe_isa::insts;
use wavepipe_isa::partial;
use wavepipe_isa::row::{Control, Scc, Sem};

/// The first and the last of the trap temporaries.
const TRAP_TEMPORARIES: std::ops::Range<usize> = 108..124;

/// Lanes that are decided by undefined bits, and where these come from.
pub(super) type Decided = (u64, OriginId);

fn origin_of(
    bits: &WaveBits,
    origins: &mut Origins,
    view: &WaveView<'_>,
    issue: &Issue<'_>,
    sources: &[u8],
) -> OriginId {
    let tainted = sources.iter().map(|n| usize::from(*n)).find(|n| bits.s[*n] != 0);
    match tainted {
        // Of a variable without a value, or of no lane: it is this instruction that makes it.
        Some(n) if TRAP_TEMPORARIES.contains(&n) => {
            let no_lane = n / 2 == usize::from(undefined::LANE.0) / 2;
            let what = if no_lane { NeverWritten::Lane } else { NeverWritten::Variable };
            let lane = view.exec().trailing_zeros() & 63;
            origins.id(Origin { what, pc: issue.pc, wave: view.index(), lane, copied: false }, Some(issue.instr))
        }
        Some(n) => bits.scalar_origin(n),
        None => OriginId::default(),
    }
}

/// What a scalar operation does to undefined bits. `Some`: they come to EXEC.
pub(super) fn run(
    bits: &mut WaveBits,
    origins: &mut Origins,
    view: &WaveView<'_>,
    issue: &Issue<'_>,
) -> Option<Decided> {
    let (w, op) = (view.0, issue.op);
    let mode = FpMode::from_bits(w.mode);
    let word = |n: u8| scalar(w, op, bits, n);
    let sources: [[Bits; 2]; 3] = [0, 1, 2].map(|k| [word(op.s[2 * k]), word(op.s[2 * k + 1])]);
    let mut origin = origin_of(bits, origins, view, issue, &op.s);
    if !matches!(op.op, insts::S_MOV_B32 | insts::S_MOV_B64) {
        origin = origins.computed(origin);
    }
    if matches!(op.row.sem, Sem::SaveExec | Sem::WriteExec) {
        let words = 1 + usize::from(op.wide & 1);
        let mut decided = 0;
        for n in 0..words {
            let exec = Bits::defined(w.s.0[EXEC + n]);
            let s = [[sources[0][n], Bits::default()], [exec, Bits::default()], Default::default()];
            let (result, _) = partial::evaluate(op.op, s, Truth::default(), mode)?;
            decided |= u64::from(result[0].undefined) << (32 * n);
            bits.put_scalar(op.dst as usize + n, 0, origin);
        }
        bits.put_scalar(SCC, 0, origin);
        return (decided != 0).then_some((decided, origin));
    }
    let carry = word(op.s[6]);
    let carry = Truth::new(carry.value != 0, carry.undefined != 0);
    let (result, truth) = partial::evaluate(op.op, sources, carry, mode)?;
    let words = 1 + usize::from(op.wide >> 3 & 1);
    let compares = op.row.sem == Sem::Compare;
    let mut decided = 0;
    if !compares {
        for (n, word) in result.iter().enumerate().take(words) {
            let dst = op.dst as usize + n;
            bits.put_scalar(dst, word.undefined, origin);
            if (EXEC..EXEC + 2).contains(&dst) {
                decided |= u64::from(word.undefined) << (32 * (dst - EXEC));
            }
        }
    }
    match op.row.scc {
        _ if compares => bits.put_scalar(SCC, truth.undefined.into(), origin),
        Scc::Keep => {}
        Scc::Body => bits.put_scalar(SCC, truth.undefined.into(), origin),
        Scc::NonZero => {
            let result = &result[..words];
            let one = result.iter().any(|b| b.value & !b.undefined != 0);
            let may_be = result.iter().any(|b| b.undefined != 0);
            bits.put_scalar(SCC, (may_be && !one).into(), origin);
        }
    }
    (decided != 0).then_some((decided, origin))
}

/// What control flow decides by undefined bits.
pub(super) fn control(
    bits: &mut WaveBits,
    view: &WaveView<'_>,
    issue: &Issue<'_>,
    what: Control,
) -> Option<(UsedFor, OriginId)> {
    let (w, op) = (view.0, issue.op);
    let scalar_source = |bits: &WaveBits, sources: &[u8]| {
        let n = sources.iter().map(|n| usize::from(*n)).find(|n| bits.s[*n] != 0)?;
        Some(bits.scalar_origin(n))
    };
    match what {
        Control::BranchScc0 | Control::BranchScc1 if bits.s[SCC] != 0 => {
            let origin = bits.scalar_origin(SCC);
            bits.put_scalar(SCC, 0, origin);
            Some((UsedFor::Branch, origin))
        }
        Control::BranchVccz | Control::BranchVccnz => {
            let halves = w.halves;
            let one = (0..halves).any(|n| w.s.0[VCC + n] & !bits.s[VCC + n] != 0);
            let n = (0..halves).find(|n| bits.s[VCC + n] != 0)?;
            if one {
                return None;
            }
            let origin = bits.scalar_origin(VCC + n);
            (0..halves).for_each(|n| bits.put_scalar(VCC + n, 0, origin));
            Some((UsedFor::Branch, origin))
        }
        Control::SetPc | Control::SwapPc => scalar_source(bits, &op.s[..2]).map(|origin| (UsedFor::Address, origin)),
        Control::SetReg => scalar_source(bits, &op.s[2..3]).map(|origin| (UsedFor::Register, origin)),
        // What is told of or printed.
        Control::TraceData if bits.s[crate::wave::state::M0] != 0 => {
            Some((UsedFor::Output, bits.scalar_origin(crate::wave::state::M0)))
        }
        _ => None,
    }
}
