//! Vector operations: each live lane with an undefined bit in a source is evaluated by the row's body over values that are
//! defined in part.

use super::origin::{OriginId, Origins};
use super::state::{LaneBits, WaveBits};
use crate::wave::indexed::{self, Vectors};
use crate::wave::lower::{is_mask, is_vector_source};
use crate::wave::modify::{dpp8_source, dpp16_source, is_half, sdwa_place};
use crate::wave::op::MicroOp;
use crate::wave::probe::{Issue, WaveView};
use crate::wave::regs::{TEMPS, set_bits};
use crate::wave::state::{EXEC, LITERAL, Wave};
use wavepipe_isa::alu::{Bits, FpMode, Truth};
use wavepipe_isa::instr::{Extra, Instr};
use wavepipe_isa::partial::{self, Words};
use wavepipe_isa::row::{Format, Sem, Ty};
use wavepipe_isa::{alu::body, insts};

/// A word of a scalar operand, as the operation is going to read it.
pub(super) fn scalar(w: &Wave, op: &MicroOp, bits: &WaveBits, n: u8) -> Bits {
    let n = usize::from(n);
    match n {
        LITERAL => Bits::defined(op.literal),
        // VCCZ, EXECZ and LDS's direct value are made when they are read.
        n => Bits::new(w.s.0[n], bits.s[n]),
    }
}

/// The number of the VGPR that source `k` begins with; `None`: it is no VGPR.
pub(super) fn vgpr_source(op: &MicroOp, k: usize, halves: usize) -> Option<u32> {
    if (op.constant | op.splat) >> k & 1 != 0 {
        return None;
    }
    ((op.src[k].index() / halves) as u32).checked_sub(TEMPS)
}

pub(super) fn vgpr_of_row(row: u32, halves: usize) -> u32 {
    (row / halves as u32).saturating_sub(TEMPS)
}

/// Sources of a vector operation.
pub(super) struct Sources<'a> {
    pub w: &'a Wave,
    pub op: &'a MicroOp,
    pub bits: &'a WaveBits,
}

impl Sources<'_> {
    /// Source `k` of a lane, and where undefined bits of it come from.
    pub fn get(&self, k: usize, lane: usize) -> (Words, OriginId) {
        let Sources { w, op, bits } = *self;
        let halves = w.halves;
        let mut words = [Bits::default(); 2];
        let count = 1 + usize::from(op.wide >> k & 1);
        let mut origin = OriginId::default();
        for (word, out) in words.iter_mut().enumerate().take(count) {
            *out = match vgpr_source(op, k, halves) {
                _ if op.splat >> k & 1 != 0 => {
                    let n = op.s[2 * k + word];
                    let read = scalar(w, op, bits, n);
                    if read.undefined != 0 {
                        origin = bits.scalar_origin(n.into());
                    }
                    read
                }
                Some(n) => {
                    let n = n + word as u32;
                    let undefined = bits.vgpr(n, lane);
                    if undefined != 0 {
                        origin = bits.vgpr_origin(n, lane);
                    }
                    Bits::new(op.source(&w.v, k, word, lane / 32, halves).0[lane % 32], undefined)
                }
                None => Bits::defined(op.source(&w.v, k, word, lane / 32, halves).0[lane % 32]),
            };
        }
        (words, origin)
    }
}

/// Where a lane's first source comes from under DPP.
enum Moved {
    From(usize),
    Zero,
    /// The lane is not written.
    Kept,
}

fn moved(instr: &Instr, lane: usize, exec: u64) -> Moved {
    let live = |lane: usize, inactive: bool| inactive || exec >> lane & 1 != 0;
    let half = lane & 32;
    match &instr.extra {
        Extra::Dpp16(d) => {
            if d.row_mask >> (lane / 16) & 1 == 0 || d.bank_mask >> (lane / 4 % 4) & 1 == 0 {
                return Moved::Kept;
            }
            let from = dpp16_source(d.ctrl, lane).filter(|s| live(*s, d.fetch_inactive));
            match from {
                Some(s) => Moved::From(s),
                None if d.bound_ctrl => Moved::Zero,
                None => Moved::Kept,
            }
        }
        Extra::Dpp8 { selects, fetch_inactive } => {
            let s = half + dpp8_source(*selects, lane % 32);
            if live(s, *fetch_inactive) { Moved::From(s) } else { Moved::Zero }
        }
        _ => Moved::From(lane),
    }
}

