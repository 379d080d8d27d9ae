//! Modifiers by vector code: the common ones of [`super::modify`], planned when the block is decoded.
//!
//! ```text
//! plan:  DPP -> a lane to read from per lane; selects and signs -> masks; the plain operation on temporary rows
//! run:   each modified source: move lanes -> ((x & stay | x >> 16 & down | x << 16 & up) & keep) ^ flip -> its temporary
//!        the plain operation under EXEC and the lanes that DPP lets write
//!        a clamped or 16-bit result: finished from the result's temporary row
//! ```

use super::env::Env;
use super::lower::Lower;
use super::modify::{RESULT, crosses_rows, dpp8_source, dpp16_source, is_half, temp};
use super::op::{MicroOp, OpFn};
use super::regs::{LaneRow, Loc};
use super::state::{EXEC, Wave};
use super::table::{Level, by_host};
use wavepipe_isa::Instr;
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::instr::Extra;
use wavepipe_isa::row::{Format, Sem, Ty};
use wavepipe_lanes::shapes::bits;

/// What modifiers make of the word x of a source that holds its sign:
/// `((x & stay | x >> 16 & down | x << 16 & up) & keep) ^ flip`. Halves of two-word sources stay where they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    pub stay: u32,
    pub down: u32,
    pub up: u32,
    pub keep: u32,
    pub flip: u32,
}

impl Shape {
    pub const AS_IS: Shape = Shape { stay: !0, down: 0, up: 0, keep: !0, flip: 0 };
}

/// A source's shape, and whether it has to be made for the plain operation.
struct Source {
    active: bool,
    shape: Shape,
}

/// Lane movement of DPP inside of rows of 16 lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Movement {
    /// The lane of the same row that each lane of a row reads.
    pub from: [u8; 16],
    /// Lanes of 32 that read inside of their row.
    pub inside: u32,
    /// Lanes that the row and bank masks let write, by half.
    pub enabled: [u32; 2],
    /// Who reads nothing reads zero; else it does not write.
    pub bound_ctrl: bool,
    /// Lanes that are not live are read all the same.
    pub fetch_inactive: bool,
}

struct Moves {
    /// The lane of the same 32 that each lane reads.
    from: LaneRow,
    movement: Movement,
    host: Level,
}

/// What becomes of the plain operation's result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finish {
    /// The plain operation writes where the result belongs.
    Direct,
    /// Held between 0 and 1; NaN is 0 if MODE.dx10_clamp.
    ClampF32,
    /// One half of the register is replaced.
    Low16,
    High16,
    /// The low half is the result's, the other zero.
    Only16,
}

pub(crate) struct Plan {
    plain: MicroOp,
    sources: [Source; 3],
    moves: Option<Moves>,
    finish: Finish,
}

impl Plan {
    /// What happens before and after the plain operation.
    pub fn parts(&self) -> ([Shape; 3], Option<Movement>, Finish) {
        let sources = &self.sources;
        ([0, 1, 2].map(|k| sources[k].shape), self.moves.as_ref().map(|m| m.movement), self.finish)
    }
}

/// Source `k` of type `ty`; `None`: not by these masks.
fn source(i: &Instr, k: usize, ty: Ty, format: Format) -> Option<Source> {
    let m = &i.mods;
    let on = |mask: u8| mask >> k & 1 != 0;
    if format == Format::Vop3p {
        let flip = match ty {
            Ty::PkF16 => u32::from(on(m.neg)) << 15 | u32::from(on(m.neg_hi)) << 31,
            Ty::PkU16 => 0,
            _ => return None,
        };
        let (low, high) = (0xffff, 0xffff_0000);
        let (stay, down, up) = match (on(m.op_sel), on(m.op_sel_hi)) {
            (false, true) => (!0, 0, 0),
            (false, false) => (low, 0, high),
            (true, true) => (high, low, 0),
            (true, false) => (0, low, high),
        };
        return Some(Source { active: stay != !0 || flip != 0, shape: Shape { stay, down, up, keep: !0, flip } });
    }
    let sign = match ty {
        Ty::Mix => return None,
        Ty::F16 => 1 << 15,
        Ty::F32 | Ty::F64 => 1 << 31,
        _ => 0,
    };
    let (stay, down) = if is_half(ty) && on(m.op_sel) { (0, !0) } else { (!0, 0) };
    let (keep, flip) = (if on(m.abs) { !sign } else { !0 }, if on(m.neg) { sign } else { 0 });
    Some(Source { active: stay != !0 || keep != !0 || flip != 0, shape: Shape { stay, down, up: 0, keep, flip } })
}

