//! Atomics whose order does not matter: what several lanes do to one dword is what one does with their data together.

use wavepipe_isa::row::AtomicOp;

/// How lanes' data come together.
#[derive(Clone, Copy)]
pub struct Together {
    /// An atomic's own operation.
    pub by: AtomicOp,
    /// What changes nothing by that.
    pub none: u32,
}

/// `None`: what lanes do depends on what is there.
pub fn together(op: AtomicOp) -> Option<Together> {
    use AtomicOp::{Add, And, Or, SMax, SMin, Sub, UMax, UMin, Xor};
    let (by, none) = match op {
        // Less one, less the other.
        Add | Sub => (Add, 0),
        Or | Xor | UMax => (op, 0),
        And | UMin => (op, !0),
        SMin => (op, i32::MAX as u32),
        SMax => (op, i32::MIN as u32),
        _ => return None,
    };
    Some(Together { by, none })
}