/// The bits of a result word in its register, which keeps some of its own.
fn placed(instr: &Instr, (ty, clears): (Ty, bool), undefined: u32, old: u32) -> u32 {
    let packed = instr.op.row().format == Format::Vop3p;
    let upper = ty == Ty::F16Hi || is_half(ty) && instr.mods.op_sel & 8 != 0 && !packed;
    match &instr.extra {
        Extra::Sdwa(s) => sdwa_place(s, if is_half(ty) { undefined & 0xffff } else { undefined }, old),
        _ if upper => old & 0xffff | undefined << 16,
        _ if is_half(ty) && clears => undefined & 0xffff,
        _ if is_half(ty) => old & 0xffff_0000 | undefined & 0xffff,
        _ => undefined,
    }
}

/// What a vector operation does to undefined bits. The lanes of EXEC that it decides by them, and where they come from.
pub(super) fn run(
    bits: &mut WaveBits,
    origins: &mut Origins,
    view: &WaveView<'_>,
    issue: &Issue<'_>,
) -> Option<(u64, OriginId)> {
    let (w, op) = (view.0, issue.op);
    let instr = op.ext.as_ref().map_or(issue.instr, |ext| &ext.instr);
    let moved_registers;
    let op = match Vectors::of(w) {
        Vectors::Indexed => {
            let (src, dst, dst2) = indexed::registers(w, op)?;
            let mut plain = op.plain(op.f, src, op.constant, dst);
            (plain.splat, plain.dst2) = (op.splat, dst2);
            moved_registers = plain;
            &moved_registers
        }
        _ => op,
    };
    let (row, exec, mode) = (op.row, w.exec64(), FpMode::from_bits(w.mode));
    let saturates = partial::saturates(issue.instr);
    let types: [Option<Ty>; 3] = {
        let mut all = row.src.iter().copied().filter(|ty| is_vector_source(*ty));
        [all.next(), all.next(), all.next()]
    };
    let compares = matches!(row.sem, Sem::Compare | Sem::CompareExec);
    let ty = row.dst.first().copied().unwrap_or(Ty::B32);
    let clears = row.clears_high16(w.isa);
    let copies = op.op == insts::V_MOV_B32 && !matches!(instr.extra, Extra::Sdwa(_));
    let words = 1 + usize::from(op.wide >> 3 & 1);
    let dst = vgpr_of_row(op.dst, w.halves);
    let mut out: [LaneBits; 2] = [[0; 64]; 2];
    let mut from = [OriginId::default(); 64];
    let (mut written, mut condition, mut condition_origin) = (0, 0u64, OriginId::default());
    let sources = Sources { w, op, bits };
    for lane in set_bits(exec) {
        let mut s = [[Bits::default(); 2]; 3];
        let mut origin = OriginId::default();
        let first = match moved(instr, lane, exec) {
            Moved::Kept => continue,
            Moved::Zero => None,
            Moved::From(lane) => Some(lane),
        };
        written |= 1 << lane;
        let mut any = false;
        for (k, ty) in types.iter().enumerate() {
            let (Some(_), Some(lane)) = (ty, if k == 0 { first } else { Some(lane) }) else { continue };
            let (raw, of) = sources.get(k, lane);
            let undefined = raw.iter().any(|b| b.undefined != 0);
            if undefined && !any {
                (any, origin) = (true, of);
            }
            s[k] = raw;
        }
        let carry = scalar(w, op, bits, op.s[6 + lane / 32]);
        let carry = Truth::new(carry.value >> (lane % 32) & 1 != 0, carry.undefined >> (lane % 32) & 1 != 0);
        if carry.undefined && !any {
            (any, origin) = (true, bits.scalar_origin(op.s[6 + lane / 32].into()));
        }
        let mut result = [Bits::default(); 2];
        if any {
            if issue.op.ext.is_some() {
                for (k, _) in types.iter().enumerate().filter(|(_, ty)| ty.is_some()) {
                    s[k] = partial::modify(instr, k, s[k], mode);
                }
            }
            let Some((value, truth)) = partial::evaluate(op.op, s, carry, mode) else { continue };
            result = partial::finish(instr, value, mode);
            if saturates && s.iter().flatten().any(|b| b.undefined != 0) {
                result.iter_mut().for_each(|b| b.undefined = !0);
            }
            if truth.undefined {
                if condition == 0 {
                    condition_origin = origin;
                }
                condition |= 1 << lane;
            }
            from[lane] = if copies { origin } else { origins.computed(origin) };
        }
        for (word, result) in result.iter().enumerate().take(words) {
            let n = dst + word as u32;
            let old = bits.vgpr(n, lane);
            out[word][lane] = placed(instr, (ty, clears), result.undefined, old);
            if result.undefined == 0 && out[word][lane] != 0 {
                from[lane] = bits.vgpr_origin(n, lane);
            }
        }
    }
    if row.sem == Sem::CompareExec {
        // The mask beside EXEC, in GCN's rows: what is told of EXEC is told of it.
        if row.dst.len() > 1 {
            (0..w.halves).for_each(|half| bits.put_scalar(op.dst as usize + half, 0, OriginId::default()));
        }
        return (condition != 0).then_some((condition, condition_origin));
    }
    let halves = [condition as u32, (condition >> 32) as u32];
    let mask_of = |bits: &mut WaveBits, n: u32, origin: OriginId| {
        for (half, undefined) in halves.iter().enumerate().take(w.halves) {
            bits.put_scalar(n as usize + half, *undefined, origin);
        }
    };
    let condition_origin = origins.computed(condition_origin);
    if compares {
        if op.dst as usize >= EXEC && condition != 0 && op.dst as usize <= EXEC + 1 {
            return Some((condition, condition_origin));
        }
        mask_of(bits, op.dst, condition_origin);
        return None;
    }
    for (word, row) in out.iter().enumerate().take(words) {
        bits.put(dst + word as u32, written, row, &from);
    }
    if row.dst.iter().skip(1).any(|ty| is_mask(*ty)) {
        mask_of(bits, op.dst2, condition_origin);
    }
    None
}

