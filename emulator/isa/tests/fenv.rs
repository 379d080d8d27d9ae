//! The floating-point environment of a thread, as a program may leave it.

use std::arch::asm;
use std::hint::black_box;
use wavepipe_isa::fenv::*;

/// MXCSR at the start of a process.
const DEFAULT: u32 = 0x1f80;

/// FTZ, DAZ, toward zero, and every exception but the inexact one traps.
const HOSTILE: u32 = 0x1f80 & !0x0f80 | 0xe040;

fn read() -> u32 {
    let mut bits = 0;
    // SAFETY: every x86-64 has SSE; the instruction stores four bytes to `bits`.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut bits, options(nostack, preserves_flags)) };
    bits
}

fn write(bits: u32) {
    // SAFETY: no reserved bit of the constants here is set, and the test sets the default back before code that expects it runs.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const bits, options(nostack, preserves_flags)) };
}

/// Without the exception flags.
fn control(bits: u32) -> u32 {
    bits & !0x3f
}

/// A call of its own, so that no arithmetic moves across a change of the register.
#[inline(never)]
fn apart<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// The smallest denormal, doubled; and a third, which rounds up to nearest.
fn compute() -> (u32, u32) {
    let sum = black_box(f32::from_bits(1)) + black_box(f32::from_bits(1));
    (sum.to_bits(), (black_box(2f32) / black_box(3f32)).to_bits())
}

#[test]
fn a_programs_environment_neither_comes_in_nor_gets_lost() {
    let right = compute();
    assert_eq!(right, (2, 0x3f2a_aaab));
    write(HOSTILE);
    let wrong = apart(compute);
    let inside = in_default(|| (compute(), black_box(1f32) / black_box(0f32), in_own(|| (control(read()), compute()))));
    let after = read();
    let panicked = std::panic::catch_unwind(|| in_default(|| panic!("on purpose"))).is_err();
    let last = read();
    set_default();
    assert_ne!(wrong, right, "the environment is hostile");
    assert_eq!(inside, (right, f32::INFINITY, (HOSTILE, wrong)));
    assert_eq!((control(after), control(last), panicked), (HOSTILE, HOSTILE, true));
    // A thread inherits; no flag of ours stays behind in a program that had the default.
    write(HOSTILE);
    let inherited = std::thread::spawn(|| {
        let before = read();
        set_default();
        (before, compute())
    });
    let inherited = inherited.join().unwrap();
    set_default();
    assert_eq!(inherited, (HOSTILE, right));
    write(DEFAULT);
    in_default(|| black_box(black_box(1f32) / black_box(3f32)));
    assert_eq!(read(), DEFAULT);
}
