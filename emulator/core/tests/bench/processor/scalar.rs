//! General registers, flags, stack and calls.

use super::cpu::{Cpu, Flags};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bits of an operand's value.
fn mask(bytes: usize) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

fn negative(value: u64, bytes: usize) -> bool {
    value >> (8 * bytes - 1) & 1 != 0
}

/// The result, and what ADD, SUB and CMP say of it.
fn sum(a: u64, b: u64, bytes: usize, less: bool) -> (u64, Flags) {
    let (a, b) = (a & mask(bytes), b & mask(bytes));
    let d = if less { a.wrapping_sub(b) } else { a.wrapping_add(b) } & mask(bytes);
    let carry = if less { a < b } else { d < a };
    let [x, y, z] = [a, b, d].map(|v| negative(v, bytes));
    let overflow = if less { x != y && z != x } else { x == y && z != x };
    (d, Flags { carry: Some(carry), overflow: Some(overflow), ..of(d, bytes) })
}

/// Zero and sign, the others undefined.
fn of(d: u64, bytes: usize) -> Flags {
    Flags { zero: Some(d == 0), sign: Some(negative(d, bytes)), ..Flags::default() }
}

/// Of AND, OR, XOR and TEST.
fn logical(d: u64, bytes: usize) -> Flags {
    Flags { carry: Some(false), overflow: Some(false), ..of(d, bytes) }
}

/// Whether it was one of these.
///
/// # Safety
/// Memory operands can be accessed, and a call's function can be called with what registers hold.
pub unsafe fn step(s: &mut Cpu, i: &Instruction) -> bool {
    use Mnemonic::*;
    let bytes = s.width(i, 0);
    // SAFETY: the caller's promise, here and below.
    let source = |s: &Cpu, n: u32| unsafe { s.operand(i, n) };
    let atomic = i.has_lock_prefix() || i.mnemonic() == Xchg;
    if atomic && i.op_kind(0) == OpKind::Memory {
        // SAFETY: as above.
        unsafe { exchange(s, i) };
        return true;
    }
    let result = match i.mnemonic() {
        Mov | Movzx => source(s, 1),
        Movsxd => source(s, 1) as i32 as u64,
        Movsx => {
            let unused = 64 - 8 * s.width(i, 1);
            ((source(s, 1) << unused) as i64 >> unused) as u64
        }
        Lea => s.address(i),
        Add | Sub => {
            let (d, flags) = sum(source(s, 0), source(s, 1), bytes, i.mnemonic() == Sub);
            s.flags = flags;
            d
        }
        Cmp => {
            s.flags = sum(source(s, 0), source(s, 1), bytes, true).1;
            return true;
        }
        And | Or | Xor | Test => {
            let (a, b) = (source(s, 0), source(s, 1));
            // A register by itself is zero whatever it held.
            let d = match i.mnemonic() {
                And | Test => a & b,
                Or => a | b,
                _ => a ^ b,
            } & mask(bytes);
            s.flags = logical(d, bytes);
            if i.mnemonic() == Test {
                return true;
            }
            d
        }
        Not => !source(s, 0),
        Neg => {
            let (d, flags) = sum(0, source(s, 0), bytes, true);
            s.flags = flags;
            d
        }
        Shl | Shr | Sar => {
            let n = source(s, 1) & if bytes == 8 { 63 } else { 31 };
            let a = source(s, 0);
            let d = match i.mnemonic() {
                Shl => a << n,
                Shr => a >> n,
                _ => ((a << (64 - 8 * bytes)) as i64 >> (64 - 8 * bytes) >> n) as u64,
            } & mask(bytes);
            if n != 0 {
                s.flags = of(d, bytes);
            }
            d
        }
        Shlx => source(s, 1) << (source(s, 2) & 31),
        Shrx => source(s, 1) >> (source(s, 2) & 31),
        Sarx => (source(s, 1) as i32 >> (source(s, 2) & 31)) as u32 as u64,
        Imul => {
            let (a, b) = match i.op_count() {
                2 => (source(s, 0), source(s, 1)),
                _ => (source(s, 1), source(s, 2)),
            };
            s.flags = Flags::default();
            a.wrapping_mul(b) & mask(bytes)
        }
        Lzcnt | Tzcnt | Popcnt => {
            let a = source(s, 1);
            let bits = 8 * bytes as u64;
            let d = match i.mnemonic() {
                Lzcnt => u64::from(a.leading_zeros()) - (64 - bits),
                Tzcnt => u64::from(a.trailing_zeros()).min(bits),
                _ => a.count_ones().into(),
            };
            s.flags = Flags { zero: Some(d == 0), ..Flags::default() };
            if i.mnemonic() != Popcnt {
                s.flags.carry = Some(a == 0);
            }
            d
        }
        Blsr => {
            let a = source(s, 1);
            let d = a & a.wrapping_sub(1);
            s.flags = Flags { carry: Some(a == 0), overflow: Some(false), ..of(d, bytes) };
            d
        }
        Bswap => u64::from((source(s, 0) as u32).swap_bytes()),
        Xchg | Xadd => {
            let (a, b) = (source(s, 0), source(s, 1));
            let d = if i.mnemonic() == Xchg {
                b
            } else {
                let (d, flags) = sum(a, b, bytes, false);
                s.flags = flags;
                d
            };
            s.set(i.op_register(1), a);
            d
        }
        Cmova | Cmovae | Cmovb | Cmove | Cmovg | Cmovge | Cmovl | Cmovne => {
            let taken = s.holds(i.condition_code());
            source(s, u32::from(taken))
        }
        Seta | Setae | Setb | Setbe | Sete | Setne | Setg | Setge | Setl | Setle | Seto => {
            u64::from(s.holds(i.condition_code()))
        }
        Cmpxchg => {
            let (there, wanted) = (source(s, 0), s.get(Register::EAX));
            s.flags = sum(wanted, there, bytes, true).1;
            s.set(Register::EAX, there);
            if there == wanted { source(s, 1) } else { there }
        }
        Push => {
            let value = source(s, 0);
            // SAFETY: as above.
            unsafe { s.push(value) };
            return true;
        }
        // SAFETY: as above.
        Pop => unsafe { s.pop() },
        Call => {
            let function = source(s, 0);
            // SAFETY: as above.
            unsafe { call(s, function) };
            return true;
        }
        Sfence => {
            std::sync::atomic::fence(Ordering::SeqCst);
            return true;
        }
        Prefetcht0 => return true,
        _ => return false,
    };
    // SAFETY: as above.
    unsafe { s.put(i, 0, result) };
    true
}

