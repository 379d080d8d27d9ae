//! Integer results under the clamp bit: the exact result, held between the ends of the destination's type (RDNA 1 ISA
//! document, 6.5). Rows that are not listed have no result that could leave its type, or no use for the bit (moves, shifts,
//! bitwise operations, sums of three); there the bit changes nothing.

use crate::insts::{self as i, Op};
use crate::row::Ty;

/// What is summed, exactly.
#[derive(Clone, Copy)]
enum Exact {
    /// S0 + S1 + carry.
    Add,
    /// S0 − S1 − borrow.
    Sub,
    /// S1 − S0 − borrow.
    SubRev,
    /// S0 · S1 + S2.
    MulAdd,
    /// As `MulAdd`, of the factors' low 24 bits, signed or not.
    MulAdd24 { signed: bool },
    /// Σ S0 · S1 over fields of so many bits, + S2.
    Dot { bits: u32, signed: bool },
    /// Σ |S0 − S1| over fields of so many bits, shifted up, + S2; `masked`: fields where S1 is zero do not count.
    Differences { bits: u32, up: u32, masked: bool },
}

/// How the operands are read and where the result ends.
#[derive(Clone, Copy)]
enum Shape {
    /// One value; `Ty` of the result.
    Single(Ty),
    /// Two halves of 16 bits, signed or not.
    Packed { signed: bool },
    /// Four sums at byte steps of S0, each on 16 bits.
    Quad,
}

fn rule(op: Op) -> Option<(Exact, Shape)> {
    use Exact::*;
    use Shape::*;
    let packed = |signed| Packed { signed };
    let differences = |bits, up, masked| Differences { bits, up, masked };
    Some(match op {
        i::V_ADD_NC_U32 | i::V_ADD_CO_U32 | i::V_ADD_CO_U32_VCC | i::V_ADD_CO_CI_U32 => (Add, Single(Ty::U32)),
        i::V_SUB_NC_U32 | i::V_SUB_CO_U32 | i::V_SUB_CO_U32_VCC | i::V_SUB_CO_CI_U32 => (Sub, Single(Ty::U32)),
        i::V_SUBREV_NC_U32 | i::V_SUBREV_CO_U32 | i::V_SUBREV_CO_U32_VCC | i::V_SUBREV_CO_CI_U32 => {
            (SubRev, Single(Ty::U32))
        }
        i::V_ADD_NC_I32 => (Add, Single(Ty::I32)),
        i::V_SUB_NC_I32 => (Sub, Single(Ty::I32)),
        i::V_ADD_NC_U16 => (Add, Single(Ty::U16)),
        i::V_SUB_NC_U16 => (Sub, Single(Ty::U16)),
        i::V_ADD_NC_I16 => (Add, Single(Ty::I16)),
        i::V_SUB_NC_I16 => (Sub, Single(Ty::I16)),
        i::V_MUL_LO_U16 => (MulAdd, Single(Ty::U16)),
        i::V_SUBREV_U16 => (SubRev, Single(Ty::U16)),
        i::V_MAD_U16 | i::V_MAD_LEGACY_U16 => (MulAdd, Single(Ty::U16)),
        i::V_MAD_I16 | i::V_MAD_LEGACY_I16 => (MulAdd, Single(Ty::I16)),
        i::V_MAD_U32_U16 => (MulAdd, Single(Ty::U32)),
        i::V_MAD_I32_I16 => (MulAdd, Single(Ty::I32)),
        i::V_MUL_U32_U24 | i::V_MAD_U32_U24 => (MulAdd24 { signed: false }, Single(Ty::U32)),
        i::V_MUL_I32_I24 | i::V_MAD_I32_I24 => (MulAdd24 { signed: true }, Single(Ty::I32)),
        i::V_MAD_U64_U32 => (MulAdd, Single(Ty::U64)),
        i::V_MAD_I64_I32 => (MulAdd, Single(Ty::I64)),
        i::V_SAD_U8 => (differences(8, 0, false), Single(Ty::U32)),
        i::V_SAD_HI_U8 => (differences(8, 16, false), Single(Ty::U32)),
        i::V_SAD_U16 => (differences(16, 0, false), Single(Ty::U32)),
        i::V_SAD_U32 => (differences(32, 0, false), Single(Ty::U32)),
        i::V_MSAD_U8 | i::V_MQSAD_U32_U8 => (differences(8, 0, true), Single(Ty::U32)),
        i::V_QSAD_PK_U16_U8 => (differences(8, 0, false), Quad),
        i::V_MQSAD_PK_U16_U8 => (differences(8, 0, true), Quad),
        i::V_DOT2_I32_I16 => (Dot { bits: 16, signed: true }, Single(Ty::I32)),
        i::V_DOT2_U32_U16 => (Dot { bits: 16, signed: false }, Single(Ty::U32)),
        i::V_DOT4_I32_I8 => (Dot { bits: 8, signed: true }, Single(Ty::I32)),
        i::V_DOT4_U32_U8 => (Dot { bits: 8, signed: false }, Single(Ty::U32)),
        i::V_DOT8_I32_I4 => (Dot { bits: 4, signed: true }, Single(Ty::I32)),
        i::V_DOT8_U32_U4 => (Dot { bits: 4, signed: false }, Single(Ty::U32)),
        i::V_PK_ADD_U16 => (Add, packed(false)),
        i::V_PK_ADD_I16 => (Add, packed(true)),
        i::V_PK_SUB_U16 => (Sub, packed(false)),
        i::V_PK_SUB_I16 => (Sub, packed(true)),
        i::V_PK_MUL_LO_U16 | i::V_PK_MAD_U16 => (MulAdd, packed(false)),
        i::V_PK_MAD_I16 => (MulAdd, packed(true)),
        _ => return None,
    })
}

