//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

pub use crate::hoist::{Hoisted, Left};
pub use crate::legal::{CORE, expansion, legalise};
pub use crate::operations;
pub use crate::record::{D, F, Id, Node, Recorder};

use crate::items::items;
use wavepipe_core::wave::Region;

/// Finds what a region's loops compare where they are entered, all its steps being calls.
pub fn hoisted(region: &Region) -> Hoisted {
    Hoisted::of(region, &items(region, &|_| None).0)
}

/// Tells whether Cranelift makes code of a step.
#[cfg(any(target_arch = "aarch64", all(target_arch = "x86_64", feature = "cranelift")))]
pub fn clif_takes(step: &wavepipe_core::wave::Step, halves: usize) -> bool {
    crate::clif::region::plan(step, halves).is_some()
}

/// What is emitted for x86-64.
#[cfg(target_arch = "x86_64")]
pub mod x86 {
    pub use crate::bits::{OPERANDS, composed, exchanged};
    pub use crate::x86::region::alone;
    pub use crate::x86::{Host, X86Isa};

    use crate::x86::emit::Emitter;
    use iced_x86::{Code, Instruction, Register};

    /// Returns the jumps that branch if a word is not zero, and if it is, after these instructions, with the last label after `joined` of
    /// them; and the number of instructions that the emitter adds for it.
    pub fn jumps_behind(code: &[Instruction], joined: usize, r: Register) -> Option<([Code; 2], usize)> {
        let mut e = Emitter::new(1, Host { target: X86Isa::Avx2, vpopcntdq: false, streams_from: 0 });
        e.code.extend(code);
        e.joined = joined;
        let jumps = e.jumps_by(r).ok()?;
        Some((jumps, e.code.len() - code.len()))
    }
}
