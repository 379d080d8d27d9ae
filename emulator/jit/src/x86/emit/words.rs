//! Which general register holds which scalar. A register may be newer than the scalar file, as a vector register may be newer
//! than its row.

use super::super::registers::{Found, Home, Reg};
use super::{Done, Emitter, Refused, SCALARS, scalar_at};
use iced_x86::{Code, Instruction, Register};

/// What may hold scalars; EAX is for the moment only, as are the first two in an access, when no scalar that is not fixed is
/// in a register.
const POOL: [Register; 9] = [
    Register::ECX,
    Register::EDX,
    Register::ESI,
    Register::EDI,
    Register::R8D,
    Register::R9D,
    Register::R10D,
    Register::R11D,
    Register::R13D,
];

pub const COUNT: usize = POOL.len();
/// Those of them that are never fixed.
pub const LOOSE: usize = 4;

/// The register of this number.
pub fn word(r: Reg) -> Register {
    POOL[usize::from(r)]
}

/// All 64 bits of it.
pub fn wide(r: Reg) -> Register {
    Register::RAX + (word(r) as u32 - Register::EAX as u32)
}

impl Emitter {
    /// A scalar's register, if it has one.
    pub fn known_scalar(&mut self, i: u8) -> Done<Option<Register>> {
        Ok(match self.words.find(Home::Scalar(i)) {
            Found::No => None,
            Found::Here(r) => Some(word(r)),
            Found::Away(r) => {
                self.fill_word(r, i)?;
                Some(word(r))
            }
        })
    }

    /// An instruction on a register and a scalar, where that is.
    pub fn with_scalar(&mut self, code: Code, d: Register, i: u8) -> Done<()> {
        match self.known_scalar(i)? {
            Some(r) => self.op2(code, d, r).map(|_| ()),
            None => self.load(code, d, scalar_at(SCALARS, i)),
        }
    }

    /// A scalar's bits less those of a register, to that.
    pub(super) fn without_scalar(&mut self, d: Register, i: u8) -> Done<()> {
        let i = match self.known_scalar(i)? {
            Some(r) => Instruction::with3(Code::VEX_Andn_r32_r32_rm32, d, d, r),
            None => Instruction::with3(Code::VEX_Andn_r32_r32_rm32, d, d, scalar_at(SCALARS, i)),
        };
        self.push(i).map(|_| ())
    }

    pub fn fill_word(&mut self, r: Reg, i: u8) -> Done<()> {
        self.load(Code::Mov_r32_rm32, word(r), scalar_at(SCALARS, i))
    }

    pub fn spill_word(&mut self, r: Reg, i: u8) -> Done<()> {
        self.store(Code::Mov_rm32_r32, scalar_at(SCALARS, i), word(r))
    }

    /// A register for a word, pinned.
    pub(super) fn word_temporary(&mut self) -> Done<Reg> {
        let (r, evicted) = self.words.take().ok_or(Refused)?;
        if let Some((r, Home::Scalar(i))) = evicted {
            self.spill_word(r, i)?;
        }
        Ok(r)
    }

    /// The scalar's register, loaded if need be, pinned once more.
    pub(super) fn word_home(&mut self, i: u8) -> Done<Reg> {
        let home = Home::Scalar(i);
        let r = match self.words.find(home) {
            Found::Here(r) => r,
            Found::Away(r) => {
                self.fill_word(r, i)?;
                r
            }
            Found::No => {
                let r = self.word_temporary()?;
                self.fill_word(r, i)?;
                self.words.make_home(r, home);
                return Ok(r);
            }
        };
        self.words.pin(r);
        Ok(r)
    }

    /// A register's word is the scalar's from now on.
    pub(super) fn becomes(&mut self, r: Reg, i: u8) -> Done<()> {
        let home = Home::Scalar(i);
        let to = match self.words.find_fixed(home) {
            Some(fixed) => {
                if fixed != r {
                    self.op2(Code::Mov_r32_rm32, word(fixed), word(r))?;
                }
                fixed
            }
            None if self.words.is_home(r) => {
                // Of another one, or of this one.
                let d = self.word_temporary()?;
                self.op2(Code::Mov_r32_rm32, word(d), word(r))?;
                self.words.forget(home);
                self.words.make_home(d, home);
                self.words.unpin(d);
                d
            }
            None => {
                self.words.forget(home);
                self.words.make_home(r, home);
                r
            }
        };
        self.words.soil(to);
        Ok(())
    }

    /// The scalar is a number from now on.
    pub(super) fn becomes_number(&mut self, i: u8, v: u32) -> Done<()> {
        let home = Home::Scalar(i);
        match self.words.find_fixed(home) {
            Some(fixed) => {
                self.push(Instruction::with2(Code::Mov_r32_imm32, word(fixed), v))?;
                self.words.soil(fixed);
            }
            None => {
                self.push(Instruction::with2(Code::Mov_rm32_imm32, scalar_at(SCALARS, i), v))?;
                self.words.forget(home);
            }
        }
        Ok(())
    }

    /// What vector and mask registers know of the scalar is not so any more.
    pub fn written_scalar(&mut self, i: u8) {
        self.registers.forget(Home::Scalar(i));
        self.pairs.written(i);
    }

    /// Memory has these scalars as they are.
    pub fn in_memory(&mut self, scalars: std::ops::Range<u8>) -> Done<()> {
        for (r, home) in self.words.dirty(true) {
            if let Home::Scalar(i) = home
                && scalars.contains(&i)
            {
                self.spill_word(r, i)?;
            }
        }
        Ok(())
    }
}
