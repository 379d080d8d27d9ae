//! Mask registers.

use super::cpu::{Cpu, Flags};
use iced_x86::{Instruction, Mnemonic, OpKind};

/// Whether it was one of these.
///
/// # Safety
/// A memory operand can be read.
pub unsafe fn step(s: &mut Cpu, i: &Instruction) -> bool {
    use Mnemonic::*;
    let k = |s: &Cpu, n: u32| s.k[i.op_register(n).number()];
    const WORD: u64 = 0xffff;
    let result = match i.mnemonic() {
        Kmovw | Kmovd => {
            let bits = if i.mnemonic() == Kmovw { WORD } else { u64::from(u32::MAX) };
            let value = match i.op_kind(1) {
                OpKind::Register if i.op_register(1).is_k() => k(s, 1),
                // SAFETY: the caller's promise.
                _ => unsafe { s.operand(i, 1) },
            } & bits;
            if !i.op_register(0).is_k() {
                s.set(i.op_register(0), value);
                return true;
            }
            value
        }
        Kandw => k(s, 1) & k(s, 2) & WORD,
        Kandnw => !k(s, 1) & k(s, 2) & WORD,
        Korw => (k(s, 1) | k(s, 2)) & WORD,
        Kxorw => (k(s, 1) ^ k(s, 2)) & WORD,
        Kxnorw => !(k(s, 1) ^ k(s, 2)) & WORD,
        Knotw => !k(s, 1) & WORD,
        Kunpckwd => (k(s, 1) & WORD) << 16 | k(s, 2) & WORD,
        Kshiftrd => (k(s, 1) & u64::from(u32::MAX)).checked_shr(i.immediate(2) as u32).unwrap_or(0),
        Kortestw => {
            let either = (k(s, 0) | k(s, 1)) & WORD;
            s.flags = Flags {
                zero: Some(either == 0),
                carry: Some(either == WORD),
                sign: Some(false),
                overflow: Some(false),
            };
            return true;
        }
        _ => return false,
    };
    s.k[i.op_register(0).number()] = result;
    true
}
