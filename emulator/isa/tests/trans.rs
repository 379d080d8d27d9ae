//! The bounds that body/trans.rs states, against f64, and the special values that the ISA document lists.

use wavepipe_isa::alu::{Alu, FpMode, Nearest};
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::reference::evaluate;
use wavepipe_isa::row::Class;

fn run(op: Op, x: f32) -> f32 {
    f32::from_bits(evaluate(op, [u64::from(x.to_bits()), 0, 0], false, FpMode::default()).expect("a body").0 as u32)
}

/// Error in ulps of the exact result.
fn error(got: f32, exact: f64) -> f64 {
    let near = exact as f32;
    let ulp = f64::from(f32::from_bits((near.abs().to_bits() & 0x7f80_0000).max(0x0080_0000))) * 2f64.powi(-23);
    (f64::from(got) - exact).abs() / ulp
}

fn sweep(op: Op, range: impl Iterator<Item = f32>, exact: impl Fn(f64) -> f64) -> (f64, f32) {
    let mut worst = (0.0, 0.0);
    for x in range {
        let e = error(run(op, x), exact(f64::from(x)));
        if e > worst.0 {
            worst = (e, x);
        }
    }
    println!("{op:?}: {:.3} ulp at {:e}", worst.0, worst.1);
    worst
}

fn bits(from: f32, to: f32, step: u32) -> impl Iterator<Item = f32> {
    (from.to_bits()..=to.to_bits()).step_by(step as usize).map(f32::from_bits)
}

#[test]
fn exp2_and_log2_are_within_one_ulp() {
    let all = || bits(1e-6, 127.9, 1009).chain(bits(1e-6, 125.9, 1013).map(|x| -x));
    assert!(sweep(insts::V_EXP_F32, all(), f64::exp2).0 < 1.0);
    assert!(sweep(insts::V_LOG_F32, bits(1.2e-38, 3.4e38, 4099), f64::log2).0 < 1.0);
    assert!(sweep(insts::V_LOG_F32, bits(0.9, 1.1, 7), f64::log2).0 < 1.0);
    assert!(sweep(insts::V_LOG_F32, bits(1e-44, 1.1e-38, 509), f64::log2).0 < 1.0);
}

#[test]
fn sine_and_cosine_of_turns() {
    let turns = || bits(1e-5, 300.0, 811).chain(bits(1e-5, 300.0, 877).map(|x| -x));
    let absolute = |op, f: fn(f64) -> f64| {
        turns()
            .map(|x| (f64::from(run(op, x)) - f(f64::from(x).fract() * std::f64::consts::TAU)).abs())
            .fold(0.0, f64::max)
    };
    let (sin, cos) = (absolute(insts::V_SIN_F32, f64::sin), absolute(insts::V_COS_F32, f64::cos));
    println!("sin {sin:e} cos {cos:e} absolute");
    assert!(sin < 2f64.powi(-22) && cos < 2f64.powi(-22));
    // Around the extremes, where rounding may lead past them.
    for x in bits(1e-5, 1e-2, 13).chain(bits(0.49, 0.51, 13)).chain(bits(0.24, 0.26, 13)) {
        for (op, x) in [(insts::V_COS_F32, x), (insts::V_COS_F32, -x), (insts::V_SIN_F32, x), (insts::V_SIN_F32, -x)] {
            assert!(run(op, x).abs() <= 1.0, "{op:?}({x:e})");
        }
    }
    let quarter = bits(1e-30, 0.25, 2003);
    assert!(sweep(insts::V_SIN_F32, quarter, |x| (x * std::f64::consts::TAU).sin()).0 < 3.0);
}

#[test]
fn special_values() {
    let (inf, max) = (f32::INFINITY, f32::MAX);
    for (op, x, want) in [
        (insts::V_EXP_F32, -inf, 0.0),
        (insts::V_EXP_F32, -0.0, 1.0),
        (insts::V_EXP_F32, inf, inf),
        (insts::V_EXP_F32, 128.0, inf),
        (insts::V_EXP_F32, -149.0, f32::from_bits(1)),
        (insts::V_LOG_F32, -0.0, -inf),
        (insts::V_LOG_F32, 0.0, -inf),
        (insts::V_LOG_F32, 1.0, 0.0),
        (insts::V_LOG_F32, inf, inf),
        (insts::V_LOG_F32, 8.0, 3.0),
        (insts::V_SIN_F32, -max, 0.0),
        (insts::V_SIN_F32, -0.0, -0.0),
        (insts::V_SIN_F32, 0.25, 1.0),
        (insts::V_COS_F32, -max, 1.0),
        (insts::V_COS_F32, 0.0, 1.0),
        (insts::V_COS_F32, 0.5, -1.0),
        (insts::V_RCP_F32, -inf, -0.0),
        (insts::V_RCP_F32, -0.0, -inf),
        (insts::V_RSQ_F32, 4.0, 0.5),
        (insts::V_RSQ_F32, -0.0, -inf),
        (insts::V_FRACT_F32, -1e-20, f32::from_bits(0x3f7f_ffff)),
    ] {
        assert_eq!(run(op, x).to_bits(), want.to_bits(), "{op:?}({x:e})");
    }
    for (op, x) in [
        (insts::V_LOG_F32, -inf),
        (insts::V_LOG_F32, -1.0),
        (insts::V_SIN_F32, inf),
        (insts::V_COS_F32, -inf),
        (insts::V_RSQ_F32, -inf),
        (insts::V_EXP_F32, f32::NAN),
        (insts::V_LOG_F32, f32::NAN),
    ] {
        assert!(run(op, x).is_nan(), "{op:?}({x:e})");
    }
}

/// Results within a bound of the true value are the same in every rounding mode.
#[test]
fn transcendentals_do_not_follow_the_rounding_of_mode() {
    let rows: Vec<Op> = Op::all().filter(|op| op.row().class == Class::Trans).collect();
    assert!(rows.len() >= 14);
    let mode = |round: u32| FpMode::from_bits(0x1f0 | round | round << 2);
    for op in rows {
        for x in bits(1e-3, 60.0, 1_000_003) {
            // The same number in each width that a row may read.
            let half = u64::from(Nearest.f16_from_f32(x.to_bits()));
            for source in [u64::from(x.to_bits()), half, f64::from(x).to_bits()] {
                let [near, up, down, zero] = [0, 1, 2, 3].map(|r| evaluate(op, [source, 0, 0], false, mode(r)));
                assert!([up, down, zero] == [near; 3], "{op:?}({source:x}): {near:?}, {up:?}, {down:?}, {zero:?}");
            }
        }
    }
}
