//! What is emitted for hosts of x86-64.

mod bits;
mod flags;
mod operands;

use crate::step::step_of;
use wavepipe_isa::insts::Op;
use wavepipe_jit::tested::x86::{Host, X86Isa, alone};

/// How many rows become code, and how many of them with an instruction whose name begins so.
fn counted(host: Host, prefix: &str) -> (usize, usize) {
    let codes = Op::all().filter_map(|op| {
        let step = step_of(op);
        alone(&step, 2, host)
    });
    let counts: Vec<bool> =
        codes.map(|code| code.iter().any(|i| format!("{:?}", i.code()).starts_with(prefix))).collect();
    (counts.len(), counts.iter().filter(|&&c| c).count())
}

#[test]
fn a_host_without_vpopcntdq_never_meets_its_instructions() {
    let of = |vpopcntdq| counted(Host { target: X86Isa::Avx512, vpopcntdq, streams_from: 0 }, "EVEX_Vpopcnt");
    let [with, without] = [true, false].map(of);
    assert!(with.0 > 500 && with.1 > 1, "too little was tried: {with:?}");
    assert_eq!(without, (with.0, 0));
}

#[test]
fn a_host_without_avx512_never_meets_its_instructions() {
    let (rows, evex) = counted(Host { target: X86Isa::Avx2, vpopcntdq: false, streams_from: 0 }, "EVEX");
    assert!(rows > 500, "too little was tried: {rows}");
    assert_eq!(evex, 0);
}
