//! The floating-point environment of a host thread: rounding, flushing of denormals, trapping.
//!
//! Meanings are computed with the host's floats, which obey a register of the thread: MXCSR on x86-64, FPCR on AArch64. A
//! program may have set it to anything, and a new thread inherits it. So threads of ours begin with [`set_default`], and
//! code of ours on a program's thread runs [`in_default`], which gives the thread its own environment back.
//!
//! The x87 control word is left alone: Rust's floats, and the C library's below `long double`, do not use that unit.
//! On other hosts there is nothing here to set, and threads are taken to compute as IEEE 754 has it by default.

use std::cell::Cell;

thread_local! {
    /// What the program had set, while code of ours runs on its thread in another environment.
    static OWN: Cell<Option<register::Bits>> = const { Cell::new(None) };
}

/// From now on this thread rounds to nearest even, keeps denormals, and traps nothing.
pub fn set_default() {
    if register::control(register::read()) != register::DEFAULT {
        register::write(register::DEFAULT);
    }
}

/// Runs `body` as after [`set_default`]. The thread's own environment comes back whole, with its exception flags, also when
/// `body` panics.
pub fn in_default<R>(body: impl FnOnce() -> R) -> R {
    let own = register::read();
    let _restore = Restore(own, OWN.get());
    if register::control(own) != register::DEFAULT {
        register::write(register::DEFAULT);
        OWN.set(Some(own));
    }
    apart(body)
}

/// Runs `body`, a program's callback, in the environment that [`in_default`] found on this thread.
pub fn in_own<R>(body: impl FnOnce() -> R) -> R {
    let Some(own) = OWN.get() else { return apart(body) };
    let _restore = Restore(register::read(), OWN.replace(None));
    register::write(own);
    apart(body)
}

/// Sets the environment back, and what [`OWN`] was.
struct Restore(register::Bits, Option<register::Bits>);

impl Drop for Restore {
    fn drop(&mut self) {
        if register::read() != self.0 {
            register::write(self.0);
        }
        if OWN.get() != self.1 {
            OWN.set(self.1);
        }
    }
}

/// A call of its own, so that no arithmetic of `body` moves across the change of the register.
#[inline(never)]
fn apart<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[cfg(target_arch = "x86_64")]
mod register {
    use std::arch::asm;

    pub type Bits = u32;
    /// MXCSR at the start of a process: round to nearest even, no FTZ, no DAZ, all exceptions masked, none raised.
    pub const DEFAULT: Bits = 0x1f80;

    /// Without the exception flags, which change nothing.
    pub fn control(bits: Bits) -> Bits {
        bits & !0x3f
    }

    pub fn read() -> Bits {
        let mut bits: Bits = 0;
        // SAFETY: every x86-64 has SSE; the instruction stores four bytes to `bits`.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut bits, options(nostack, preserves_flags)) };
        bits
    }

    pub fn write(bits: Bits) {
        // SAFETY: `bits` was read from this register or is its default, so no reserved bit is set. Whoever changes the
        // environment sets it back before code that expects another runs.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const bits, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod register {
    use std::arch::asm;

    pub type Bits = u64;
    /// FPCR at the start of a process: round to nearest even, nothing flushed, nothing trapped. Exception flags are in FPSR.
    pub const DEFAULT: Bits = 0;

    pub fn control(bits: Bits) -> Bits {
        bits
    }

    pub fn read() -> Bits {
        let bits: Bits;
        // SAFETY: the register can be read by everybody.
        unsafe { asm!("mrs {}, fpcr", out(reg) bits, options(nostack, preserves_flags)) };
        bits
    }

    pub fn write(bits: Bits) {
        // SAFETY: `bits` was read from this register or is its default. Whoever changes the environment sets it back before
        // code that expects another runs.
        unsafe { asm!("msr fpcr, {}", in(reg) bits, options(nostack, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod register {
    pub type Bits = ();
    pub const DEFAULT: Bits = ();

    pub fn control((): Bits) -> Bits {}
    pub fn read() -> Bits {}
    pub fn write((): Bits) {}
}