/// Whether clamp can change the row's integer result.
pub fn applies(op: Op) -> bool {
    rule(op).is_some()
}

fn read(ty: Ty, v: u64) -> i128 {
    match ty {
        Ty::U16 => i128::from(v as u16),
        Ty::I16 => i128::from(v as i16),
        Ty::I32 => i128::from(v as i32),
        Ty::I64 => i128::from(v as i64),
        Ty::U64 => i128::from(v),
        _ => i128::from(v as u32),
    }
}

fn hold(ty: Ty, v: i128) -> u64 {
    let (least, most) = match ty {
        Ty::U16 => (0, 0xffff),
        Ty::I16 => (-0x8000, 0x7fff),
        Ty::I32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        Ty::U64 => (0, i128::from(u64::MAX)),
        Ty::I64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
        _ => (0, i128::from(u32::MAX)),
    };
    let bits = v.clamp(least, most) as u64;
    match ty {
        Ty::U16 | Ty::I16 => bits & 0xffff,
        Ty::U64 | Ty::I64 => bits,
        _ => bits & 0xffff_ffff,
    }
}

fn exact(what: Exact, [x, y, z]: [i128; 3], carry: bool) -> i128 {
    match what {
        Exact::Add => x + y + i128::from(carry),
        Exact::Sub => x - y - i128::from(carry),
        Exact::SubRev => y - x - i128::from(carry),
        Exact::MulAdd => x * y + z,
        Exact::MulAdd24 { signed } => {
            let low = |v: i128| if signed { v << 104 >> 104 } else { v & 0xff_ffff };
            low(x) * low(y) + z
        }
        Exact::Dot { bits, signed } => {
            let down = 128 - bits;
            let field = |v: i128, n: u32| {
                let up = v << (down - n * bits);
                if signed { up >> down } else { (up as u128 >> down) as i128 }
            };
            (0..32 / bits).map(|n| field(x, n) * field(y, n)).sum::<i128>() + z
        }
        Exact::Differences { bits, up, masked } => {
            let field = |v: i128, n: u32| v >> (n * bits) & ((1 << bits) - 1);
            let of = |n| (field(x, n), field(y, n));
            let fields = (0..32 / bits).map(of).filter(|&(_, y)| !masked || y != 0);
            (fields.map(|(x, y)| (x - y).abs()).sum::<i128>() << up) + z
        }
    }
}

/// The clamped result of a row on prepared sources (in the row's order, the condition apart), if clamp can change it.
pub fn saturated(op: Op, s: [u64; 3], carry: bool) -> Option<u64> {
    let (what, shape) = rule(op)?;
    let row = op.row();
    Some(match shape {
        Shape::Single(ty) => {
            let operand = |n: usize| match row.src.get(n) {
                None | Some(Ty::Vcc | Ty::Mask) => 0,
                Some(&ty) => read(ty, s[n]),
            };
            hold(ty, exact(what, [0, 1, 2].map(operand), carry))
        }
        Shape::Packed { signed } => {
            let ty = if signed { Ty::I16 } else { Ty::U16 };
            let third = if row.src.len() > 2 { s[2] } else { 0 };
            let half = |up: u32| hold(ty, exact(what, [s[0], s[1], third].map(|v| read(ty, v >> up)), false));
            half(0) | half(16) << 16
        }
        Shape::Quad => (0..4).fold(0, |all, n| {
            let operands = [read(Ty::U32, s[0] >> (8 * n)), read(Ty::U32, s[1]), read(Ty::U16, s[2] >> (16 * n))];
            all | hold(Ty::U16, exact(what, operands, false)) << (16 * n)
        }),
    })
}
