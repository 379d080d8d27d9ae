//! Lanes that move inside of a row of sixteen (DPP).
//!
//! ```text
//! read:   lanes that read inside of their row, of a lane that lives if dead ones are not read
//! write:  EXEC, the row and bank masks, and without BOUND_CTRL who reads
//! move:   a permutation; zero where nothing is read
//! ```
//!
//! With AVX-512 a row is a chunk, and its lanes move where they are read. With AVX2 it is two: all chunks' words are moved to the
//! stack before the first chunk's step, which may write the register that they come from; such a step is a group by itself.

use super::super::registers::Reg;
use super::{Done, Emitter, MOVED_LANES, Refused, avx2, k, ymm, zmm};
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use wavepipe_core::wave::{Movement, Operand, Step, Which};

/// A step's movement.
#[derive(Clone, Copy)]
pub enum Moving {
    Here {
        /// Which lane each one reads.
        index: Reg,
        read: u8,
        write: u8,
    },
    /// The words are on the stack, and the lanes that live are those that write.
    Done,
}

impl Emitter {
    /// For the chunk of a step.
    pub(super) fn moving(&mut self, m: &Movement) -> Done<Moving> {
        match self.host.target {
            X86Isa::Avx512 => self.moving_here(m),
            X86Isa::Avx2 => self.writing(m).map(|()| Moving::Done),
        }
    }

    fn moving_here(&mut self, m: &Movement) -> Done<Moving> {
        let (index, live) = (self.temporary()?, self.live());
        let table = self.constants_at(&m.from.map(u32::from));
        self.load(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(index), table)?;
        let (half, part) = (usize::from(self.chunk / 2), 16 * u32::from(self.chunk % 2));
        let (read, write) = (self.mask()?, self.mask()?);
        self.mask_of(read, m.inside >> part & 0xffff)?;
        if !m.fetch_inactive {
            let t = self.temporary()?;
            self.op2(Code::EVEX_Vpmovm2d_zmm_kr, zmm(t), live)?;
            self.op3(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, zmm(t), zmm(index), zmm(t))?;
            self.op2(Code::EVEX_Vpmovd2m_kr_zmm, k(write), zmm(t))?;
            self.op3(Code::VEX_Kandw_kr_kr_kr, k(read), k(read), k(write))?;
            self.registers.unpin(t);
        }
        self.mask_of(write, m.enabled[half & 1] >> part & 0xffff)?;
        self.op3(Code::VEX_Kandw_kr_kr_kr, k(write), k(write), live)?;
        if !m.bound_ctrl {
            self.op3(Code::VEX_Kandw_kr_kr_kr, k(write), k(write), k(read))?;
        }
        Ok(Moving::Here { index, read, write })
    }

    /// A source's lanes where they are read, in a register of their own for one that is given back.
    pub(super) fn moved(&mut self, from: Reg) -> Done<Reg> {
        let Some(moving) = self.moving else { return Ok(from) };
        let d = self.temporary()?;
        match moving {
            Moving::Here { index, read, .. } => {
                let i = self.op3(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(index), zmm(from))?;
                i.set_op_mask(k(read));
                i.set_zeroing_masking(true);
            }
            Moving::Done => self.load(Code::VEX_Vmovdqu_ymm_ymmm256, ymm(d), moved_lanes(self.chunk))?,
        }
        self.registers.unpin(from);
        Ok(d)
    }

    pub(super) fn end_moving(&mut self) {
        if let Some(Moving::Here { index, read, write }) = self.moving.take() {
            self.registers.unpin(index);
            [read, write].into_iter().for_each(|m| self.free_mask(m));
        }
    }

    fn mask_of(&mut self, m: u8, bits: u32) -> Done<()> {
        self.push(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, bits))?;
        self.op2(Code::VEX_Kmovw_kr_r32, k(m), Register::EAX).map(|_| ())
    }

    /// Of AVX2, in front of a step's chunks: the words that its lanes read, to the stack.
    pub fn move_lanes(&mut self, step: &Step, m: &Movement) -> Done<()> {
        let [Operand::Vgpr(from), ..] = step.source else { return Err(Refused) };
        self.rows_in_memory(from, 0..self.chunks())?;
        for chunk in 0..self.chunks() {
            let (index, words) = (self.read_lanes(m, chunk)?, self.temporary()?);
            // Of a lane's number the permutation takes the lowest three bits.
            let row = |e: &Self, part: u8| e.register_at(from, chunk & !1 | part);
            let permute = Code::VEX_Vpermd_ymm_ymm_ymmm256;
            let reads = &m.from[8 * usize::from(chunk % 2)..][..8];
            let high = (0..8).filter(|&n| reads[n] >= 8).fold(0, |bits, n| bits | 1 << n);
            let first = row(self, u8::from(high == 0xff));
            self.push(Instruction::with3(permute, ymm(words), ymm(index), first))?;
            if !matches!(high, 0 | 0xff) {
                let (other, second) = (self.temporary()?, row(self, 1));
                self.push(Instruction::with3(permute, ymm(other), ymm(index), second))?;
                let blend = Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
                self.push(Instruction::with4(blend, ymm(words), ymm(words), ymm(other), high))?;
                self.registers.unpin(other);
            }
            self.only(words, m.inside >> (8 * (chunk % 4)))?;
            if !m.fetch_inactive {
                self.only_of_live(words, chunk, index)?;
            }
            self.store(Code::VEX_Vmovdqu_ymmm256_ymm, moved_lanes(chunk), ymm(words))?;
            [index, words].into_iter().for_each(|r| self.registers.unpin(r));
        }
        Ok(())
    }

    /// Of AVX2: of the chunk's live lanes only those live on that the movement lets write.
    fn writing(&mut self, m: &Movement) -> Done<()> {
        let chunk = self.chunk;
        let enabled = m.enabled[usize::from(chunk / 4) & 1] & if m.bound_ctrl { u32::MAX } else { m.inside };
        self.only(avx2::LIVE, enabled >> (8 * (chunk % 4)))?;
        if !m.bound_ctrl && !m.fetch_inactive {
            let index = self.read_lanes(m, chunk)?;
            self.only_of_live(avx2::LIVE, chunk, index)?;
            self.registers.unpin(index);
        }
        Ok(())
    }

    /// Of AVX2: which lane of its half each lane of a chunk reads.
    fn read_lanes(&mut self, m: &Movement, chunk: u8) -> Done<Reg> {
        let which = Which::Constant(std::array::from_fn(|lane| lane as u8 & 16 | m.from[lane & 15]));
        self.numbers(chunk, chunk % 4, &which)
    }

    /// Zero in the lanes whose bits are.
    fn only(&mut self, r: Reg, bits: u32) -> Done<()> {
        if bits & 0xff == 0xff {
            return Ok(());
        }
        let table: Vec<u32> = (0..8).map(|lane| 0u32.wrapping_sub(bits >> lane & 1)).collect();
        let table = self.constants_at(&table);
        self.push(Instruction::with3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(r), ymm(r), table)).map(|_| ())
    }

    /// Zero in the lanes that read of one that does not live.
    fn only_of_live(&mut self, r: Reg, chunk: u8, index: Reg) -> Done<()> {
        let living = self.living(chunk / 4, index)?;
        self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(r), ymm(r), ymm(living))?;
        self.registers.unpin(living);
        Ok(())
    }
}

/// Where a chunk's moved words are on the stack.
fn moved_lanes(chunk: u8) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RSP, MOVED_LANES + 32 * i64::from(chunk))
}
