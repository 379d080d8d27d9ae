//! A processor with AVX-512 in software: it executes what our emitter emits for that target, on hosts of x86-64 that lack it.
//!
//! ```text
//! load:  bytes to instructions by iced's decoder, branches to numbers of instructions
//! run:   one instruction after the other: [`scalar`] general registers and flags, [`masks`] k0 to k7, [`vector`] zmm0 to zmm31 and
//!        their memory, [`floats`] what a lane of floats does
//! ```
//!
//! It is strict where the convention or the manual is: what a call may change is changed, what an instruction leaves undefined cannot
//! be read, what has to be given back as it was is held against what it was, aligned accesses are. An instruction that is not here is
//! a panic which names it. The meanings are those of Intel's manual (Software Developer's Manual, volume 2), in the floating-point
//! environment that host code runs in: round to nearest even, denormals kept, nothing trapped.

mod cpu;
mod floats;
mod integers;
mod masks;
mod scalar;
#[cfg(test)]
mod tests;
mod vector;

use cpu::Cpu;
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, OpKind};
use std::collections::HashMap;
use std::sync::Arc;
use wavepipe_core::wave::{HostCode, HostFrame, HostRun};
use wavepipe_jit::{Feature, HostIsa, Processor};

/// The engine of a target, executed in software; `None`: it has not what that takes.
pub fn engine(target: HostIsa, without: &[Feature], code_bytes: usize) -> Option<Arc<dyn HostCode>> {
    if target != HostIsa::Avx512 {
        return None;
    }
    println!("SOFTWARE {}", target.name());
    wavepipe_jit::engine_on(Arc::new(Software), target, 1, without, code_bytes)
}

struct Software;

impl Processor for Software {
    fn load(&self, code: &[u8]) -> Box<dyn HostRun> {
        Box::new(Program::new(code))
    }
}

/// A function's instructions.
struct Program {
    code: Vec<Instruction>,
    /// Of a branch, the number of the instruction that it goes to.
    targets: Vec<usize>,
}

/// Where control goes behind an instruction.
enum Then {
    Next,
    Branch,
    Return,
}

impl Program {
    fn new(bytes: &[u8]) -> Program {
        let code: Vec<Instruction> = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE).into_iter().collect();
        let at: HashMap<u64, usize> = code.iter().enumerate().map(|(n, i)| (i.ip(), n)).collect();
        let targets = code.iter().map(|i| match i.op_kind(0) {
            OpKind::NearBranch64 => at[&i.near_branch64()],
            _ => usize::MAX,
        });
        Program { targets: targets.collect(), code }
    }

    /// # Safety
    /// As of a call of the bytes.
    unsafe fn execute(&self, state: &mut Cpu) {
        let mut at = 0;
        loop {
            let i = &self.code[at];
            // SAFETY: the caller's promise: each instruction accesses what the function may.
            let then = unsafe { step(state, i) };
            at = match then {
                Then::Next => at + 1,
                Then::Branch => self.targets[at],
                Then::Return => return,
            };
        }
    }
}

/// # Safety
/// The instruction's memory operand is what the code may access, and a call's function can be called.
unsafe fn step(state: &mut Cpu, i: &Instruction) -> Then {
    assert_ne!(i.code(), Code::INVALID, "no instruction at byte {:#x}", i.ip());
    match i.flow_control() {
        FlowControl::ConditionalBranch => {
            return if state.holds(i.condition_code()) { Then::Branch } else { Then::Next };
        }
        FlowControl::UnconditionalBranch => return Then::Branch,
        FlowControl::Return => return Then::Return,
        _ => {}
    }
    // SAFETY: the caller's promise.
    let known = unsafe { scalar::step(state, i) || masks::step(state, i) || vector::step(state, i) };
    assert!(known, "the processor in software lacks {i} ({:?})", i.code());
    Then::Next
}

impl HostRun for Program {
    unsafe fn run(&self, frame: &mut HostFrame) -> u64 {
        let mut stack = [0u64; 512];
        let mut state = Cpu::entered(&mut stack, std::ptr::from_mut(frame).expose_provenance() as u64);
        let before = state.kept();
        // SAFETY: the caller's promise; the stack is larger than what the emitter's functions take of it.
        unsafe { self.execute(&mut state) };
        assert_eq!(state.kept(), before, "registers that are the caller's, and RSP");
        state.result()
    }
}
