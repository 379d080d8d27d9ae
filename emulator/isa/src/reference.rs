//! One lane at a time: the meaning of each row with any MODE. The constant folder, tests and anything that wants an answer
//! rather than speed use it; the interpreter instantiates the same bodies.

use std::sync::LazyLock;

use crate::alu::{Alu, Carry, Compare, Engine, FpMode, Host, Lane, Nearest, Wide, WideCarry, mode_of};
use crate::instr::{Extra, Instr};
use crate::insts::{self, Op};
use crate::reg::Src;
use crate::row::{Format, Row, Ty};

type Words = [u32; 2];

/// A row's body, by kind.
#[derive(Clone, Copy)]
pub enum Meaning {
    Lane(fn(&mut Host, [u32; 3]) -> u32),
    Compare(fn(&mut Host, [Words; 2]) -> bool),
    Carry(fn(&mut Host, [u32; 3], bool) -> (u32, bool)),
    Wide(fn(&mut Host, [Words; 3]) -> (Words, bool)),
    WideCarry(fn(&mut Host, [Words; 3], bool) -> (Words, bool)),
    /// The row has no body: memory, cross-lane, control, or not executed.
    Data,
}

struct Reference;

impl Engine for Reference {
    type Out = Meaning;
    fn lane<K: Lane>(_: &'static Row) -> Meaning {
        Meaning::Lane(K::eval::<Host>)
    }
    fn compare<K: Compare>(_: &'static Row) -> Meaning {
        Meaning::Compare(K::eval::<Host>)
    }
    fn carry<K: Carry>(_: &'static Row) -> Meaning {
        Meaning::Carry(K::eval::<Host>)
    }
    fn wide<K: Wide>(_: &'static Row) -> Meaning {
        Meaning::Wide(K::eval::<Host>)
    }
    fn wide_carry<K: WideCarry>(_: &'static Row) -> Meaning {
        Meaning::WideCarry(K::eval::<Host>)
    }
    fn data(_: &'static Row) -> Meaning {
        Meaning::Data
    }
}

static MEANINGS: LazyLock<Vec<Meaning>> = LazyLock::new(insts::instantiate::<Reference>);

pub fn meaning(op: Op) -> Meaning {
    MEANINGS[op.0 as usize]
}

/// Result (low bits) and condition of a row on sources in the row's order (conditions as `carry`, not as a source);
/// `None` if the row has no body. A comparison's answer is the condition.
pub fn evaluate(op: Op, s: [u64; 3], carry: bool, mode: FpMode) -> Option<(u64, bool)> {
    let mut a = Host { mode: mode_of(mode, op.row().class) };
    let low = s.map(|v| v as u32);
    let words = s.map(|v| [v as u32, (v >> 32) as u32]);
    let join = |w: Words| u64::from(w[0]) | u64::from(w[1]) << 32;
    Some(match meaning(op) {
        Meaning::Lane(f) => (u64::from(f(&mut a, low)), false),
        Meaning::Compare(f) => (0, f(&mut a, [words[0], words[1]])),
        Meaning::Carry(f) => {
            let (v, c) = f(&mut a, low, carry);
            (u64::from(v), c)
        }
        Meaning::Wide(f) => {
            let (v, c) = f(&mut a, words);
            (join(v), c)
        }
        Meaning::WideCarry(f) => {
            let (v, c) = f(&mut a, words, carry);
            (join(v), c)
        }
        Meaning::Data => return None,
    })
}

/// The value of an inline constant or literal as an operand of `ty` reads it; `None` for registers.
pub fn constant(src: Src, ty: Ty, literal: u32) -> Option<u64> {
    let sixteen = matches!(ty, Ty::F16 | Ty::PkF16);
    let double = matches!(ty, Ty::F64);
    Some(match src {
        Src::LITERAL if double => u64::from(literal) << 32,
        Src::LITERAL if ty == Ty::I64 => literal as i32 as i64 as u64,
        Src::LITERAL => u64::from(literal),
        Src(240..=248) if sixteen => {
            let v = f32::from_bits(src.inline_value()?);
            u64::from(crate::alu::f16_bits(v.into()))
        }
        Src::INV_2PI if ty.dwords(32) == 2 => 0x3fc4_5f30_6dc9_c882,
        Src(240..=247) if ty.dwords(32) == 2 => f64::from(f32::from_bits(src.inline_value()?)).to_bits(),
        s if ty.dwords(32) == 2 => i64::from(s.inline_value()? as i32) as u64,
        s => u64::from(s.inline_value()?),
    })
}

