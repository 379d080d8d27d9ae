//! Two or four dwords of each lane, the lanes one behind the other in memory: rows of lanes out of them, and back.

use super::super::registers::Reg;
use super::{CONSTANTS, Done, Emitter, avx2, k, lanes_at, xmm, ymm, zmm};
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// Registers that rows take besides their own, at most.
pub const TEMPORARIES: usize = 4;

/// A place in memory by its offset.
type At<'p> = &'p dyn Fn(u32) -> MemoryOperand;

/// VSHUFI64X2: the low halves of both, or the high ones.
const LOW_HALVES: i32 = 0x44;
const HIGH_HALVES: i32 = 0xee;
/// VSHUFPS: every second word of both, from the first or the second on.
const EVEN: i32 = 0x88;
const ODD: i32 = 0xdd;
/// VPERMQ: 0, 2, 1, 3.
const CROSSED: i32 = 0xd8;

/// Indices of VPERMT2D and VPERMT2Q as words, one behind the other: see the places below.
pub fn tables() -> Vec<u32> {
    let picks = |first: u32, step: u32| (0..16).map(move |i| first + step * i).collect::<Vec<u32>>();
    let fours = |first: u32| (0..16u32).map(|i| first + i / 8 + 4 * (i % 8)).collect::<Vec<u32>>();
    let pairs = |first: u32| (0..16u32).map(|i| first + i / 2 + 16 * (i % 2)).collect::<Vec<u32>>();
    let quads = |first: u32| (0..8u32).flat_map(|i| [first + i / 2 + 8 * (i % 2), 0]).collect::<Vec<u32>>();
    let halves = (0..16u32).map(|i| i & 8).collect();
    let neighbours = (0..16u32).map(|i| 4 * (i % 8)).collect();
    [picks(0, 2), picks(1, 2), fours(0), fours(2), pairs(0), pairs(8), quads(0), quads(4), halves, neighbours].concat()
}

/// Places of the tables among the constants.
const EVERY_SECOND: [usize; 2] = [table(0), table(1)];
const EVERY_FOURTH: [usize; 2] = [table(2), table(3)];
const PAIRS: [usize; 2] = [table(4), table(5)];
const QUADS: [usize; 2] = [table(6), table(7)];

/// The first lane of each half.
const FIRSTS: usize = table(8);
/// Lanes of each half one dword behind the other.
const HALF_NEIGHBOURS: usize = table(9);

const fn table(n: usize) -> usize {
    avx2::END + 16 * n
}

impl Emitter {
    /// The dwords of all lanes from `offset` on, each into its register.
    pub fn load_rows(&mut self, d: &[Reg], at: At, offset: u32) -> Done<()> {
        match (self.host.target, d) {
            (X86Isa::Avx512, &[a, b]) => {
                self.load_vectors(d, at, offset)?;
                let (t, picks) = (self.temporary()?, self.temporary()?);
                self.copy(t, a)?;
                self.permute(t, picks, EVERY_SECOND[0], b)?;
                self.permute(a, picks, EVERY_SECOND[1], b)?;
                self.copy(b, a)?;
                self.copy(a, t)?;
                [t, picks].into_iter().for_each(|r| self.registers.unpin(r));
            }
            (X86Isa::Avx512, &[a, b, c, e]) => {
                self.load_vectors(d, at, offset)?;
                let (t, u, picks) = (self.temporary()?, self.temporary()?, self.temporary()?);
                self.copy(t, a)?;
                self.copy(u, c)?;
                self.permute(t, picks, EVERY_FOURTH[0], b)?;
                self.permute(u, picks, EVERY_FOURTH[0], e)?;
                self.permute(a, picks, EVERY_FOURTH[1], b)?;
                self.permute(c, picks, EVERY_FOURTH[1], e)?;
                let code = Code::EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8;
                self.imm3(code, zmm(b), zmm(t), zmm(u), HIGH_HALVES)?;
                self.imm3(code, zmm(e), zmm(a), zmm(c), HIGH_HALVES)?;
                self.imm3(code, zmm(c), zmm(a), zmm(c), LOW_HALVES)?;
                self.imm3(code, zmm(a), zmm(t), zmm(u), LOW_HALVES)?;
                [t, u, picks].into_iter().for_each(|r| self.registers.unpin(r));
            }
            (X86Isa::Avx2, &[a, b]) => {
                self.load_vectors(d, at, offset)?;
                let t = self.temporary()?;
                self.imm3(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, ymm(t), ymm(a), ymm(b), EVEN)?;
                self.imm3(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, ymm(b), ymm(a), ymm(b), ODD)?;
                self.imm2(Code::VEX_Vpermq_ymm_ymmm256_imm8, ymm(a), ymm(t), CROSSED)?;
                self.imm2(Code::VEX_Vpermq_ymm_ymmm256_imm8, ymm(b), ymm(b), CROSSED)?;
                self.registers.unpin(t);
            }
            (X86Isa::Avx2, &[a, b, c, e]) => {
                // Lanes i and i + 4 in the halves of a register.
                for (i, &r) in d.iter().enumerate() {
                    let near = at(offset + 16 * i as u32);
                    self.load(Code::VEX_Vmovdqu_xmm_xmmm128, xmm(r), near)?;
                    let far = at(offset + 16 * (i as u32 + 4));
                    self.push(Instruction::with4(Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, ymm(r), ymm(r), far, 1))?;
                }
                let (t, u) = (self.temporary()?, self.temporary()?);
                let [low, high] = WORDS;
                let [first, second] = DOUBLES;
                self.op3(low, ymm(t), ymm(a), ymm(b))?;
                self.op3(high, ymm(a), ymm(a), ymm(b))?;
                self.op3(low, ymm(u), ymm(c), ymm(e))?;
                self.op3(high, ymm(c), ymm(c), ymm(e))?;
                self.op3(second, ymm(b), ymm(t), ymm(u))?;
                self.op3(second, ymm(e), ymm(a), ymm(c))?;
                self.op3(first, ymm(c), ymm(a), ymm(c))?;
                self.op3(first, ymm(a), ymm(t), ymm(u))?;
                [t, u].into_iter().for_each(|r| self.registers.unpin(r));
            }
            _ => return Err(super::Refused),
        }
        Ok(())
    }

