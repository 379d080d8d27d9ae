//! Words between lanes, and between lanes and scalars. No group is open, and no chunk's masks either.
//!
//! ```text
//! read, write:  the register's rows go to memory, where a lane is a word
//! take:         for each chunk of a half: which lanes, as numbers from 0 to 31; the words by permutations of the half's chunks;
//!               whether the lanes live that they come from, by EXEC moved by those numbers. All chunks' words are there before
//!               the first is written, for it may be the register that they come from
//! ```

use super::super::registers::{Home, Reg};
use super::words::word;
use super::{Done, Emitter, ROWS, Refused, k, xmm, ymm, zmm};
use crate::step::EXEC;
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use std::ops::Range;
use wavepipe_core::wave::{Across, Dead, Shared, Which};

/// Lanes of a half.
const HALF: usize = 32;
/// Of a lane's number, the bit that says which row of sixteen it is in, and its number.
const ROW: u32 = 16;

impl Emitter {
    pub fn across(&mut self, across: &Across) -> Done<()> {
        match across {
            Across::Read { from, lane, to } => self.read_lane(*from, *lane, *to),
            Across::Write { word, lane, to } => self.write_lane(*word, *lane, *to),
            Across::Take { from, which, dead, to } => {
                for half in 0..self.halves as u8 {
                    self.take(half, *from, which, *dead, *to)?;
                }
                Ok(())
            }
            // By a loop, which has labels.
            Across::Give { .. } => Err(Refused),
        }
    }

    /// The lanes of the wave, less one.
    fn last_lane(&self) -> u32 {
        HALF as u32 * self.halves as u32 - 1
    }

    /// A register's row of these chunks is in memory as it is.
    pub fn rows_in_memory(&mut self, v: u32, chunks: Range<u8>) -> Done<()> {
        for home in chunks.map(|chunk| Home::Vgpr(v, chunk)) {
            if let Some(r) = self.registers.newer(home) {
                self.spill((r, home))?;
                self.registers.clean(r);
            }
        }
        Ok(())
    }

    /// Lane 0 of a register in memory.
    pub fn lanes_of(&self, v: u32) -> i64 {
        128 * self.halves * i64::from(v)
    }

    /// The word of a lane, which RAX numbers if it is no constant.
    fn lane_at(&mut self, v: u32, lane: Option<Shared>) -> Done<MemoryOperand> {
        use Register::{EAX, RAX};
        let (at, last) = (self.lanes_of(v), self.last_lane());
        match lane {
            Some(Shared::Constant(lane)) => {
                return Ok(MemoryOperand::with_base_displ(ROWS, at + 4 * i64::from(lane & last)));
            }
            Some(Shared::Scalar(i)) => {
                self.with_scalar(Code::Mov_r32_rm32, EAX, i)?;
                self.push(Instruction::with2(Code::And_rm32_imm32, EAX, last))?;
            }
            // Where no bit is set, the count is the number of bits.
            None if self.halves == 1 => {
                self.with_scalar(Code::Tzcnt_r32_rm32, EAX, EXEC)?;
                self.push(Instruction::with2(Code::And_rm32_imm32, EAX, last))?;
            }
            None => {
                let low = self.word_temporary()?;
                self.with_scalar(Code::Mov_r32_rm32, word(low), EXEC)?;
                self.with_scalar(Code::Mov_r32_rm32, EAX, EXEC + 1)?;
                self.push(Instruction::with2(Code::Shl_rm64_imm8, RAX, HALF as i32))?;
                self.op2(Code::Or_r64_rm64, RAX, super::words::wide(low))?;
                self.op2(Code::Tzcnt_r64_rm64, RAX, RAX)?;
                self.push(Instruction::with2(Code::And_rm32_imm32, EAX, last))?;
                self.words.unpin(low);
            }
        }
        Ok(MemoryOperand::with_base_index_scale_displ_size(ROWS, RAX, 4, at, 8))
    }

    fn read_lane(&mut self, from: u32, lane: Option<Shared>, to: u8) -> Done<()> {
        let lanes = self.host.lanes() as u32;
        let r = self.word_temporary()?;
        match lane {
            Some(Shared::Constant(lane)) if (lane & self.last_lane()).is_multiple_of(lanes) => {
                let chunk = (lane & self.last_lane()) / lanes;
                let row = self.home(Home::Vgpr(from, chunk as u8))?;
                match self.host.target {
                    X86Isa::Avx512 => self.op2(Code::EVEX_Vmovd_rm32_xmm, word(r), xmm(row))?,
                    X86Isa::Avx2 => self.op2(Code::VEX_Vmovd_rm32_xmm, word(r), xmm(row))?,
                };
                self.registers.unpin(row);
            }
            _ => {
                let chunk = match lane {
                    Some(Shared::Constant(lane)) => Some(((lane & self.last_lane()) / lanes) as u8),
                    _ => None,
                };
                self.rows_in_memory(from, chunk.map_or(0..self.chunks(), |c| c..c + 1))?;
                let at = self.lane_at(from, lane)?;
                self.load(Code::Mov_r32_rm32, word(r), at)?;
            }
        }
        self.written_scalar(to);
        self.becomes(r, to)?;
        self.words.unpin(r);
        Ok(())
    }

