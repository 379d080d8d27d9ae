//! What two operations of a VOPD pair may have together.

use super::{accepts, on_bus};
use crate::generation::Gen;
use crate::instr::{Form, Instr};
use crate::insts as i;
use crate::reg::Src;
use crate::row::{Encoding, Format, Ty};

/// Numbers from here up are of the second half alone.
const SECOND_ONLY: u16 = 16;

/// VGPR banks: sources of the two halves must come from different ones of four, accumulators and destinations from different
/// ones of two.
fn same_bank(a: Src, b: Src, banks: u32) -> bool {
    a.is_vgpr() && b.is_vgpr() && a.vgpr() % banks == b.vgpr() % banks
}

pub(super) fn check(first: &Instr, second: &Instr, generation: Gen) -> Result<(), String> {
    let (x, y) = (first.op.row(), second.op.row());
    let fail = |what: String| Err(format!("{} :: {}: {what}", x.name, y.name));
    match (x.encoding(generation), y.encoding(generation)) {
        (Some(Encoding { opcode: 0..SECOND_ONLY, .. }), Some(Encoding { format: Format::Vopd, .. })) => {}
        _ => return fail(format!("are no pair on {}", generation.name())),
    }
    for (n, &ty) in y.src.iter().enumerate() {
        let ok = accepts(second.op, Form::Base, n, generation);
        let fits = match second.src[n] {
            _ if !Form::Base.encodes(y, ty) => true,
            s if s.is_vgpr() => ok.vgpr,
            Src::NONE => false,
            _ => ok.scalar,
        };
        if !fits {
            return fail(format!("source {n} of the second half cannot be {:?}", second.src[n]));
        }
    }
    if !second.dst[0].is_vgpr() || same_bank(first.dst[0], second.dst[0], 2) {
        return fail("one destination must be an even VGPR, the other an odd one".into());
    }
    // By place among three: a literal has none of the three, an accumulator stands in the third.
    let operands = |instr: &Instr| {
        let row = instr.op.row();
        [(0, 4), (1, 4), (2, 2)].map(|(n, banks)| match row.src.get(n) {
            None | Some(Ty::Lit32 | Ty::Vcc) => (Src::NONE, banks),
            Some(Ty::Old) => (instr.dst[0], banks),
            Some(_) => (instr.src[n], banks),
        })
    };
    let moves = first.op == i::V_DUAL_MOV_B32 && second.op == i::V_DUAL_MOV_B32;
    let exempt = generation.caps().dual_moves_share_banks && moves;
    for (n, (&(a, banks), &(b, _))) in operands(first).iter().zip(&operands(second)).enumerate() {
        if !exempt && same_bank(a, b, banks) {
            return fail(format!("source {n} of both comes from one bank: {a:?}, {b:?}"));
        }
    }
    let mut bus = Vec::new();
    for half in [first, second] {
        for (src, ty) in half.src.iter().zip(half.op.row().src) {
            let src = match ty {
                Ty::Lit32 => Src::LITERAL,
                Ty::Vcc => Src::VCC_LO,
                Ty::Old => continue,
                _ => *src,
            };
            if on_bus(src) && !bus.contains(&src) {
                bus.push(src);
            }
        }
    }
    if bus.len() > generation.caps().constant_bus {
        return fail(format!(
            "read {} scalar values, of {} that the constant bus carries",
            bus.len(),
            generation.caps().constant_bus
        ));
    }
    Ok(())
}