    /// The dwords of all lanes from `offset` on, each from its register; past the caches, if so asked, to where a line begins.
    pub fn store_rows(&mut self, s: &[Reg], at: At, offset: u32, past_caches: bool) -> Done<()> {
        let (whole, half) = match past_caches {
            true => (Code::EVEX_Vmovntdq_m512_zmm, Code::VEX_Vmovntdq_m128_xmm),
            false => (Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm, Code::VEX_Vmovdqu_xmmm128_xmm),
        };
        let (t, u, v) = (self.temporary()?, self.temporary()?, self.temporary()?);
        match (self.host.target, s) {
            (X86Isa::Avx512, &[a, b]) => {
                for (i, &pairs) in PAIRS.iter().enumerate() {
                    self.copy(t, a)?;
                    self.permute(t, u, pairs, b)?;
                    self.store(whole, at(offset + 64 * i as u32), zmm(t))?;
                }
            }
            (X86Isa::Avx512, &[a, b, c, e]) => {
                let picks = self.temporary()?;
                for (i, &pairs) in PAIRS.iter().enumerate() {
                    self.copy(t, a)?;
                    self.permute(t, picks, pairs, b)?;
                    self.copy(u, c)?;
                    self.permute(u, picks, pairs, e)?;
                    for (quarter, &quads) in QUADS.iter().enumerate() {
                        self.copy(v, t)?;
                        self.index(picks, quads)?;
                        self.op3(Code::EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64, zmm(v), zmm(picks), zmm(u))?;
                        let to = at(offset + 128 * i as u32 + 64 * quarter as u32);
                        self.store(whole, to, zmm(v))?;
                    }
                }
                self.registers.unpin(picks);
            }
            (X86Isa::Avx2, &[a, b]) => {
                for (i, code) in WORDS.into_iter().enumerate() {
                    self.op3(code, ymm(t), ymm(a), ymm(b))?;
                    self.store_halves(t, u, half, at, offset + 16 * i as u32, 32)?;
                }
            }
            (X86Isa::Avx2, &[a, b, c, e]) => {
                for (i, code) in WORDS.into_iter().enumerate() {
                    self.op3(code, ymm(t), ymm(a), ymm(b))?;
                    self.op3(code, ymm(u), ymm(c), ymm(e))?;
                    for (j, code) in DOUBLES.into_iter().enumerate() {
                        self.op3(code, ymm(v), ymm(t), ymm(u))?;
                        let to = offset + 32 * i as u32 + 16 * j as u32;
                        self.store_halves(v, v, half, at, to, 64)?;
                    }
                }
            }
            _ => return Err(super::Refused),
        }
        [t, u, v].into_iter().for_each(|r| self.registers.unpin(r));
        Ok(())
    }

