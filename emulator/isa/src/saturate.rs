//! Integer results under the clamp bit: the exact result, held between the ends of the destination's type (RDNA 1 ISA
//! document, 6.5). Rows without a [`Clamp`] have no result that could leave its type, or no use for the bit (moves, shifts,
//! bitwise operations, sums of three); there the bit changes nothing.

use crate::insts::Op;
use crate::row::{Clamp, Shape, Sum, Ty};

/// Whether clamp can change the row's integer result.
pub fn applies(op: Op) -> bool {
    op.row().clamp.is_some()
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

fn exact(sum: Sum, [x, y, z]: [i128; 3], carry: bool) -> i128 {
    let dot = |bits: u32, signed: bool| {
        let down = 128 - bits;
        let field = |v: i128, n: u32| {
            let up = v << (down - n * bits);
            if signed { up >> down } else { (up as u128 >> down) as i128 }
        };
        (0..32 / bits).map(|n| field(x, n) * field(y, n)).sum::<i128>() + z
    };
    let differences = |bits: u32, up: u32, masked: bool| {
        let field = |v: i128, n: u32| v >> (n * bits) & ((1 << bits) - 1);
        let fields = (0..32 / bits).map(|n| (field(x, n), field(y, n))).filter(|&(_, y)| !masked || y != 0);
        (fields.map(|(x, y)| (x - y).abs()).sum::<i128>() << up) + z
    };
    match sum {
        Sum::Add => x + y + i128::from(carry),
        Sum::Sub => x - y - i128::from(carry),
        Sum::SubRev => y - x - i128::from(carry),
        Sum::MulAdd => x * y + z,
        Sum::MulAddU24 => (x & 0xff_ffff) * (y & 0xff_ffff) + z,
        Sum::MulAddI24 => (x << 104 >> 104) * (y << 104 >> 104) + z,
        Sum::DotU(bits) => dot(bits, false),
        Sum::DotI(bits) => dot(bits, true),
        Sum::Differences(bits, up) => differences(bits, up, false),
        Sum::MaskedDifferences => differences(8, 0, true),
    }
}

/// The clamped result of a row on prepared sources (in the row's order, the condition apart), if clamp can change it.
pub fn saturated(op: Op, s: [u64; 3], carry: bool) -> Option<u64> {
    let row = op.row();
    let Clamp { sum, shape } = row.clamp?;
    let single = |ty: Ty| {
        let operand = |n: usize| match row.src.get(n) {
            None | Some(Ty::Vcc | Ty::Mask) => 0,
            Some(&ty) => read(ty, s[n]),
        };
        hold(ty, exact(sum, [0, 1, 2].map(operand), carry))
    };
    let packed = |ty: Ty| {
        let third = if row.src.len() > 2 { s[2] } else { 0 };
        let half = |up: u32| hold(ty, exact(sum, [s[0], s[1], third].map(|v| read(ty, v >> up)), false));
        half(0) | half(16) << 16
    };
    Some(match shape {
        Shape::U16 => single(Ty::U16),
        Shape::I16 => single(Ty::I16),
        Shape::U32 => single(Ty::U32),
        Shape::I32 => single(Ty::I32),
        Shape::U64 => single(Ty::U64),
        Shape::I64 => single(Ty::I64),
        Shape::PkU16 => packed(Ty::U16),
        Shape::PkI16 => packed(Ty::I16),
        Shape::Quad => (0..4).fold(0, |all, n| {
            let operands = [read(Ty::U32, s[0] >> (8 * n)), read(Ty::U32, s[1]), read(Ty::U16, s[2] >> (16 * n))];
            all | hold(Ty::U16, exact(sum, operands, false)) << (16 * n)
        }),
    })
}
