//! One lane at a time, of values that are defined in part ([`alu::Partial`](crate::alu::Partial)): which bits of a result depend on
//! bits that never got a value. Bodies are the table's; what stands around them (selects, signs, output modifiers) is
//! here, beside [`crate::reference`]'s.

use std::sync::LazyLock;

use crate::alu::{Bits, Carry, Compare, Engine, FpMode, Lane, Partial, Truth, Wide, WideCarry, mode_of};
use crate::instr::{Instr, Mods};
use crate::insts::{self, Op};
use crate::reference;
use crate::row::{Row, Ty};
use crate::saturate;

/// Low and high word.
pub type Words = [Bits; 2];

/// A row's body, on three sources and a condition.
type Meaning = fn(&mut Partial, [Words; 3], Truth) -> (Words, Truth);

struct Partially;

const NONE: Bits = Bits::defined(0);
const NEVER: Truth = Truth::new(false, false);

fn low(s: [Words; 3]) -> [Bits; 3] {
    s.map(|w| w[0])
}

impl Engine for Partially {
    type Out = Option<Meaning>;
    fn lane<K: Lane>(_: &'static Row) -> Option<Meaning> {
        Some(|a, s, _| ([K::eval(a, low(s)), NONE], NEVER))
    }
    fn compare<K: Compare>(_: &'static Row) -> Option<Meaning> {
        Some(|a, [x, y, _], _| ([NONE; 2], K::eval(a, [x, y])))
    }
    fn carry<K: Carry>(_: &'static Row) -> Option<Meaning> {
        Some(|a, s, c| {
            let (v, c) = K::eval(a, low(s), c);
            ([v, NONE], c)
        })
    }
    fn wide<K: Wide>(_: &'static Row) -> Option<Meaning> {
        Some(|a, s, _| K::eval(a, s))
    }
    fn wide_carry<K: WideCarry>(_: &'static Row) -> Option<Meaning> {
        Some(|a, s, c| K::eval(a, s, c))
    }
    fn data(_: &'static Row) -> Option<Meaning> {
        None
    }
}

/// Result and condition of a row, as [`reference::evaluate`]; `None` if the row has no body.
pub fn evaluate(op: Op, s: [Words; 3], carry: Truth, mode: FpMode) -> Option<(Words, Truth)> {
    static MEANINGS: LazyLock<Vec<Option<Meaning>>> = LazyLock::new(insts::instantiate::<Partially>);
    let body = (*MEANINGS.get(op.0 as usize)?)?;
    Some(body(&mut Partial::new(mode_of(mode, op.row().class)), s, carry))
}

fn joined(w: Words, part: impl Fn(Bits) -> u32) -> u64 {
    u64::from(part(w[0])) | u64::from(part(w[1])) << 32
}

fn split(value: u64, undefined: u64) -> Words {
    [Bits::new(value as u32, undefined as u32), Bits::new((value >> 32) as u32, (undefined >> 32) as u32)]
}

/// Source `i` after selects and signs, as [`reference::modify`].
pub fn modify(instr: &Instr, i: usize, raw: Words, mode: FpMode) -> Words {
    let (m, ty) = (instr.mods, instr.op.row().src[i]);
    let bit = |mask: u8| mask >> i & 1 != 0;
    let value = reference::modify(instr, i, joined(raw, |b| b.value), mode);
    let moved = joined(raw, |b| b.undefined);
    if ty == Ty::Mix {
        // An absolute value has a sign that is defined.
        let known = if bit(m.neg_hi) { 1 << 31 } else { 0 };
        let undefined = match (bit(m.op_sel_hi), bit(m.op_sel)) {
            (false, _) => moved as u32,
            (true, false) if moved & 0xffff == 0 => 0,
            (true, true) if moved & 0xffff_0000 == 0 => 0,
            _ => !0,
        };
        return split(value, u64::from(undefined & !known));
    }
    // What moves bits moves these too; a select that extends the sign repeats it. Signs that change stay what they are.
    let still = Instr { mods: Mods { neg: 0, neg_hi: 0, ..m }, ..*instr };
    split(value, reference::modify(&still, i, moved, mode))
}

/// A result after output modifier and clamp, as [`reference::finish`].
pub fn finish(instr: &Instr, result: Words, mode: FpMode) -> Words {
    let value = reference::finish(instr, joined(result, |b| b.value), mode);
    let undefined = joined(result, |b| b.undefined);
    let changed = instr.mods.omod != 0 || instr.mods.clamp;
    let all = |mask: u64| match undefined & mask {
        0 => 0,
        _ if changed => mask,
        some => some,
    };
    let undefined = match instr.op.row().dst.first() {
        Some(Ty::F32) => all(0xffff_ffff),
        Some(Ty::F64) => all(!0),
        Some(Ty::F16 | Ty::F16Hi) => all(0xffff),
        Some(Ty::PkF16) => all(0xffff) | all(0xffff_0000),
        _ => undefined,
    };
    split(value, undefined)
}

/// Whether the clamp bit makes every bit of this integer result depend on every bit of its sources: which end the result is held to.
pub fn saturates(instr: &Instr) -> bool {
    instr.mods.clamp && saturate::applies(instr.op)
}
