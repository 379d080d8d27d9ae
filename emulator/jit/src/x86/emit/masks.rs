//! Lane masks: words of the scalar file, and in a vector step a condition of the chunk's lanes.
//!
//! ```text
//! in:   the chunk's bits of the word: as the group's last step left them, from the word's general register, or from memory
//! out:  a condition AND EXEC, with AVX2 by the whole word where that does. It stays in its register as the *last* mask: who asks for
//!       it has it, and where it is written again before the chunk ends, or nobody asks for its bits, nothing else becomes of it.
//!       Else what a word's chunks leave is joined in a general register,
//!       which becomes the word's own behind the last chunk; until then the word is what it was, for the chunks to come
//! ```
//!
//! EXEC of the chunk is in k1, of a wave of two chunks where [`super::pairs`] says; in ymm15 with AVX2, and the lanes that it has not
//! where [`Emitter::raw`] holds; of their words there the signs alone where nobody asks for more, which is one instruction less.

use super::super::registers::{Home, Reg};
use super::words::word;
use super::{Done, Emitter, avx2, k, ymm};
use crate::step::EXEC;
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use wavepipe_core::wave::Step;

/// A word that a group's vector steps write.
#[derive(Clone, Copy)]
pub struct Joining {
    scalar: u8,
    register: Reg,
    /// Whose bits were written last.
    chunk: u8,
    /// EXEC's word of the same lanes.
    exec: u8,
    /// What is joined is where the bits are not.
    contrary: bool,
}

/// The mask that was written last in the chunk, as a condition: in k7, or in a vector register that is pinned for it.
#[derive(Clone, Copy)]
pub struct Last {
    scalar: u8,
    condition: u8,
    /// Its bits are asked for by nobody.
    passes_by: bool,
    /// With AVX2: it is where the mask's bits are not, which nobody but the word sees.
    contrary: bool,
}

/// Where it is, of AVX-512.
pub const LAST: u8 = 7;

impl Emitter {
    /// At the beginning of a chunk: EXEC.
    pub fn live_lanes(&mut self, chunk: u8) -> Done<()> {
        self.end_mask()?;
        self.chunk = chunk;
        self.quiet.clear();
        if self.all_live {
            return Ok(());
        }
        match self.host.target {
            X86Isa::Avx512 => self.live_pair(),
            X86Isa::Avx2 if self.bits_late => self.signs_256(),
            X86Isa::Avx2 => self.mask_in(EXEC, avx2::LIVE),
        }
    }

