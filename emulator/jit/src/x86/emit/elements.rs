//! Bytes and halves of dwords of all lanes: rows of them in memory, and halves of registers.

use super::super::registers::{Home, Reg};
use super::{Done, Emitter, xmm, ymm, zmm};
use crate::record::F;
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, MemoryOperand};

/// VPSHUFB: each dword's low byte, or low half, to the beginning of the sixteen bytes; what is above is zero.
const BYTES: [u32; 4] = [0x0c08_0400, !0, !0, !0];
const HALVES: [u32; 4] = [0x0504_0100, 0x0d0c_0908, !0, !0];
/// VPERMQ: 0 and 2.
const EVEN: i32 = 0b1000;

impl Emitter {
    /// Elements one behind the other, each extended into its lane; with AVX2 all lanes live.
    pub fn load_row_of(&mut self, d: Reg, at: MemoryOperand, bytes: u32, signed: bool) -> Done<()> {
        let live = self.live();
        match self.host.target {
            X86Isa::Avx512 => {
                let code = match (bytes, signed) {
                    (1, false) => Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
                    (1, true) => Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128,
                    (_, false) => Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
                    (_, true) => Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256,
                };
                let i = self.push(Instruction::with2(code, zmm(d), at))?;
                i.set_op_mask(live);
                i.set_zeroing_masking(true);
                Ok(())
            }
            X86Isa::Avx2 => {
                let code = match (bytes, signed) {
                    (1, false) => Code::VEX_Vpmovzxbd_ymm_xmmm64,
                    (1, true) => Code::VEX_Vpmovsxbd_ymm_xmmm64,
                    (_, false) => Code::VEX_Vpmovzxwd_ymm_xmmm128,
                    (_, true) => Code::VEX_Vpmovsxwd_ymm_xmmm128,
                };
                self.load(code, ymm(d), at)
            }
        }
    }

    /// All lanes' low ends, one behind the other.
    pub fn store_row_of(&mut self, at: MemoryOperand, s: Reg, spare: Reg, bytes: u32) -> Done<()> {
        match (self.host.target, bytes) {
            (X86Isa::Avx512, 1) => {
                self.op2(Code::EVEX_Vpmovdb_xmmm128_k1z_zmm, xmm(spare), zmm(s))?;
                self.store(Code::EVEX_Vmovdqu32_xmmm128_k1z_xmm, at, xmm(spare))
            }
            (X86Isa::Avx512, _) => {
                self.op2(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, ymm(spare), zmm(s))?;
                self.store(Code::EVEX_Vmovdqu32_ymmm256_k1z_ymm, at, ymm(spare))
            }
            (X86Isa::Avx2, _) => {
                let picks = if bytes == 1 { BYTES } else { HALVES };
                let picks = self.constants_at(&[picks, picks].concat());
                self.push(Instruction::with3(Code::VEX_Vpshufb_ymm_ymm_ymmm256, ymm(spare), ymm(s), picks))?;
                self.imm2(Code::VEX_Vpermq_ymm_ymmm256_imm8, ymm(spare), ymm(spare), EVEN)?;
                if bytes == 2 {
                    return self.store(Code::VEX_Vmovdqu_xmmm128_xmm, at, xmm(spare));
                }
                // Four bytes and no more in each eight.
                self.imm2(Code::VEX_Vpshufd_xmm_xmmm128_imm8, xmm(spare), xmm(spare), EVEN)?;
                self.store(Code::VEX_Vmovq_xmmm64_xmm, at, xmm(spare))
            }
        }
    }

    /// The low half of a register becomes a half of what is there, whose other half is kept.
    pub fn into_half(&mut self, r: Reg, there: Reg, high: bool) -> Done<()> {
        let (kept, t) = (self.home(Home::Constant(if high { 0xffff } else { 0xffff_0000 }))?, self.temporary()?);
        let taken = [kept, t];
        let (r, there, kept, t) = match self.host.target {
            X86Isa::Avx512 => (zmm(r), zmm(there), zmm(kept), zmm(t)),
            X86Isa::Avx2 => (ymm(r), ymm(there), ymm(kept), ymm(t)),
        };
        let [shift, and, and_not, or] = match self.host.target {
            X86Isa::Avx512 => [
                Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
                Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
            ],
            X86Isa::Avx2 => [
                Code::VEX_Vpslld_ymm_ymm_imm8,
                Code::VEX_Vpand_ymm_ymm_ymmm256,
                Code::VEX_Vpandn_ymm_ymm_ymmm256,
                Code::VEX_Vpor_ymm_ymm_ymmm256,
            ],
        };
        if high {
            self.imm2(shift, r, r, 16)?;
        }
        self.op3(and, t, there, kept)?;
        self.op3(and_not, r, kept, r)?;
        self.op3(or, r, r, t)?;
        taken.into_iter().for_each(|r| self.registers.unpin(r));
        Ok(())
    }

    /// Offsets of bytes in lanes' private memory to those of each lane's in its row: `bits` as of [`Emitter::rows_of`].
    pub fn rows_of_bytes(&mut self, off: Reg, bits: i32) -> Done<()> {
        let (low, within) = (self.home(Home::Constant(3))?, self.temporary()?);
        self.binary(F::and, within, low, off)?;
        self.binary(F::sub, off, off, within)?;
        self.rows_of(off, off, bits)?;
        self.binary(F::add, off, off, within)?;
        [low, within].into_iter().for_each(|r| self.registers.unpin(r));
        Ok(())
    }

    /// A register's high half as its low one.
    pub fn high_half(&mut self, d: Reg, s: Reg) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.imm2(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, zmm(d), zmm(s), 16),
            X86Isa::Avx2 => self.imm2(Code::VEX_Vpsrld_ymm_ymm_imm8, ymm(d), ymm(s), 16),
        }
        .map(|_| ())
    }
}
