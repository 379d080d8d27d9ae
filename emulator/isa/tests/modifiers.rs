//! What is done to a result after the operation: clamp of integers, output modifier and clamp of floats (RDNA 1 ISA document,
//! 6.5 and "Output modifiers").

use crate::common::Rng;
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::insts::{self as i, Op};
use wavepipe_isa::{Gen, asm, reference, saturate};

/// Results that their type holds: clamp changes nothing.
#[test]
fn clamp_leaves_what_fits() {
    let mut rng = Rng(11);
    let mut rows = 0;
    for op in Op::all().filter(|&op| saturate::applies(op)) {
        let name = op.row().name;
        rows += 1;
        for _ in 0..200 {
            let small = |least: u64, bytes: u32, rng: &mut Rng| {
                (0..8).filter(|n| bytes >> n & 1 != 0).map(|n| least + u64::from(rng.below(8)) << (8 * n)).sum::<u64>()
            };
            // Bytes for sums of differences, halves for packed rows; S0 is the greater, so that no difference is negative.
            let fields = if name.contains("sad") { 0xff } else { 1 | u32::from(name.contains("_pk_")) << 2 };
            let (x, y) = (small(8, fields, &mut rng), small(0, fields, &mut rng));
            let z = small(0, if name.contains("qsad_pk") { 0x55 } else { fields & 5 }, &mut rng);
            let s = if name.contains("subrev") { [y, x, z] } else { [x, y, z] };
            let carry = name.contains("_co_") && rng.chance(2);
            if let Some((plain, _)) = reference::evaluate(op, s, carry, FpMode::default()) {
                assert_eq!(saturate::saturated(op, s, carry), Some(plain), "{name}({s:x?}, {carry})");
            }
        }
    }
    assert!(rows > 40, "{rows} rows clamp integers");
}

/// Results that their type does not hold stop at its ends.
#[test]
fn clamp_holds_integers() {
    const MIN: u64 = 1 << 63;
    let ends: [(Op, [u64; 3], bool, u64); 26] = [
        (i::V_ADD_NC_U32, [0xffff_fff0, 0x20, 0], false, 0xffff_ffff),
        (i::V_ADD_CO_CI_U32, [0xffff_fff0, 0xf, 0], true, 0xffff_ffff),
        (i::V_SUB_CO_CI_U32, [5, 5, 0], true, 0),
        (i::V_SUBREV_NC_U32, [6, 5, 0], false, 0),
        (i::V_ADD_NC_I32, [0x7fff_ffff, 1, 0], false, 0x7fff_ffff),
        (i::V_SUB_NC_I32, [0x8000_0000, 1, 0], false, 0x8000_0000),
        (i::V_ADD_NC_U16, [0xfff0, 0x20, 0], false, 0xffff),
        (i::V_SUB_NC_U16, [1, 2, 0], false, 0),
        (i::V_ADD_NC_I16, [0x7fff, 1, 0], false, 0x7fff),
        (i::V_SUB_NC_I16, [0x8000, 1, 0], false, 0x8000),
        (i::V_MUL_LO_U16, [0x100, 0x100, 0], false, 0xffff),
        (i::V_MAD_I16, [0x100, 0xff00, 0], false, 0x8000),
        (i::V_MAD_U32_U16, [0xffff, 0xffff, 0xffff_ffff], false, 0xffff_ffff),
        (i::V_MAD_I32_I16, [0x8000, 0x7fff, 0x8000_0000], false, 0x8000_0000),
        // Of the factors 24 bits count.
        (i::V_MAD_U32_U24, [0x01ff_ffff, 0x0100_0100, 0], false, 0xffff_ff00),
        (i::V_MUL_I32_I24, [0x0080_0000, 0x1000, 0], false, 0x8000_0000),
        (i::V_MAD_U64_U32, [0xffff_ffff, 0xffff_ffff, u64::MAX], false, u64::MAX),
        (i::V_MAD_I64_I32, [0x8000_0000, 0x7fff_ffff, MIN], false, MIN),
        (i::V_SAD_HI_U8, [0xffff_ffff, 0, 0xff00_0000], false, 0xffff_ffff),
        (i::V_MSAD_U8, [0xffff_ffff, 1, 0xffff_ff00], false, 0xffff_fffe),
        (i::V_QSAD_PK_U16_U8, [0, 0x0101_0101, 0x0010_fffb_0001_fffe], false, 0x0014_ffff_0005_ffff),
        (i::V_MQSAD_PK_U16_U8, [0, 0x0001_0001, 0x0010_fffb_0001_fffe], false, 0x0012_fffd_0003_ffff),
        (i::V_PK_ADD_U16, [0x0001_ffff, 0x0002_0002, 0], false, 0x0003_ffff),
        (i::V_PK_SUB_U16, [0x0001_0005, 0x0002_0002, 0], false, 3),
        (i::V_PK_ADD_I16, [0x8000_7fff, 0xffff_0001, 0], false, 0x8000_7fff),
        (i::V_PK_MAD_I16, [0x7fff_0002, 0x0002_0003, 4], false, 0x7fff_000a),
    ];
    for (op, s, carry, held) in ends {
        assert_eq!(saturate::saturated(op, s, carry), Some(held), "{}({s:x?})", op.row().name);
    }
    assert_eq!(saturate::saturated(i::V_LSHLREV_B32, [1, 1, 0], false), None);
}

/// The output modifier acts where MODE flushes the denormals of results of that width and IEEE is off, and then also takes a
/// zero's sign; clamp follows it and acts always.
#[test]
fn output_modifiers_ask_mode() {
    let one_and_a_half = [("f16", 0x3e00u64), ("f32", 0x3fc0_0000), ("f64", 0x3ff8 << 48)];
    for (ty, value) in one_and_a_half {
        let (doubled, one, sign) = match ty {
            "f16" => (0x4200, 0x3c00, 1 << 15),
            "f32" => (0x4040_0000, 0x3f80_0000, 1 << 31),
            _ => (0x4008 << 48, 0x3ff0 << 48, 1 << 63),
        };
        let operands = if ty == "f64" { " v[0:1], v[2:3], v[4:5]" } else { "_e64 v0, v1, v2" };
        let parse = |modifier: &str| {
            let line = format!("v_mul_{ty}{operands} {modifier}");
            asm::parse_line(&line, Gen::Gfx1010, 32).unwrap_or_else(|e| panic!("{line}: {e}"))
        };
        let (twice, clamped) = (parse("mul:2"), parse("mul:2 clamp"));
        for bits in 0..64 {
            // FP_DENORM of f32, of f16 and f64; IEEE; DX10_CLAMP.
            let mode = FpMode::from_bits((bits & 15) << 4 | (bits >> 4 & 1) << 9 | (bits >> 5) << 8);
            let flushes = if ty == "f32" { bits & 2 == 0 } else { bits & 8 == 0 };
            let acts = flushes && bits & 16 == 0;
            let finish = |instr, v| reference::finish(instr, v, mode);
            assert_eq!(finish(&twice, value), if acts { doubled } else { value }, "{ty} {mode:?}");
            assert_eq!(finish(&twice, sign), if acts { 0 } else { sign }, "{ty} {mode:?}");
            assert_eq!(finish(&clamped, value), one, "{ty} {mode:?}");
        }
    }
}