    fn write_lane(&mut self, value: Shared, lane: Shared, to: u32) -> Done<()> {
        self.rows_in_memory(to, 0..self.chunks())?;
        let r = self.word_temporary()?;
        match value {
            Shared::Constant(v) => self.push(Instruction::with2(Code::Mov_r32_imm32, word(r), v)).map(|_| ())?,
            Shared::Scalar(i) => self.with_scalar(Code::Mov_r32_rm32, word(r), i)?,
        }
        let at = self.lane_at(to, Some(lane))?;
        self.store(Code::Mov_rm32_r32, at, word(r))?;
        self.words.unpin(r);
        for home in (0..self.chunks()).map(|chunk| Home::Vgpr(to, chunk)) {
            match self.registers.find_fixed(home) {
                Some(r) => self.fill((r, home))?,
                None => self.registers.forget(home),
            }
        }
        Ok(())
    }

    fn take(&mut self, half: u8, from: u32, which: &Which, dead: Dead, to: u32) -> Done<()> {
        let per_half = (HALF / self.host.lanes()) as u8;
        let chunks = half * per_half..(half + 1) * per_half;
        if self.host.target == X86Isa::Avx2 {
            self.rows_in_memory(from, chunks.clone())?;
        }
        let mut taken = Vec::new();
        for chunk in chunks.clone() {
            let index = self.numbers(chunk, chunk % per_half, which)?;
            let words = self.words_of(from, half, index)?;
            if dead != Dead::Read {
                let other = (dead == Dead::Keep).then(|| self.home(Home::Vgpr(to, chunk))).transpose()?;
                self.of_dead(words, half, index, other)?;
                other.into_iter().for_each(|r| self.registers.unpin(r));
            }
            self.registers.unpin(index);
            taken.push((chunk, words));
        }
        for (chunk, words) in taken {
            self.live_lanes(chunk)?;
            let home = self.home(Home::Vgpr(to, chunk))?;
            self.merge(home, words)?;
            self.registers.soil(home);
            [home, words].into_iter().for_each(|r| self.registers.unpin(r));
        }
        Ok(())
    }

