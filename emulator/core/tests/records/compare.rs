//! How near a result must be to its record.

use super::{Case, SGPRS, VGPRS, WaveRegisters};
use wavepipe_isa::alu::{Alu, Nearest};
use wavepipe_isa::row::{Format, Ty};
use wavepipe_isa::{Instr, Op, insts};

/// How far a record is to be trusted.
#[derive(Clone, Copy)]
pub struct Trust {
    /// Two witnesses; one alone is not asked about denormals and signalling NaNs.
    pub sure: bool,
    /// A tolerance applies.
    pub approximate: bool,
}

/// One NaN for all, and only the bits that the type has.
fn canonical(ty: Ty, v: u64) -> u64 {
    match ty {
        Ty::F32 | Ty::Mix if f32::from_bits(v as u32).is_nan() => 0x7fc0_0000,
        Ty::F64 if f64::from_bits(v).is_nan() => 0x7ff8_0000_0000_0000,
        Ty::F16 | Ty::F16Hi if v & 0x7fff > 0x7c00 => 0x7e00,
        Ty::F16 | Ty::F16Hi | Ty::B16 | Ty::U16 | Ty::I16 => v & 0xffff,
        Ty::PkF16 => canonical(Ty::F16, v & 0xffff) | canonical(Ty::F16, v >> 16 & 0xffff) << 16,
        _ => v,
    }
}

fn sign(ty: Ty) -> u64 {
    match ty {
        Ty::F16 | Ty::F16Hi => 1 << 15,
        Ty::F64 => 1 << 63,
        _ => 1 << 31,
    }
}

/// Denormals and signalling NaNs.
fn delicate(ty: Ty, v: u64) -> bool {
    let (exponent, fraction) = match ty {
        Ty::F32 | Ty::Mix => (v >> 23 & 0xff, v & 0x7f_ffff),
        Ty::F16 => (v >> 10 & 0x1f, v & 0x3ff),
        Ty::F64 => (v >> 52 & 0x7ff, v & 0xf_ffff_ffff_ffff),
        Ty::PkF16 => return delicate(Ty::F16, v & 0xffff) || delicate(Ty::F16, v >> 16 & 0xffff),
        _ => return false,
    };
    let (top, quiet) = match ty {
        Ty::F16 => (0x1f, 0x200),
        Ty::F64 => (0x7ff, 1 << 51),
        _ => (0xff, 1 << 22),
    };
    fraction != 0 && (exponent == 0 || exponent == top && fraction & quiet == 0)
}

fn f32_of(ty: Ty, v: u64) -> f32 {
    f32::from_bits(if ty == Ty::F16 { Nearest.f32_from_f16(v as u32) } else { v as u32 })
}

/// Distance in units in the last place.
fn ulps(ty: Ty, a: u64, b: u64) -> u64 {
    let bits = match ty {
        Ty::F16 => 16,
        Ty::F64 => 64,
        _ => 32,
    };
    let line = |v: u64| {
        let magnitude = (v & ((1 << (bits - 1)) - 1)) as i64;
        if v >> (bits - 1) & 1 != 0 { -magnitude } else { magnitude }
    };
    line(a).abs_diff(line(b))
}

/// Whether an approximate result is near enough: the hardware's own bounds.
fn near(op: Op, ty: Ty, got: u64, want: u64) -> bool {
    let apart = (f32_of(ty, got) - f32_of(ty, want)).abs();
    // Near a zero of sine, cosine and logarithm the bound is absolute.
    let turns = matches!(op, insts::V_SIN_F32 | insts::V_COS_F32 | insts::V_SIN_F16 | insts::V_COS_F16);
    match ty {
        Ty::F16 => ulps(ty, got, want) <= 1 || turns && apart < 0.004,
        Ty::F64 => ulps(ty, got, want) <= 1 << 30,
        _ => ulps(ty, got, want) <= 2 || turns && apart < 2e-7 || apart < 2e-12,
    }
}

/// A source as one lane reads it, if it is a VGPR.
fn source(instr: &Instr, i: usize, state: &WaveRegisters, lane: usize) -> Option<u64> {
    let row = instr.op.row();
    let ty = *row.src.get(i)?;
    let ty = if ty == Ty::Old { *row.dst.first()? } else { ty };
    let r = instr.src[i].is_vgpr().then(|| instr.src[i].vgpr() as usize)?;
    let high = if ty.dwords(32) == 2 { u64::from(state.v[r + 1][lane]) << 32 } else { 0 };
    Some(u64::from(state.v[r][lane]) | high)
}

