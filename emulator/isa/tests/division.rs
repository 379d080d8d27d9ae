//! Division as compilers expand it (scale, reciprocal, Newton steps, fmas, fixup) is correctly rounded.

use crate::common;
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::reference::evaluate;

fn op(op: Op, s: [u64; 3], carry: bool) -> (u64, bool) {
    evaluate(op, s, carry, FpMode::default()).expect("a body")
}

struct Rows {
    scale: Op,
    rcp: Op,
    fma: Op,
    mul: Op,
    fmas: Op,
    fixup: Op,
    sign: u64,
    one: u64,
    /// Newton steps on the reciprocal.
    steps: usize,
}

const F32: Rows = Rows {
    scale: insts::V_DIV_SCALE_F32,
    rcp: insts::V_RCP_F32,
    fma: insts::V_FMA_F32,
    mul: insts::V_MUL_F32,
    fmas: insts::V_DIV_FMAS_F32,
    fixup: insts::V_DIV_FIXUP_F32,
    sign: 1 << 31,
    one: 0x3f80_0000,
    steps: 1,
};
const F64: Rows = Rows {
    scale: insts::V_DIV_SCALE_F64,
    rcp: insts::V_RCP_F64,
    fma: insts::V_FMA_F64,
    mul: insts::V_MUL_F64,
    fmas: insts::V_DIV_FMAS_F64,
    fixup: insts::V_DIV_FIXUP_F64,
    sign: 1 << 63,
    one: 0x3ff0_0000_0000_0000,
    steps: 2,
};

fn divide(r: &Rows, n: u64, d: u64) -> u64 {
    let fma = |x, y, z| op(r.fma, [x, y, z], false).0;
    let (ds, _) = op(r.scale, [d, d, n], false);
    let (ns, post) = op(r.scale, [n, d, n], false);
    let minus = ds ^ r.sign;
    let mut y = op(r.rcp, [ds, 0, 0], false).0;
    for _ in 0..r.steps {
        let e = fma(minus, y, r.one);
        y = fma(e, y, y);
    }
    let mut q = op(r.mul, [ns, y, 0], false).0;
    if r.steps == 1 {
        let e = fma(minus, q, ns);
        q = fma(e, y, q);
    }
    let e = fma(minus, q, ns);
    let q = op(r.fmas, [e, y, q], post).0;
    op(r.fixup, [q, d, n], false).0
}

const SPECIAL32: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    3.0,
    f32::MAX,
    f32::MIN_POSITIVE,
    1e-38,
    3e38,
    1e30,
    1e-30,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

#[test]
fn f32_division_is_correctly_rounded() {
    let mut rng = common::Rng(1);
    let check = |n: f32, d: f32| {
        let want = n / d;
        // The last step's result is scaled after its rounding, so denormal quotients are rounded twice.
        let got = f32::from_bits(divide(&F32, n.to_bits().into(), d.to_bits().into()) as u32);
        let tiny = want.abs() < f32::MIN_POSITIVE && want != 0.0;
        let near = tiny && got.to_bits().abs_diff(want.to_bits()) <= 1;
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan() || near,
            "{n:e} / {d:e} = {want:e}, not {got:e}"
        );
    };
    for n in SPECIAL32 {
        for d in SPECIAL32 {
            check(n, d);
        }
    }
    for _ in 0..200_000 {
        let (n, d) = (f32::from_bits(rng.next() as u32), f32::from_bits(rng.next() as u32));
        check(n, d);
    }
}

#[test]
fn f64_division_is_correctly_rounded() {
    let mut rng = common::Rng(2);
    for _ in 0..200_000 {
        let (n, d) = (f64::from_bits(rng.next()), f64::from_bits(rng.next()));
        let want = n / d;
        let got = f64::from_bits(divide(&F64, n.to_bits(), d.to_bits()));
        let tiny = want.abs() < f64::MIN_POSITIVE;
        let near = tiny && got.to_bits().abs_diff(want.to_bits()) <= 1;
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan() || near,
            "{n:e} / {d:e} = {want:e}, not {got:e}"
        );
    }
}