    /// Asks whether no lane of the chunk lives.
    pub fn no_lanes(&mut self) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.op2(Code::VEX_Kortestw_kr_kr, self.live(), self.live()).map(|_| ()),
            // The word's bits are there earlier than the lanes.
            X86Isa::Avx2 => {
                let (scalar, part) = self.part(EXEC);
                let bits = 0xffu32 << (8 * part);
                match self.known_scalar(scalar)? {
                    Some(r) => self.push(Instruction::with2(Code::Test_rm32_imm32, r, bits))?,
                    None => {
                        let at = super::scalar_at(super::SCALARS, scalar);
                        self.push(Instruction::with2(Code::Test_rm32_imm32, at, bits))?
                    }
                };
                Ok(())
            }
        }
    }

    /// The word that has the chunk's bits of a lane mask, and which of its parts they are.
    fn part(&self, i: u8) -> (u8, u8) {
        let per_word = (32 / self.host.lanes()) as u8;
        (i.wrapping_add(self.chunk / per_word), self.chunk % per_word)
    }

    /// The chunk's bits of a lane mask as a condition.
    pub(super) fn mask_in(&mut self, i: u8, m: u8) -> Done<()> {
        if self.host.target == X86Isa::Avx2 {
            return self.lanes_256(i, m, Code::VEX_Vpand_ymm_ymm_ymmm256);
        }
        let (scalar, part, known) = self.mask_word(i)?;
        match known {
            Some(r) => {
                self.op2(Code::VEX_Kmovd_kr_r32, k(m), r)?;
                if part != 0 {
                    self.push(Instruction::with3(Code::VEX_Kshiftrd_kr_kr_imm8, k(m), k(m), 16))?;
                }
                Ok(())
            }
            None => self.mask_from_memory(m, scalar, part),
        }
    }

    /// A lane mask's word that has the chunk's bits, which part of it they are, and its register if it has one.
    fn mask_word(&mut self, i: u8) -> Done<(u8, u8, Option<Register>)> {
        let (scalar, part) = self.part(i);
        let written = self.joining.iter().find(|j| j.scalar == scalar && j.chunk == self.chunk).map(|j| j.register);
        let known = match written {
            Some(r) => Some(word(r)),
            None => self.known_scalar(scalar)?,
        };
        Ok((scalar, part, known))
    }

    /// Ones in lanes whose bits, as `pick` takes them together with each lane's own, are that.
    fn lanes_256(&mut self, i: u8, m: u8, pick: Code) -> Done<()> {
        let (scalar, part, known) = self.mask_word(i)?;
        let bits = MemoryOperand::with_base_displ(super::CONSTANTS, 4 * avx2::bits(part) as i64);
        let written = self.joining.iter().any(|j| j.scalar == scalar && j.chunk == self.chunk);
        // Where it is raw they have the others' bits.
        let spread = self.exec_words.iter().find(|(word, _)| *word == scalar && !written && !self.raw).map(|(_, r)| *r);
        match (spread, known) {
            (Some(_), _) => {}
            (None, Some(r)) => self.splat(m, r)?,
            (None, None) => self.broadcast(m, super::scalar_at(super::SCALARS, scalar))?,
        }
        self.push(Instruction::with3(pick, ymm(m), ymm(spread.unwrap_or(m)), bits))?;
        self.push(Instruction::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ymm(m), ymm(m), bits)).map(|_| ())
    }

    /// Signs in the lanes that live, or where [`Emitter::raw`] holds in those that do not.
    fn signs_256(&mut self) -> Done<()> {
        let (scalar, part) = self.part(EXEC);
        let up: Vec<u32> = (0..8).map(|lane| 31 - 8 * u32::from(part) - lane).collect();
        let up = self.constants_at(&up);
        let word = self.exec_words.iter().find(|(word, _)| *word == scalar).ok_or(super::Refused)?.1;
        self.push(Instruction::with3(Code::VEX_Vpsllvd_ymm_ymm_ymmm256, ymm(avx2::LIVE), ymm(word), up)).map(|_| ())
    }

    /// In front of chunks, with AVX2: words of EXEC go to all lanes once for all of them, where [`Emitter::bits_late`] holds, else those
    /// that are in general registers; where [`Emitter::raw`] does, the bits of lanes that do not live.
    pub fn spread_exec(&mut self) -> Done<()> {
        self.exec_words.clear();
        for scalar in (0..self.halves as u8).map(|half| EXEC + half) {
            let known = self.known_scalar(scalar)?;
            if known.is_none() && !self.bits_late {
                continue;
            }
            let r = self.temporary()?;
            match known {
                _ if self.raw => {
                    self.with_scalar(Code::Mov_r32_rm32, Register::EAX, scalar)?;
                    self.push(Instruction::with1(Code::Not_rm32, Register::EAX))?;
                    self.splat(r, Register::EAX)?;
                }
                Some(known) => self.splat(r, known)?,
                None => self.broadcast(r, super::scalar_at(super::SCALARS, scalar))?,
            }
            self.exec_words.push((scalar, r));
        }
        Ok(())
    }

    /// Behind the last chunk.
    pub fn gather_exec(&mut self) {
        std::mem::take(&mut self.exec_words).into_iter().for_each(|(_, r)| self.registers.unpin(r));
    }

    /// Half of a word of the scalar file, the low one or the high one.
    pub(super) fn mask_from_memory(&mut self, m: u8, scalar: u8, half: u8) -> Done<()> {
        let at = MemoryOperand::with_base_displ(super::SCALARS, 4 * i64::from(scalar) + 2 * i64::from(half));
        self.load(Code::VEX_Kmovw_kr_km16, k(m), at)
    }

    /// The condition in: each lane's bit of a mask.
    pub(super) fn condition_in(&mut self, step: &Step) -> Done<u8> {
        let from = step.condition.ok_or(super::Refused)?;
        if let Some(Last { scalar, condition, contrary, .. }) = self.last_mask
            && scalar == from
        {
            if contrary {
                return Err(super::Refused);
            }
            if self.host.target == X86Isa::Avx2 {
                self.registers.pin(condition);
            }
            return Ok(condition);
        }
        let (scalar, _) = self.part(from);
        let written = self.joining.iter().any(|j| j.scalar == scalar && j.chunk == self.chunk);
        if let Some(m) = self.pair_condition(scalar, written) {
            self.masks |= 1 << m;
            return Ok(m);
        }
        let m = self.mask()?;
        self.mask_in(from, m)?;
        Ok(m)
    }

    /// A condition of the live lanes to its bits of the mask.
    pub(super) fn mask_out(&mut self, i: u8, m: u8) -> Done<()> {
        self.begin_mask(i)?;
        match self.host.target {
            X86Isa::Avx512 => {
                let live = self.live();
                self.op3(Code::VEX_Kandw_kr_kr_kr, k(LAST), k(m), live)?;
                self.is_last(i, LAST)
            }
            // The whole word is held against EXEC's, which is there later than what it is held against; but for lanes that a movement
            // does not let write.
            X86Isa::Avx2 if self.all_live || self.moving.is_none() && (self.for_steps_only || self.bits_late) => {
                self.registers.pin(m);
                self.is_last(i, m)
            }
            X86Isa::Avx2 => {
                let kept = self.temporary()?;
                if self.raw {
                    self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, ymm(kept), ymm(avx2::DEAD), ymm(m))?;
                } else {
                    self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(kept), ymm(m), ymm(avx2::LIVE))?;
                }
                self.is_last(i, kept)
            }
        }
    }

    /// In front of a mask that is written.
    pub(super) fn begin_mask(&mut self, i: u8) -> Done<()> {
        if self.last_mask.is_some_and(|last| last.scalar != i) {
            return self.end_mask();
        }
        self.drop_last();
        Ok(())
    }

    /// A condition is the mask that was written last: it holds for live lanes only, or the others do not count.
    pub(super) fn is_last(&mut self, scalar: u8, condition: u8) -> Done<()> {
        self.last_mask = Some(Last { scalar, condition, passes_by: self.for_steps_only, contrary: false });
        if scalar != EXEC {
            return Ok(());
        }
        match self.host.target {
            X86Isa::Avx512 => self.pair_exec(),
            X86Isa::Avx2 => self.copy(avx2::LIVE, condition),
        }
    }

    /// With AVX-512: whether the mask that was written last may have lanes that do not live: steps that have it as a condition write the
    /// others only, and EXEC may be there late.
    pub(super) fn last_is_of_all(&self) -> bool {
        self.late && self.last_mask.is_some_and(|last| last.passes_by)
    }

    /// A condition is where the mask that was written last is not, whose bits are asked for and nothing else.
    pub(super) fn is_last_contrary(&mut self, scalar: u8, condition: u8) {
        self.last_mask = Some(Last { scalar, condition, passes_by: self.for_steps_only, contrary: true });
    }

    /// Where the chunk's steps were passed over, for none of its lanes lives: no bits in the masks that they would have written.
    pub fn no_masks(&mut self) -> Done<()> {
        for r in self.begun() {
            self.op2(Code::Xor_r32_rm32, word(r), word(r))?;
        }
        self.no_pairs()
    }

    /// Whether that is anything.
    pub fn has_masks(&self) -> bool {
        !self.begun().is_empty() || !self.new_pairs().is_empty()
    }

    /// Words of which the chunk has written the first lanes.
    fn begun(&self) -> Vec<Reg> {
        let first = self.part(EXEC).1 == 0;
        self.joining.iter().filter(|j| first && j.chunk == self.chunk).map(|j| j.register).collect()
    }

    /// The last mask is no more than its bits.
    pub fn end_mask(&mut self) -> Done<()> {
        let Some(Last { scalar, condition, passes_by, contrary }) = self.last_mask else { return Ok(()) };
        match self.host.target {
            _ if passes_by => {}
            X86Isa::Avx512 => {
                debug_assert_eq!(condition, LAST);
                let condition = self.pair_chunk(self.part(scalar).0)?;
                self.join(scalar, false, Code::VEX_Kmovw_r32_kr, k(condition))?;
            }
            X86Isa::Avx2 => self.join(scalar, contrary, Code::VEX_Vmovmskps_r32_ymm, ymm(condition))?,
        }
        self.drop_last();
        Ok(())
    }

    fn drop_last(&mut self) {
        if let Some(last) = self.last_mask.take()
            && self.host.target == X86Isa::Avx2
        {
            self.registers.unpin(last.condition);
        }
    }

    /// The chunk's bits, which an instruction moves to a general register, to those of the chunks before.
    fn join(&mut self, i: u8, contrary: bool, mov: Code, from: Register) -> Done<()> {
        let (scalar, part) = self.part(i);
        let bits = self.host.lanes() as i32 * i32::from(part);
        let chunk = self.chunk;
        let found = self.joining.iter_mut().find(|j| j.scalar == scalar);
        let (register, again) = match found {
            Some(j) => {
                j.contrary = contrary;
                (j.register, std::mem::replace(&mut j.chunk, chunk) == chunk)
            }
            None => {
                let register = self.word_temporary()?;
                let exec = EXEC + (scalar - i);
                self.joining.push(Joining { scalar, register, chunk, exec, contrary });
                (register, false)
            }
        };
        if part == 0 {
            return self.op2(mov, word(register), from).map(|_| ());
        }
        self.op2(mov, Register::EAX, from)?;
        self.push(Instruction::with2(Code::Shl_rm32_imm8, Register::EAX, bits))?;
        if again {
            self.push(Instruction::with2(Code::And_rm32_imm32, word(register), (1i32 << bits) - 1))?;
        }
        self.op2(Code::Or_r32_rm32, word(register), Register::EAX).map(|_| ())
    }

    /// Behind the last chunk: what was joined is the scalar's.
    pub fn end_chunks(&mut self) -> Done<()> {
        self.end_mask()?;
        for Joining { scalar, register, exec, contrary, .. } in std::mem::take(&mut self.joining) {
            if contrary {
                self.without_scalar(word(register), exec)?;
            } else if self.bits_late {
                self.with_scalar(Code::And_r32_rm32, word(register), exec)?;
            }
            self.registers.forget(Home::Scalar(scalar));
            self.becomes(register, scalar)?;
            self.words.unpin(register);
            self.pair_made(scalar);
        }
        Ok(())
    }
}