/// Source `i` after op_sel, SDWA select, absolute value and negation.
pub fn modify(instr: &Instr, i: usize, raw: u64, mode: FpMode) -> u64 {
    let row = instr.op.row();
    let ty = row.src[i];
    let m = instr.mods;
    let bit = |mask: u8| mask >> i & 1 != 0;
    let mut v = raw;
    if let Extra::Sdwa(s) = instr.extra
        && i < 2
    {
        let select = if i == 0 { s.src0_sel } else { s.src1_sel };
        let (shift, width) = match select {
            n @ 0..=3 => (8 * u32::from(n), 8),
            4 => (0, 16),
            5 => (16, 16),
            _ => (0, 32),
        };
        let field = (v as u32) >> shift << (32 - width);
        v = u64::from(if s.sext >> i & 1 != 0 { (field as i32 >> (32 - width)) as u32 } else { field >> (32 - width) });
    }
    match ty {
        Ty::PkF16 | Ty::PkU16 if row.format == Format::Vop3p => {
            let half = |hi: bool| (if hi { v >> 16 } else { v }) as u32 & 0xffff;
            let (mut low, mut high) = (half(bit(m.op_sel)), half(bit(m.op_sel_hi)));
            if ty == Ty::PkF16 {
                low ^= u32::from(bit(m.neg)) << 15;
                high ^= u32::from(bit(m.neg_hi)) << 15;
            }
            return u64::from(low | high << 16);
        }
        Ty::Mix => {
            let mut word = v as u32;
            if bit(m.op_sel_hi) {
                let half = if bit(m.op_sel) { word >> 16 } else { word & 0xffff };
                word = Host { mode }.f32_from_f16(half);
            }
            if bit(m.neg_hi) {
                word &= 0x7fff_ffff;
            }
            return u64::from(word ^ u32::from(bit(m.neg)) << 31);
        }
        Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 if bit(m.op_sel) => v = v >> 16 & 0xffff,
        _ => {}
    }
    let sign = match ty {
        Ty::F16 => 1u64 << 15,
        Ty::F32 => 1 << 31,
        Ty::F64 => 1 << 63,
        _ => return v,
    };
    if bit(m.abs) {
        v &= !sign;
    }
    if bit(m.neg) { v ^ sign } else { v }
}

/// Whether MODE lets the output modifier of a result of this type act: results' denormals flushed, IEEE off (ISA document,
/// "Output modifiers").
pub const fn output_modifier_acts(ty: Ty, mode: FpMode) -> bool {
    let keeps = match ty {
        Ty::F32 => mode.denorm32 & 2 != 0,
        _ => mode.denorm16_64 & 2 != 0,
    };
    !keeps && !mode.ieee
}

/// A float result after output modifier and clamp; integer results as they are ([`crate::saturate`] clamps them).
pub fn finish(instr: &Instr, value: u64, mode: FpMode) -> u64 {
    let row = instr.op.row();
    let mut a = Host { mode };
    let m = instr.mods;
    // Also −0 becomes +0.
    let clamp = |v: f64| match v {
        _ if v.is_nan() => {
            if mode.dx10_clamp {
                0.0
            } else {
                v
            }
        }
        _ if v > 0.0 => v.min(1.0),
        _ => 0.0,
    };
    let scale = [1.0f32, 2.0, 4.0, 0.5][usize::from(m.omod & 3)];
    let scaled = m.omod != 0 && row.dst.first().is_some_and(|&ty| output_modifier_acts(ty, mode));
    // The modifier's multiplication turns −0 into +0.
    let unsigned_zero = |v: u64, sign: u64| if v == sign { 0 } else { v };
    match row.dst.first() {
        Some(Ty::F32) => {
            let mut v = value as u32;
            if scaled {
                v = unsigned_zero(a.fmul(v, scale.to_bits()).into(), 1 << 31) as u32;
            }
            u64::from(if m.clamp { (clamp(f32::from_bits(v).into()) as f32).to_bits() } else { v })
        }
        Some(Ty::F64) => {
            let mut v = f64::from_bits(value);
            if scaled {
                let product = a.dmul([value as u32, (value >> 32) as u32], {
                    let s = f64::from(scale).to_bits();
                    [s as u32, (s >> 32) as u32]
                });
                v = f64::from_bits(unsigned_zero(u64::from(product[0]) | u64::from(product[1]) << 32, 1 << 63));
            }
            (if m.clamp { clamp(v) } else { v }).to_bits()
        }
        Some(Ty::F16 | Ty::F16Hi) => {
            let mut v = value as u32 & 0xffff;
            if scaled {
                v = unsigned_zero(a.hmul(v, crate::alu::f16_bits(scale.into())).into(), 1 << 15) as u32;
            }
            if m.clamp {
                v = crate::alu::f16_bits(clamp(half(v)));
            }
            u64::from(v)
        }
        Some(Ty::PkF16) if m.clamp => {
            let half = |v: u32| crate::alu::f16_bits(clamp(half(v & 0xffff)));
            u64::from(half(value as u32) | half((value >> 16) as u32) << 16)
        }
        _ => value,
    }
}

fn half(v: u32) -> f64 {
    f32::from_bits(Nearest.f32_from_f16(v)).into()
}