    /// Of AVX-512. Not equal: the lanes of some half are not one dword behind the other. The first offset of the high half goes to
    /// EDX, and the halves' live lanes to mask registers.
    pub fn is_two_rows(&mut self, off: Reg, far: Reg, spare: Reg) -> Done<()> {
        self.index(far, FIRSTS)?;
        self.op3(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, zmm(far), zmm(far), zmm(off))?;
        self.push(Instruction::with3(Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8, xmm(spare), zmm(off), 2))?;
        self.op2(Code::EVEX_Vmovd_rm32_xmm, Register::EDX, xmm(spare))?;
        self.op2(Code::Movsxd_r64_rm32, Register::RDX, Register::EDX)?;
        self.op3(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, zmm(far), zmm(off), zmm(far))?;
        self.push(Instruction::with2(Code::Mov_r32_imm32, Register::EDI, 0xff))?;
        let [low, high] = HALVES.map(k);
        self.op2(Code::VEX_Kmovw_kr_r32, low, Register::EDI)?;
        let live = self.live();
        self.op3(Code::VEX_Kandw_kr_kr_kr, low, low, live)?;
        self.op3(Code::VEX_Kandnw_kr_kr_kr, high, low, live)?;
        self.is_apart_by(far, HALF_NEIGHBOURS, spare)
    }

    /// Two rows, from RCX and from EDX on.
    pub fn load_two_rows(&mut self, d: Reg, offset: u32) -> Done<()> {
        let [low, high] = HALVES.map(k);
        let code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
        let i = self.push(Instruction::with2(code, zmm(d), lanes_at(Register::RCX, offset.into())))?;
        i.set_op_mask(low);
        i.set_zeroing_masking(true);
        let i = self.push(Instruction::with2(code, zmm(d), lanes_at(Register::RDX, i64::from(offset) - HIGH_HALF)))?;
        i.set_op_mask(high);
        Ok(())
    }

    pub fn store_two_rows(&mut self, s: Reg, offset: u32) -> Done<()> {
        let [low, high] = HALVES.map(k);
        let code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
        self.push(Instruction::with2(code, lanes_at(Register::RCX, offset.into()), zmm(s)))?.set_op_mask(low);
        let far = lanes_at(Register::RDX, i64::from(offset) - HIGH_HALF);
        self.push(Instruction::with2(code, far, zmm(s)))?.set_op_mask(high);
        Ok(())
    }

    /// Registers one behind the other.
    fn load_vectors(&mut self, d: &[Reg], at: At, offset: u32) -> Done<()> {
        let bytes = 4 * self.host.lanes() as u32;
        for (i, &r) in d.iter().enumerate() {
            let from = at(offset + bytes * i as u32);
            match self.host.target {
                X86Isa::Avx512 => self.load(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(r), from)?,
                X86Isa::Avx2 => self.load(Code::VEX_Vmovdqu_ymm_ymmm256, ymm(r), from)?,
            }
        }
        Ok(())
    }

    /// The low half by a move, and the high one so many bytes behind it, by way of `spare`.
    fn store_halves(&mut self, r: Reg, spare: Reg, by: Code, at: At, offset: u32, apart: u32) -> Done<()> {
        self.store(by, at(offset), xmm(r))?;
        self.push(Instruction::with3(Code::VEX_Vextracti128_xmmm128_ymm_imm8, xmm(spare), ymm(r), 1))?;
        self.store(by, at(offset + apart), xmm(spare))
    }

    fn index(&mut self, r: Reg, table: usize) -> Done<()> {
        let at = MemoryOperand::with_base_displ(CONSTANTS, 4 * table as i64);
        self.load(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(r), at)
    }

    /// Words of `d` and `s` by a table of indices, which goes to a register.
    fn permute(&mut self, d: Reg, indices: Reg, table: usize, s: Reg) -> Done<()> {
        self.index(indices, table)?;
        self.op3(Code::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(indices), zmm(s)).map(|_| ())
    }
}

/// Where the high half of a register begins, in bytes.
const HIGH_HALF: i64 = 32;

/// Mask registers for the halves' live lanes.
const HALVES: [u8; 2] = [5, 6];

const WORDS: [Code; 2] = [Code::VEX_Vpunpckldq_ymm_ymm_ymmm256, Code::VEX_Vpunpckhdq_ymm_ymm_ymmm256];
const DOUBLES: [Code; 2] = [Code::VEX_Vpunpcklqdq_ymm_ymm_ymmm256, Code::VEX_Vpunpckhqdq_ymm_ymm_ymmm256];