/// What is not compared: lanes by their sources, the lane mask that the row writes.
pub struct PassedOver<'a> {
    pub lanes: &'a dyn Fn(&[u64; 4]) -> bool,
    pub mask: bool,
    /// The sign of a zero in place of a record's −0.
    pub zero_sign: bool,
    /// Bits 31:16 of the result.
    pub upper: bool,
}

/// The first difference between a wave after `instr` and the record, or how many lanes agree.
pub fn compare(
    instr: &Instr,
    case: &Case,
    got: &WaveRegisters,
    trust: Trust,
    passed_over: &PassedOver<'_>,
) -> Result<u32, String> {
    let row = instr.op.row();
    let lanes = case.wave.lanes() as usize;
    let mut skip = case.skip;
    let sources = |lane| std::array::from_fn(|i| source(instr, i, &case.before, lane).unwrap_or(0));
    for lane in 0..lanes {
        let s = sources(lane);
        let unsure = !trust.sure && row.src.iter().zip(s).any(|(&ty, v)| delicate(ty, v));
        if unsure || (passed_over.lanes)(&s) {
            skip |= 1 << lane;
        }
    }
    let fail = |lane: usize, what: String| Err(format!("{}.{lane} from {:x?}: {what}", case.place, sources(lane)));
    let vector = row.dst.first().filter(|_| instr.dst[0].is_vgpr());
    for lane in (0..lanes).filter(|lane| skip >> lane & 1 == 0) {
        for r in 0..VGPRS {
            let of =
                |s: &WaveRegisters| u64::from(s.v[r][lane]) | s.v.get(r + 1).map_or(0, |h| u64::from(h[lane]) << 32);
            let (ty, mask) = match vector {
                Some(&ty) if r == instr.dst[0].vgpr() as usize => {
                    (ty, if ty.dwords(32) == 2 { !0 } else { 0xffff_ffff })
                }
                // The other half of a 64-bit result.
                Some(ty) if r == instr.dst[0].vgpr() as usize + 1 && ty.dwords(32) == 2 => continue,
                _ => (Ty::B32, 0xffff_ffff),
            };
            let mask = if passed_over.upper { mask & 0xffff } else { mask };
            let narrow = |v: u64| if ty == Ty::F16Hi { v >> 16 & 0xffff } else { v & mask };
            let (g, w) = (canonical(ty, narrow(of(got))), canonical(ty, narrow(of(&case.after))));
            let unsure = !trust.sure && delicate(ty, g) && delicate(ty, w | 1);
            let unsure = unsure || passed_over.zero_sign && g == 0 && w == sign(ty);
            if g != w && !unsure && !(trust.approximate && near(instr.op, ty, g, w)) {
                return fail(lane, format!("v{r} = {g:x}, want {w:x}"));
            }
        }
    }
    let scalars = |what: String| Err(format!("{} from {:x?}: {what}", case.place, &case.before.s[..10]));
    let writes_mask =
        row.dst.iter().any(|ty| matches!(ty, Ty::Vcc | Ty::Mask | Ty::Exec)) && row.format != Format::Sop1;
    let select = |s: &WaveRegisters| u64::from(s.s[22]) | u64::from(s.s[23]) << 32;
    let masks = [
        ("vcc", got.vcc, case.after.vcc),
        ("exec", got.exec, case.after.exec),
        ("s22", select(got), select(&case.after)),
    ];
    for (name, g, w) in masks {
        let wrong = if writes_mask { (g ^ w) & !skip } else { g ^ w };
        if wrong != 0 && !passed_over.mask {
            return fail(wrong.trailing_zeros() as usize, format!("{name} = {g:x}, want {w:x}"));
        }
    }
    for r in (0..SGPRS).filter(|r| !(22..24).contains(r)) {
        let (g, w) = (got.s[r], case.after.s[r]);
        if g != w {
            return scalars(format!("s{r} = {g:x}, want {w:x}"));
        }
    }
    if got.scc != case.after.scc {
        return scalars(format!("SCC = {}", got.scc));
    }
    Ok(lanes as u32 - (skip & (!0 >> (64 - lanes))).count_ones())
}
