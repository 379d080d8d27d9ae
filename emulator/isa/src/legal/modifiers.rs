//! Modifiers: what each has to modify, and which selects and controls are reserved.

use crate::generation::{Dpp, Gen};
use crate::instr::{Dpp16, Extra, Form, Instr};
use crate::row::{Format, Sem, Traits, Ty};
use crate::saturate;

/// Checks that every modifier has something to modify, and that selects and controls are none of the reserved ones.
pub(super) fn check(instr: &Instr, generation: Gen) -> Result<(), String> {
    let row = instr.op.row();
    let m = &instr.mods;
    let family = row.family(generation);
    let fail = |what: &str| Err(format!("{}: {what}", row.name));
    let takes_imm = match row.format {
        Format::Sopp => row.src.contains(&Ty::Imm16),
        Format::Smem | Format::Mubuf => row.src.contains(&Ty::SOffset),
        Format::Global => !row.src.is_empty(),
        Format::Ds => !matches!(row.sem, Sem::Control(_)),
        _ => true,
    };
    if instr.imm != 0 && !takes_imm {
        return fail("takes no constant");
    }
    if !matches!(
        row.format,
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p | Format::Vintrp | Format::Vinterp
    ) {
        return Ok(());
    }
    let float = |t: &Ty| {
        matches!(
            t,
            Ty::F16
                | Ty::F32
                | Ty::F64
                | Ty::PkF16
                | Ty::F16Hi
                | Ty::Mix
                | Ty::PkBf16
                | Ty::Bf16
                | Ty::PkF32
                | Ty::SF32
                | Ty::SF16
        )
    };
    let half = |t: &Ty| matches!(t, Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 | Ty::PkF16 | Ty::F16Hi | Ty::Bf16);
    let values = row.src.iter().filter(|t| instr.form.encodes(row, **t) && !matches!(t, Ty::Mask | Ty::Vcc));
    let all = (1u8 << values.count().min(3)) - 1;
    if (m.neg | m.abs | m.neg_hi) & !all != 0 {
        return fail("modifies a source that it does not have");
    }
    let any_float = row.src.iter().any(float);
    if let Extra::Dpp16(d) = instr.extra
        && !permutes(d, generation)
    {
        return fail("a reserved DPP control");
    }
    if row.format == Format::Vop3p {
        return packed(instr, all).map_err(|what| format!("{}: {what}", row.name));
    }
    // An integer beside a float may be negated: LLVM writes sext(…).
    let halves = row.src.iter().chain(row.dst).any(half);
    // Under lane permutation LLVM has a sign for 16-bit integers too.
    let signed = instr.form.permutes() && (family == Format::Vop3 && halves || row.src == [Ty::Half]);
    if m.neg | m.abs != 0 && !any_float && !(signed && m.abs == 0) {
        return fail("takes no negation or absolute value");
    }
    if m.omod != 0 && (row.format == Format::Vopc || !any_float && !row.dst.iter().any(float)) {
        return fail("takes no output multiplier");
    }
    let clamps = match row.format {
        _ if !generation.caps().integer_clamp => row.dst.iter().any(float),
        Format::Vopc => row.src.iter().all(float),
        _ if instr.form == Form::Sdwa => true,
        _ => any_float || row.dst.iter().any(float) || saturate::applies(instr.op),
    };
    // Of 16-bit VOP3 operations without a result to hold back, the bit is ignored and not reserved.
    let ignored = family == Format::Vop3 && row.dst.iter().any(half);
    if m.clamp && !clamps && !ignored {
        return fail("takes no clamp");
    }
    if m.op_sel != 0 {
        let permlane = row.traits.contains(Traits::ROW_SELECTS);
        let room = match row.format {
            _ if permlane => 3,
            Format::Vinterp if halves => 15,
            _ if row.dst == [Ty::Byte] => 12,
            _ if row.src == [Ty::Byte] => 3,
            _ if row.src == [Ty::Half] => 9,
            // One of the register's two halves of bytes.
            _ if row.dst == [Ty::PkF32] => 1,
            Format::Vop3 if halves && family == Format::Vop3 && !row.traits.contains(Traits::NO_OP_SEL) => all | 8,
            Format::Vop2 if halves && generation.caps().true16 && row.src.contains(&Ty::Old) => 15,
            _ => 0,
        };
        if m.op_sel & !room != 0 {
            return fail("selects halves of what has none");
        }
        // Text names no half of a scalar.
        if row.src == [Ty::Half] && m.op_sel & 1 != 0 && !instr.src[0].is_vgpr() {
            return fail("selects a half of a scalar");
        }
    }
    if let Extra::Sdwa(s) = instr.extra {
        if s.dst_sel > 6 || s.src0_sel > 6 || s.src1_sel > 6 || s.dst_unused > 2 {
            return fail("a reserved SDWA select");
        }
        for (i, ty) in row.src.iter().enumerate().take(2) {
            let of = |mask: u8| mask >> i & 1 != 0;
            if of(s.sext) && float(ty) || of(m.neg | m.abs) && !float(ty) {
                return fail("negates an integer or extends a float");
            }
        }
        if s.sext & !all != 0 {
            return fail("extends a source that it does not have");
        }
    }
    Ok(())
}

/// Whether the generation has this permutation.
fn permutes(d: Dpp16, generation: Gen) -> bool {
    let known = match d.ctrl {
        0..=0xff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x140 | 0x141 => true,
        0x150..=0x16f => generation.caps().dpp >= Dpp::Gfx10,
        0x130 | 0x134 | 0x138 | 0x13c | 0x142 | 0x143 => generation.caps().dpp == Dpp::Gfx8,
        _ => false,
    };
    known && d.row_mask <= 15 && d.bank_mask <= 15
}

/// Modifiers of VOP3P; `all` has a bit for each source.
fn packed(instr: &Instr, all: u8) -> Result<(), &'static str> {
    let row = instr.op.row();
    let m = &instr.mods;
    let has = |traits: Traits| row.traits.contains(traits);
    let matrix = has(Traits::MATRIX);
    let key = match row.src.get(2) {
        Some(Ty::Sparse8) => Some(3),
        Some(Ty::Sparse16 | Ty::Sparse32) => Some(1),
        _ => None,
    };
    let halves = match key {
        Some(key) => key,
        None if matrix && !has(Traits::HALVES) || has(Traits::BYTES) => 0,
        None => all,
    };
    let pairs = if matrix && !has(Traits::HALVES) || has(Traits::BYTES) { all } else { 0 };
    if m.op_sel & !halves != 0 || m.op_sel_hi & !all != 0 || m.op_sel_hi & pairs != pairs {
        return Err("selects halves of what has none");
    }
    // Of matrices that stand twice in a wave, nothing is reserved.
    let integers = has(Traits::INTEGERS) && matches!(row.src[0], Ty::Matrix1 | Ty::Matrix2 | Ty::Matrix4);
    let signs = match key {
        Some(_) if has(Traits::BYTES) => 0,
        Some(_) => 3,
        None if has(Traits::BYTES) => 4,
        None if integers => 3,
        None => all,
    };
    let upper = if integers { 0 } else { signs };
    if m.neg & !signs != 0 || m.neg_hi & !upper != 0 {
        return Err("changes a sign that cannot be changed");
    }
    if m.clamp && (matrix && !has(Traits::INTEGERS) || has(Traits::BYTES)) {
        return Err("takes no clamp");
    }
    Ok(())
}