/// V_MBCNT and V_MQSAD, whose bodies are no row's: the undefined bits of up to four result words.
pub(super) fn counted(sources: &Sources<'_>, lane: usize, high: Option<bool>) -> ([u32; 4], OriginId) {
    use wavepipe_isa::alu::{Alu, Partial};
    let ((x, from_x), (y, from_y)) = (sources.get(0, lane), sources.get(1, lane));
    let any = |w: &Words| w.iter().any(|b| b.undefined != 0);
    let origin = if any(&x) { from_x } else { from_y };
    let mut a = Partial::new(FpMode::from_bits(sources.w.mode));
    let Some(high) = high else {
        let (z, n) = (sources.get(2, lane), vgpr_source(sources.op, 2, sources.w.halves));
        let word = |word: usize| match n {
            Some(n) => Bits::new(
                sources.op.source(&sources.w.v, 2, word, lane / 32, sources.w.halves).0[lane % 32],
                sources.bits.vgpr(n + word as u32, lane),
            ),
            None => Bits::default(),
        };
        let sums = body::mqsad_u32_u8(&mut a, x, y[0], [0, 1, 2, 3].map(word));
        let origin = if any(&x) || any(&y) { origin } else { z.1 };
        let clamps = sources.op.cross.clamp && (any(&x) || any(&y) || sums.iter().any(|b| b.undefined != 0));
        return (sums.map(|b| if clamps { !0 } else { b.undefined }), origin);
    };
    let below = match (lane < 32, high) {
        (true, true) => 0,
        (false, false) => !0,
        _ => (1u32 << (lane % 32)) - 1,
    };
    let mask = a.and(x[0], Bits::defined(below));
    let count = a.popcnt(mask);
    let sum = a.add(y[0], count);
    ([sum.undefined, 0, 0, 0], origin)
}
