//! Operands that stay in memory.

use crate::step::step_of;
use iced_x86::{Code, OpKind};
use wavepipe_core::wave::{Operand, Step};
use wavepipe_isa::insts::Op;
use wavepipe_jit::tested::x86::{Host, X86Isa, alone};

const V: fn(u32) -> Operand = Operand::Vgpr;
const HALF: Operand = Operand::Constant([0x3f00_0000, 0]);

/// Instructions of a step with these operands, the last one's operand of memory first: for all lanes alike, a row, or none.
fn step(target: X86Isa, name: &str, source: [Operand; 3]) -> (Option<bool>, usize) {
    let op = Op::all().find(|op| op.row().name == name).unwrap();
    let host = Host { target, vpopcntdq: true, streams_from: 0 };
    let code = alone(&Step { source, ..step_of(op) }, 1, host).unwrap();
    // With AVX2, lanes that do not live are kept by a blend behind it.
    let by = code.iter().rev().find(|i| !matches!(i.code(), Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm)).unwrap();
    let reads_memory = (0..by.op_count()).any(|n| by.op_kind(n) == OpKind::Memory);
    (reads_memory.then(|| by.is_broadcast()), code.len())
}

#[test]
fn what_one_instruction_reads_alone_stays_in_memory() {
    use X86Isa::{Avx2, Avx512};
    // The other operand is loaded, and what the lanes that do not live keep: an addend in their place.
    for (name, source, wide) in [
        ("v_add_f32", [V(0), V(1), V(2)], (false, 3)),
        ("v_mul_f32", [V(1), HALF, V(2)], (true, 3)),
        ("v_max_u32", [HALF, V(1), V(2)], (true, 3)),
        ("v_sub_f32", [V(0), HALF, V(2)], (true, 3)),
        ("v_sub_f32", [HALF, V(0), V(2)], (false, 3)),
        ("v_fma_f32", [V(0), V(1), HALF], (false, 4)),
        // Factors change places.
        ("v_fma_f32", [HALF, V(1), V(1)], (true, 4)),
    ] {
        assert_eq!(step(Avx512, name, source), (Some(wide.0), wide.1), "{name} {source:?}");
        assert_eq!(step(Avx2, name, source).0, Some(false), "{name} {source:?}");
    }
    // What is read twice is loaded.
    assert_eq!(step(Avx512, "v_add_f32", [V(0), V(0), V(2)]).0, None);
}