fn moves(extra: &Extra, host: Level) -> Option<Moves> {
    let mut from = LaneRow::ZERO;
    let (mut inside, mut enabled) = (0, [!0, !0]);
    let (bound_ctrl, fetch_inactive) = match extra {
        Extra::Dpp16(d) => {
            for lane in 0..32 {
                if let Some(s) = dpp16_source(d.ctrl, lane) {
                    from.0[lane] = s as u32;
                    inside |= 1 << lane;
                }
                for (half, enabled) in enabled.iter_mut().enumerate() {
                    let row_off = d.row_mask >> (2 * half + lane / 16) & 1 == 0;
                    if row_off || d.bank_mask >> (lane / 4 % 4) & 1 == 0 {
                        *enabled &= !(1 << lane);
                    }
                }
            }
            (d.bound_ctrl, d.fetch_inactive)
        }
        Extra::Dpp8 { selects, fetch_inactive } => {
            for lane in 0..32 {
                from.0[lane] = dpp8_source(*selects, lane) as u32;
            }
            inside = !0;
            // A lane whose source is off gets zero.
            (true, *fetch_inactive)
        }
        _ => return None,
    };
    let rows = std::array::from_fn(|lane| from.0[lane] as u8 & 15);
    Some(Moves { from, movement: Movement { from: rows, inside, enabled, bound_ctrl, fetch_inactive }, host })
}

/// The plan for `op`, an operation with modifiers over `inner`, and the function that follows it; `None` if
/// [`super::modify::modified`] must do it.
pub(crate) fn plan(op: &MicroOp, inner: OpFn, i: &Instr, lower: &Lower) -> Option<(Plan, OpFn)> {
    let (row, halves, host) = (op.row, lower.halves, lower.tables.level);
    let crosses = matches!(i.extra, Extra::Dpp16(d) if crosses_rows(d.ctrl));
    if matches!(i.extra, Extra::Sdwa(_)) || i.mods.omod != 0 || crosses {
        return None;
    }
    let moves = moves(&i.extra, host);
    let mut sources = [(); 3].map(|()| Source { active: false, shape: Shape::AS_IS });
    let (mut src, mut constant) = (op.src, op.constant);
    for (k, &ty) in row.src.iter().filter(|ty| super::lower::is_vector_source(**ty)).take(3).enumerate() {
        let mut s = source(i, k, ty, row.format)?;
        s.active |= k == 0 && moves.is_some();
        if op.wide >> k & 1 != 0 && (s.shape.stay != !0 || k == 0 && moves.is_some()) {
            return None;
        }
        if s.active {
            src[k] = Loc::row(temp(k) * halves);
            constant &= !(1 << k);
        }
        sources[k] = s;
    }
    let ty = row.dst.first().copied().unwrap_or(Ty::B32);
    let compares = matches!(row.sem, Sem::Compare | Sem::CompareExec);
    let finish = match ty {
        _ if compares => Finish::Direct,
        Ty::F32 if i.mods.clamp => Finish::ClampF32,
        _ if i.mods.clamp => return None,
        Ty::F16Hi => Finish::High16,
        _ if is_half(ty) && i.mods.op_sel & 8 != 0 && row.format != Format::Vop3p => Finish::High16,
        _ if is_half(ty) && row.clears_high16(lower.isa) => Finish::Only16,
        _ if is_half(ty) => Finish::Low16,
        _ => Finish::Direct,
    };
    let into = if finish == Finish::Direct { op.dst } else { (RESULT * halves) as u32 };
    let plain = op.plain(inner, src, constant, into);
    let f = match (moves.is_some(), finish != Finish::Direct) {
        (false, false) => by_host!(host, run::<false, false>),
        (false, true) => by_host!(host, run::<false, true>),
        (true, false) => by_host!(host, run::<true, false>),
        (true, true) => by_host!(host, run::<true, true>),
    };
    Some((Plan { plain, sources, moves, finish }, f))
}