    /// From which lane of its half each lane of a chunk takes, in a register of its own.
    pub(super) fn numbers(&mut self, chunk: u8, part: u8, which: &Which) -> Done<Reg> {
        let lanes = self.host.lanes();
        let first = lanes * usize::from(part);
        let index = self.temporary()?;
        match which {
            Which::Constant(lane) => {
                let table: Vec<u32> = lane[first..first + lanes].iter().map(|&l| l.into()).collect();
                let at = self.constants_at(&table);
                match self.host.target {
                    X86Isa::Avx512 => self.load(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(index), at)?,
                    X86Isa::Avx2 => self.load(Code::VEX_Vmovdqu_ymm_ymmm256, ymm(index), at)?,
                }
            }
            Which::Selects { words, crossed } => {
                let by: Vec<u32> = (0..lanes as u32).map(|lane| 4 * (lane & 7)).collect();
                let by = self.constants_at(&by);
                let low = self.home(Home::Constant(15))?;
                match self.host.target {
                    X86Isa::Avx512 => {
                        self.shared_word(index, words[0])?;
                        let high = self.temporary()?;
                        self.shared_word(high, words[1])?;
                        let m = self.mask()?;
                        self.push(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 0xff00))?;
                        self.op2(Code::VEX_Kmovd_kr_r32, k(m), Register::EAX)?;
                        let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
                        self.op2(copy, zmm(index), zmm(high))?.set_op_mask(k(m));
                        self.free_mask(m);
                        self.registers.unpin(high);
                        let shift = Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32;
                        self.push(Instruction::with3(shift, zmm(index), zmm(index), by))?;
                        self.op3(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, zmm(index), zmm(index), zmm(low))?;
                    }
                    X86Isa::Avx2 => {
                        self.shared_word(index, words[usize::from(part) & 1])?;
                        self.push(Instruction::with3(Code::VEX_Vpsrlvd_ymm_ymm_ymmm256, ymm(index), ymm(index), by))?;
                        self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(index), ymm(index), ymm(low))?;
                    }
                }
                self.registers.unpin(low);
                let row = first as u32 & ROW ^ if *crossed { ROW } else { 0 };
                if row != 0 {
                    let row = self.home(Home::Constant(row))?;
                    match self.host.target {
                        X86Isa::Avx512 => {
                            self.op3(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, zmm(index), zmm(index), zmm(row))?
                        }
                        X86Isa::Avx2 => self.op3(Code::VEX_Vpor_ymm_ymm_ymmm256, ymm(index), ymm(index), ymm(row))?,
                    };
                    self.registers.unpin(row);
                }
            }
            Which::Address { from, offset } => {
                let address = self.home(Home::Vgpr(*from, chunk))?;
                let (offset, last) = (self.home(Home::Constant(*offset))?, self.home(Home::Constant(HALF as u32 - 1))?);
                let (i, a, o, l) = (index, address, offset, last);
                match self.host.target {
                    X86Isa::Avx512 => {
                        self.op3(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, zmm(i), zmm(a), zmm(o))?;
                        self.imm2(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, zmm(i), zmm(i), 2)?;
                        self.op3(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, zmm(i), zmm(i), zmm(l))?;
                    }
                    X86Isa::Avx2 => {
                        self.op3(Code::VEX_Vpaddd_ymm_ymm_ymmm256, ymm(i), ymm(a), ymm(o))?;
                        self.imm2(Code::VEX_Vpsrld_ymm_ymm_imm8, ymm(i), ymm(i), 2)?;
                        self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(i), ymm(i), ymm(l))?;
                    }
                }
                [address, offset, last].into_iter().for_each(|r| self.registers.unpin(r));
            }
        }
        Ok(index)
    }

    fn shared_word(&mut self, r: Reg, word: Shared) -> Done<()> {
        match word {
            Shared::Scalar(i) => self.broadcast_scalar(r, i),
            Shared::Constant(v) => {
                let at = self.constant(v);
                self.broadcast(r, at)
            }
        }
    }

    /// The words of a half's lanes that the numbers name; with AVX2 the rows are in memory.
    fn words_of(&mut self, from: u32, half: u8, index: Reg) -> Done<Reg> {
        let d = self.temporary()?;
        let per_half = (HALF / self.host.lanes()) as u8;
        let row = |e: &Self, part: u8| e.register_at(from, half * per_half + part);
        match self.host.target {
            X86Isa::Avx512 => {
                let low = self.home(Home::Vgpr(from, half * per_half))?;
                let high = self.home(Home::Vgpr(from, half * per_half + 1))?;
                self.copy(d, index)?;
                self.op3(Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(low), zmm(high))?;
                [low, high].into_iter().for_each(|r| self.registers.unpin(r));
            }
            X86Isa::Avx2 => {
                // The two lowest bits that the permutation has not, one after the other where a blend asks for them.
                let (low, high, bit) = (self.temporary()?, self.temporary()?, self.temporary()?);
                let permute = Code::VEX_Vpermd_ymm_ymm_ymmm256;
                let blend = Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
                self.imm2(Code::VEX_Vpslld_ymm_ymm_imm8, ymm(bit), ymm(index), 28)?;
                for (r, first) in [(d, 0), (low, 2)] {
                    let rows = [row(self, first), row(self, first + 1)];
                    self.push(Instruction::with3(permute, ymm(r), ymm(index), rows[0]))?;
                    self.push(Instruction::with3(permute, ymm(high), ymm(index), rows[1]))?;
                    self.push(Instruction::with4(blend, ymm(r), ymm(r), ymm(high), ymm(bit)))?;
                }
                self.imm2(Code::VEX_Vpslld_ymm_ymm_imm8, ymm(bit), ymm(index), 27)?;
                self.push(Instruction::with4(blend, ymm(d), ymm(d), ymm(low), ymm(bit)))?;
                [low, high, bit].into_iter().for_each(|r| self.registers.unpin(r));
            }
        }
        Ok(d)
    }

    /// Where a word comes from a lane that does not live, another one, or zero.
    fn of_dead(&mut self, words: Reg, half: u8, index: Reg, other: Option<Reg>) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => {
                let (exec, t) = (self.home(Home::Scalar(EXEC + half))?, self.temporary()?);
                let one = self.home(Home::Constant(1))?;
                self.op3(Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, zmm(t), zmm(exec), zmm(index))?;
                let m = self.mask()?;
                self.op3(Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, k(m), zmm(t), zmm(one))?;
                match other {
                    Some(other) => {
                        let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
                        self.op2(copy, zmm(words), zmm(other))?.set_op_mask(k(m));
                    }
                    None => {
                        let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
                        self.op3(xor, zmm(words), zmm(words), zmm(words))?.set_op_mask(k(m));
                    }
                }
                self.free_mask(m);
                [exec, t, one].into_iter().for_each(|r| self.registers.unpin(r));
            }
            X86Isa::Avx2 => {
                let t = self.living(half, index)?;
                match other {
                    Some(other) => self.blend(words, other, words, t)?,
                    None => {
                        self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(words), ymm(words), ymm(t))?;
                    }
                }
                self.registers.unpin(t);
            }
        }
        Ok(())
    }

    /// Of AVX2: ones where a number is that of a lane of the half that lives.
    pub(super) fn living(&mut self, half: u8, numbers: Reg) -> Done<Reg> {
        let (exec, t) = (self.home(Home::Scalar(EXEC + half))?, self.temporary()?);
        self.op3(Code::VEX_Vpsrlvd_ymm_ymm_ymmm256, ymm(t), ymm(exec), ymm(numbers))?;
        self.imm2(Code::VEX_Vpslld_ymm_ymm_imm8, ymm(t), ymm(t), 31)?;
        self.imm2(Code::VEX_Vpsrad_ymm_ymm_imm8, ymm(t), ymm(t), 31)?;
        self.registers.unpin(exec);
        Ok(t)
    }
}
