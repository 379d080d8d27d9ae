//! What a row reads of MODE, and how many float operations it is.

use wavepipe_isa::alu::{FpMode, Host};
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::reference::{Meaning, evaluate, meaning};
use wavepipe_isa::watch::{ModeParts, float_ops, mode_parts};

#[test]
fn known_rows() {
    assert_eq!(mode_parts(insts::V_ADD_NC_U32), ModeParts::empty());
    assert_eq!(mode_parts(insts::V_MOV_B32), ModeParts::empty());
    assert_eq!(mode_parts(insts::V_FMA_F32), ModeParts::F32);
    assert!(mode_parts(insts::V_MIN_F32).contains(ModeParts::IEEE));
    assert!(mode_parts(insts::V_FMA_F64).contains(ModeParts::F16_F64));
}

/// What AMD's manual says that each computes, counted by hand.
#[test]
fn float_operations_of_known_rows() {
    let rows = [
        (insts::V_ADD_F32, [0, 1, 0]),
        (insts::V_SUBREV_F32, [0, 1, 0]),
        (insts::V_MUL_F32, [0, 1, 0]),
        (insts::V_FMA_F32, [0, 2, 0]),
        (insts::V_FMAC_F32, [0, 2, 0]),
        (insts::V_PK_FMA_F16, [4, 0, 0]),
        (insts::V_PK_ADD_F16, [2, 0, 0]),
        (insts::V_FMA_MIX_F32, [0, 2, 0]),
        (insts::V_FMA_F64, [0, 0, 2]),
        (insts::V_ADD_F64, [0, 0, 1]),
        (insts::V_SIN_F32, [0, 1, 0]),
        (insts::V_RCP_F16, [1, 0, 0]),
        (insts::V_MAX_F32, [0; 3]),
        (insts::V_MOV_B32, [0; 3]),
        (insts::V_CVT_F32_I32, [0; 3]),
        (insts::V_CMP_LT_F32, [0; 3]),
        (insts::V_MUL_LO_U32, [0; 3]),
        (insts::S_ADD_U32, [0; 3]),
    ];
    for (op, ops) in rows {
        assert_eq!(float_ops(op), ops, "{}", op.row().name);
    }
}

/// A part that a row is said not to read changes no result, whatever its sources.
#[test]
fn unread_parts_change_nothing() {
    let words = [
        0u32,
        1,
        0x8000_0000,
        0x3f80_0000,
        0x0040_0000,
        0x8000_0001,
        0x7f80_0001,
        0x7fc0_0000,
        0xff80_0000,
        0x3c01_0001,
        0x7c01_83ff,
        0x4b80_0001,
        0x7fef_ffff,
        0x3eaa_aaab,
        17,
    ];
    let usual = FpMode::default();
    let variants = [
        (ModeParts::F32, FpMode { round32: 1, denorm32: 0, ..usual }),
        (ModeParts::F32, FpMode { round32: 3, denorm32: 1, ..usual }),
        (ModeParts::F16_F64, FpMode { round16_64: 2, denorm16_64: 0, ..usual }),
        (ModeParts::IEEE, FpMode { ieee: true, ..usual }),
    ];
    let mut n = 0usize;
    let mut word = || {
        n += 1;
        words[n * 7919 / 3 % words.len()]
    };
    for op in Op::all().filter(|&op| !matches!(meaning(op), Meaning::Data)) {
        for _ in 0..60 {
            let s = [(); 3].map(|()| u64::from(word()) | u64::from(word()) << 32);
            let want = evaluate(op, s, false, usual);
            for (parts, mode) in variants {
                assert!(
                    mode_parts(op).contains(parts) || evaluate(op, s, false, mode) == want,
                    "{op:?} reads {parts:?}: {s:x?}, {:?}",
                    Host { mode }
                );
            }
        }
    }
}