/// What is one for all threads, of a dword.
///
/// # Safety
/// It can be accessed.
unsafe fn exchange(s: &mut Cpu, i: &Instruction) {
    use Mnemonic::*;
    assert_eq!(i.memory_size().size(), 4, "{i}");
    let at = s.address(i);
    assert!(at.is_multiple_of(4), "{i} at {at:#x}");
    // SAFETY: the caller's promise, and it is aligned.
    let dword = unsafe { AtomicU32::from_ptr(with_exposed_provenance_mut(at as usize)) };
    let value = s.get(i.op_register(1)) as u32;
    let order = Ordering::SeqCst;
    if i.mnemonic() == Cmpxchg {
        let wanted = s.get(Register::EAX) as u32;
        let there = dword.compare_exchange(wanted, value, order, order).unwrap_or_else(|there| there);
        s.flags = sum(wanted.into(), there.into(), 4, true).1;
        s.set(Register::EAX, there.into());
        return;
    }
    let before = match i.mnemonic() {
        Add | Xadd => dword.fetch_add(value, order),
        Sub => dword.fetch_sub(value, order),
        And => dword.fetch_and(value, order),
        Or => dword.fetch_or(value, order),
        Xor => dword.fetch_xor(value, order),
        Xchg => dword.swap(value, order),
        other => panic!("lock {other:?}"),
    };
    match i.mnemonic() {
        Xadd | Xchg => s.set(i.op_register(1), before.into()),
        _ => {}
    }
    if i.mnemonic() != Xchg {
        s.flags = Flags::default();
    }
}

/// # Safety
/// It is a function of the System V convention that can be called with what registers hold.
unsafe fn call(s: &mut Cpu, function: u64) {
    type Function = unsafe extern "sysv64" fn(u64, u64, u64, u64, u64, u64) -> u64;
    assert_eq!(s.get(Register::RSP) % 16, 0, "the stack at a call");
    let function = with_exposed_provenance_mut::<()>(function as usize);
    // SAFETY: the caller's promise: an address of a function.
    let function = unsafe { std::mem::transmute::<*mut (), Function>(function) };
    let [a, b, c, d, e, f] =
        [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9].map(|r| s.get(r));
    // SAFETY: the caller's promise. More arguments than the function has are not looked at.
    let result = unsafe { function(a, b, c, d, e, f) };
    s.called(result);
}