/// Lane i of the result is lane `from[i]` (modulo 32) of `row`.
#[inline(always)]
fn permute(row: &LaneRow, from: &LaneRow, host: Level) -> LaneRow {
    let mut out = LaneRow::ZERO;
    match host {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the level says that the host has these instructions.
        Level::Avx512 => unsafe { permute_avx512(row, from, &mut out) },
        _ => {
            for i in 0..32 {
                out.0[i] = row.0[from.0[i] as usize & 31];
            }
        }
    }
    out
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn permute_avx512(row: &LaneRow, from: &LaneRow, out: &mut LaneRow) {
    use std::arch::x86_64::{__m512i, _mm512_permutex2var_epi32};
    let (row, from) = (row.0.as_ptr().cast::<__m512i>(), from.0.as_ptr().cast::<__m512i>());
    let out = out.0.as_mut_ptr().cast::<__m512i>();
    for k in 0..2 {
        // SAFETY: a row is two vectors of 64 bytes, aligned to 64.
        unsafe { *out.add(k) = _mm512_permutex2var_epi32(*row, *from.add(k), *row.add(1)) };
    }
}

impl Moves {
    /// The moved row, and the lanes that may write.
    #[inline(always)]
    fn apply(&self, from: &LaneRow, exec: u32, half: usize) -> (LaneRow, u32) {
        let m = &self.movement;
        let mut read = m.inside;
        if !m.fetch_inactive && exec != !0 {
            let mut live = [0u8; 32];
            for i in 0..32 {
                live[i] = if exec >> (self.from.0[i] & 31) & 1 != 0 { 255 } else { 0 };
            }
            read &= bits(&live);
        }
        let mut out = permute(from, &self.from, self.host);
        for i in 0..32 {
            out.0[i] = if read >> i & 1 != 0 { out.0[i] } else { 0 };
        }
        (out, m.enabled[half & 1] & if m.bound_ctrl { !0 } else { read })
    }
}

/// `MOVES`: the plan has moves. `FINISH`: its result needs more than the plain operation.
#[inline(always)]
fn run<const MOVES: bool, const FINISH: bool>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Some(plan) = op.ext.as_deref().and_then(|e| e.plan.as_ref()) else { return false };
    op.broadcast(w);
    let halves = w.halves;
    let saved = [w.s.0[EXEC], w.s.0[EXEC + 1]];
    let mut write = [!0u32; 2];
    for (k, s) in plan.sources.iter().enumerate().filter(|(_, s)| s.active) {
        let s = s.shape;
        let words = 1 + usize::from(op.wide >> k & 1);
        for half in 0..halves {
            if words == 2 {
                *w.registers.v.get_mut(temp(k) * halves + half) = *op.source(&w.v, k, 0, half, halves);
            }
            let x = op.source(&w.v, k, words - 1, half, halves);
            let mut out = LaneRow::ZERO;
            if MOVES
                && k == 0
                && let Some(moves) = &plan.moves
            {
                (out, write[half & 1]) = moves.apply(x, saved[half & 1], half);
                for v in &mut out.0 {
                    *v = (*v & s.stay | *v >> 16 & s.down | *v << 16 & s.up) & s.keep ^ s.flip;
                }
            } else {
                for i in 0..32 {
                    let v = x.0[i];
                    out.0[i] = (v & s.stay | v >> 16 & s.down | v << 16 & s.up) & s.keep ^ s.flip;
                }
            }
            *w.registers.v.get_mut((temp(k) + words - 1) * halves + half) = out;
        }
    }
    if MOVES {
        w.s.0[EXEC] &= write[0];
        w.s.0[EXEC + 1] &= write[1];
    }
    // SAFETY: the plain operation is this block's own, on this operation's rows or the temporary rows every wave has.
    let stop = unsafe { (plan.plain.f)(w, &plan.plain, env) };
    if MOVES && op.row.sem != Sem::CompareExec {
        w.s.0[EXEC] = saved[0];
        w.s.0[EXEC + 1] = saved[1];
    }
    if !FINISH || stop {
        return stop;
    }
    for half in 0..halves {
        let r = w.v.get(RESULT * halves + half);
        let old = w.v.get(op.dst as usize + half);
        let mut out = LaneRow::ZERO;
        match plan.finish {
            Finish::ClampF32 => {
                let keep_nan = !FpMode::from_bits(w.mode).dx10_clamp;
                for i in 0..32 {
                    let v = f32::from_bits(r.0[i]);
                    let nan = if keep_nan { r.0[i] | 1 << 22 } else { 0 };
                    // −0 becomes +0.
                    let held = if v > 0.0 { v.min(1.0).to_bits() } else { 0 };
                    out.0[i] = if v.is_nan() { nan } else { held };
                }
            }
            Finish::High16 => {
                for i in 0..32 {
                    out.0[i] = old.0[i] & 0xffff | r.0[i] << 16;
                }
            }
            Finish::Only16 => {
                for i in 0..32 {
                    out.0[i] = r.0[i] & 0xffff;
                }
            }
            Finish::Low16 | Finish::Direct => {
                for i in 0..32 {
                    out.0[i] = old.0[i] & 0xffff_0000 | r.0[i] & 0xffff;
                }
            }
        }
        w.registers.v.put(op.dst as usize + half, &out, saved[half & 1] & write[half & 1]);
    }
    false
}

macro_rules! variant {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use super::{Env, MicroOp, Wave};
            $(#[target_feature(enable = $features)])?
            pub unsafe fn run<const MOVES: bool, const FINISH: bool>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
                super::run::<MOVES, FINISH>(w, op, env)
            }
        }
    };
}
wavepipe_lanes::variants!(variant);
