//! Registers, flags, and the memory that instructions name.

use iced_x86::{ConditionCode, Instruction, OpKind, Register};
use std::ptr::with_exposed_provenance_mut;

/// What registers hold that nobody has written or a call has changed.
const ANYTHING: u64 = 0xa5a5_5a5a_dead_beef;
const RSP: usize = 4;
/// Numbers of the registers that a function gives back as they were: RBX, RSP, RBP, R12 to R15.
const KEPT: [usize; 7] = [3, RSP, 5, 12, 13, 14, 15];

pub type Zmm = [u32; 16];

/// `None`: undefined.
#[derive(Clone, Copy, Default)]
pub struct Flags {
    pub carry: Option<bool>,
    pub zero: Option<bool>,
    pub sign: Option<bool>,
    pub overflow: Option<bool>,
}

pub struct Cpu {
    general: [u64; 16],
    pub zmm: [Zmm; 32],
    pub k: [u64; 8],
    pub flags: Flags,
}

impl Cpu {
    /// At a function's first instruction, with its only argument.
    pub fn entered(stack: &mut [u64], argument: u64) -> Cpu {
        let mut state = Cpu {
            general: [ANYTHING; 16],
            zmm: [[ANYTHING as u32; 16]; 32],
            k: [ANYTHING; 8],
            flags: Flags::default(),
        };
        for (n, r) in KEPT.into_iter().enumerate() {
            state.general[r] = ANYTHING.rotate_left(n as u32);
        }
        // Where the caller's address would be returned to: not a multiple of 16.
        let top = stack.as_mut_ptr_range().end.expose_provenance() as u64;
        state.general[RSP] = (top & !15) - 8;
        state.set(Register::RDI, argument);
        state
    }

    pub fn kept(&self) -> [u64; 7] {
        KEPT.map(|r| self.general[r])
    }

    pub fn result(&self) -> u64 {
        self.get(Register::RAX)
    }

    /// What a call may change has changed, but for its result.
    pub fn called(&mut self, result: u64) {
        for r in (0..16).filter(|r| !KEPT.contains(r)) {
            self.general[r] = ANYTHING;
        }
        self.zmm = [[ANYTHING as u32; 16]; 32];
        self.k = [ANYTHING; 8];
        self.flags = Flags::default();
        self.set(Register::RAX, result);
    }

    /// Of AH to DH nothing is here.
    pub fn get(&self, r: Register) -> u64 {
        let bits = 8 * r.size() as u32;
        self.general[r.full_register().number()] & (u64::MAX >> (64 - bits))
    }

    /// A dword's upper half is zero; of smaller parts the others stay.
    pub fn set(&mut self, r: Register, value: u64) {
        let old = &mut self.general[r.full_register().number()];
        *old = match r.size() {
            8 => value,
            4 => value & u64::from(u32::MAX),
            n => *old & (u64::MAX << (8 * n)) | value & !(u64::MAX << (8 * n)),
        };
    }

    /// Bytes of an operand.
    pub fn width(&self, i: &Instruction, n: u32) -> usize {
        match i.op_kind(n) {
            OpKind::Register => i.op_register(n).size(),
            OpKind::Memory => i.memory_size().size(),
            _ => 8,
        }
    }

    /// The memory operand's address, without an index that is a vector.
    pub fn address(&self, i: &Instruction) -> u64 {
        let of = |r: Register| if r == Register::None || r.is_zmm() { 0 } else { self.general[r.number()] };
        assert_eq!(i.segment_prefix(), Register::None);
        let index = of(i.memory_index()).wrapping_mul(i.memory_index_scale().into());
        of(i.memory_base()).wrapping_add(index).wrapping_add(i.memory_displacement64())
    }

    /// A general register, an immediate or memory, as the instruction has them, its upper bits zero.
    ///
    /// # Safety
    /// A memory operand can be read.
    pub unsafe fn operand(&self, i: &Instruction, n: u32) -> u64 {
        match i.op_kind(n) {
            OpKind::Register => self.get(i.op_register(n)),
            OpKind::Memory => {
                // SAFETY: the caller's promise.
                unsafe { read(self.address(i), i.memory_size().size()) }
            }
            _ => i.immediate(n),
        }
    }

    /// # Safety
    /// A memory operand can be written.
    pub unsafe fn put(&mut self, i: &Instruction, n: u32, value: u64) {
        match i.op_kind(n) {
            OpKind::Register => self.set(i.op_register(n), value),
            OpKind::Memory => {
                // SAFETY: the caller's promise.
                unsafe { write(self.address(i), i.memory_size().size(), value) };
            }
            kind => panic!("{i}: {kind:?} is written"),
        }
    }

    pub fn holds(&self, condition: ConditionCode) -> bool {
        let of = |flag: Option<bool>| flag.expect("a flag that the instruction before leaves undefined");
        let Flags { carry, zero, sign, overflow } = self.flags;
        match condition {
            ConditionCode::o => of(overflow),
            ConditionCode::b => of(carry),
            ConditionCode::ae => !of(carry),
            ConditionCode::e => of(zero),
            ConditionCode::ne => !of(zero),
            ConditionCode::be => of(carry) || of(zero),
            ConditionCode::a => !of(carry) && !of(zero),
            ConditionCode::l => of(sign) != of(overflow),
            ConditionCode::ge => of(sign) == of(overflow),
            ConditionCode::le => of(zero) || of(sign) != of(overflow),
            ConditionCode::g => !of(zero) && of(sign) == of(overflow),
            other => panic!("condition {other:?}"),
        }
    }

    /// # Safety
    /// Eight bytes below RSP can be written.
    pub unsafe fn push(&mut self, value: u64) {
        self.general[RSP] -= 8;
        // SAFETY: the caller's promise.
        unsafe { write(self.general[RSP], 8, value) };
    }

    /// # Safety
    /// Eight bytes at RSP can be read.
    pub unsafe fn pop(&mut self) -> u64 {
        // SAFETY: the caller's promise.
        let value = unsafe { read(self.general[RSP], 8) };
        self.general[RSP] += 8;
        value
    }
}

/// A little-endian number of so many bytes.
///
/// # Safety
/// They can be read.
pub unsafe fn read(at: u64, bytes: usize) -> u64 {
    let at = with_exposed_provenance_mut::<u8>(at as usize);
    // SAFETY: the caller's promise. Other threads may write there, as host code lets them: volatile.
    unsafe {
        match bytes {
            1 => at.read_volatile().into(),
            2 => u16::from_le_bytes(at.cast::<[u8; 2]>().read_volatile()).into(),
            4 => u32::from_le_bytes(at.cast::<[u8; 4]>().read_volatile()).into(),
            8 => u64::from_le_bytes(at.cast::<[u8; 8]>().read_volatile()),
            n => panic!("{n} bytes"),
        }
    }
}

/// # Safety
/// So many bytes can be written.
pub unsafe fn write(at: u64, bytes: usize, value: u64) {
    let at = with_exposed_provenance_mut::<u8>(at as usize);
    // SAFETY: as above.
    unsafe {
        match bytes {
            1 => at.write_volatile(value as u8),
            2 => at.cast::<[u8; 2]>().write_volatile((value as u16).to_le_bytes()),
            4 => at.cast::<[u8; 4]>().write_volatile((value as u32).to_le_bytes()),
            8 => at.cast::<[u8; 8]>().write_volatile(value.to_le_bytes()),
            n => panic!("{n} bytes"),
        }
    }
}
