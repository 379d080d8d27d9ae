//! Lanes' places in memory: RAX is the host's address of offset 0, RCX the first lane's offset, a vector register all offsets.

use super::super::registers::Reg;
use super::avx2::{self, LIVE as LIVE_256};
use super::{CONSTANTS, Done, Emitter, LIVE, k, xmm, ymm, zmm};
use crate::x86::X86Isa as HostIsa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// Mask registers for the moment: no condition lives across an access.
const BAD: u8 = 2;
const SOME: u8 = 3;

impl Emitter {
    /// A general register in every lane.
    pub fn splat(&mut self, r: Reg, from: Register) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => self.op2(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, zmm(r), from)?,
            HostIsa::Avx2 => {
                self.op2(Code::VEX_Vmovd_xmm_rm32, xmm(r), from)?;
                self.op2(Code::VEX_Vpbroadcastd_ymm_xmmm32, ymm(r), xmm(r))?
            }
        };
        Ok(())
    }

    /// No lane is bad so far. For [`Emitter::any_bad_lane`], which gives the register back.
    pub fn no_bad_lanes(&mut self) -> Done<Reg> {
        match self.host.target {
            HostIsa::Avx512 => {
                self.op3(Code::VEX_Kxorw_kr_kr_kr, k(BAD), k(BAD), k(BAD))?;
                Ok(0)
            }
            HostIsa::Avx2 => {
                let bad = self.temporary()?;
                self.zero(bad)?;
                Ok(bad)
            }
        }
    }

    /// Live lanes of the chunk whose offset is above the last are bad.
    pub fn bad_lanes(&mut self, bad: Reg, off: Reg, last: Reg) -> Done<()> {
        /// Of EVEX_VPCMPUD: greater.
        const ABOVE: i32 = 6;
        match self.host.target {
            HostIsa::Avx512 => {
                let compare = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
                self.imm3(compare, k(SOME), zmm(off), zmm(last), ABOVE)?.set_op_mask(k(LIVE));
                self.op3(Code::VEX_Korw_kr_kr_kr, k(BAD), k(BAD), k(SOME))?;
            }
            HostIsa::Avx2 => {
                let t = self.temporary()?;
                self.op3(Code::VEX_Vpminud_ymm_ymm_ymmm256, ymm(t), ymm(off), ymm(last))?;
                self.op3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(off))?;
                self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(LIVE_256))?;
                self.op3(Code::VEX_Vpor_ymm_ymm_ymmm256, ymm(bad), ymm(bad), ymm(t))?;
                self.registers.unpin(t);
            }
        }
        Ok(())
    }

    /// Not equal: some lane is bad.
    pub fn any_bad_lane(&mut self, bad: Reg) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => self.op2(Code::VEX_Kortestw_kr_kr, k(BAD), k(BAD))?,
            HostIsa::Avx2 => {
                self.registers.unpin(bad);
                self.op2(Code::VEX_Vptest_ymm_ymmm256, ymm(bad), ymm(bad))?
            }
        };
        Ok(())
    }

    /// The first lane's offset into RCX, and each lane's distance from it.
    pub fn apart(&mut self, far: Reg, off: Reg) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => {
                self.op2(Code::EVEX_Vmovd_rm32_xmm, Register::ECX, xmm(off))?;
                self.op2(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, zmm(far), xmm(off))?;
                self.op3(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, zmm(far), zmm(off), zmm(far))?;
            }
            HostIsa::Avx2 => {
                self.op2(Code::VEX_Vmovd_rm32_xmm, Register::ECX, xmm(off))?;
                self.op2(Code::VEX_Vpbroadcastd_ymm_xmmm32, ymm(far), xmm(off))?;
                self.op3(Code::VEX_Vpsubd_ymm_ymm_ymmm256, ymm(far), ymm(off), ymm(far))?;
            }
        }
        Ok(())
    }

    /// Not equal: some live lane's distance is another than that of the table, a place among the constants.
    pub fn is_apart_by(&mut self, far: Reg, table: usize, spare: Reg) -> Done<()> {
        let table = MemoryOperand::with_base_displ(CONSTANTS, 4 * table as i64);
        match self.host.target {
            HostIsa::Avx512 => {
                let compare = Code::EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32;
                self.push(Instruction::with3(compare, k(SOME), zmm(far), table))?.set_op_mask(k(LIVE));
                self.op3(Code::VEX_Kxorw_kr_kr_kr, k(SOME), k(SOME), k(LIVE))?;
                self.op2(Code::VEX_Kortestw_kr_kr, k(SOME), k(SOME))?;
            }
            HostIsa::Avx2 => {
                let t = ymm(spare);
                self.push(Instruction::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, t, ymm(far), table))?;
                self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, t, t, ymm(LIVE_256))?;
                self.op2(Code::VEX_Vptest_ymm_ymmm256, t, t)?;
            }
        }
        Ok(())
    }

    pub fn load_row(&mut self, d: Reg, at: MemoryOperand) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => {
                let i = self.push(Instruction::with2(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(d), at))?;
                i.set_op_mask(k(LIVE));
                i.set_zeroing_masking(true);
            }
            HostIsa::Avx2 => {
                self.push(Instruction::with3(Code::VEX_Vpmaskmovd_ymm_ymm_m256, ymm(d), ymm(LIVE_256), at))?;
            }
        }
        Ok(())
    }

    pub fn store_row(&mut self, at: MemoryOperand, s: Reg) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => {
                self.push(Instruction::with2(Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm, at, zmm(s)))?.set_op_mask(k(LIVE));
            }
            HostIsa::Avx2 => {
                self.push(Instruction::with3(Code::VEX_Vpmaskmovd_m256_ymm_ymm, at, ymm(LIVE_256), ymm(s)))?;
            }
        }
        Ok(())
    }

    pub fn gather(&mut self, d: Reg, off: Reg, offset: u32, spare: Reg) -> Done<()> {
        self.zero(d)?;
        match self.host.target {
            HostIsa::Avx512 => {
                self.op2(Code::VEX_Kmovw_kr_km16, k(SOME), k(LIVE))?;
                let at = lanes(zmm(off), offset);
                self.push(Instruction::with2(Code::EVEX_Vpgatherdd_zmm_k1_vm32z, zmm(d), at))?.set_op_mask(k(SOME));
            }
            HostIsa::Avx2 => {
                self.copy(spare, avx2::LIVE)?;
                let at = lanes(ymm(off), offset);
                self.push(Instruction::with3(Code::VEX_Vpgatherdd_ymm_vm32y_ymm, ymm(d), at, ymm(spare)))?;
            }
        }
        Ok(())
    }

    /// Of AVX-512.
    pub fn scatter(&mut self, off: Reg, offset: u32, s: Reg) -> Done<()> {
        self.op2(Code::VEX_Kmovw_kr_km16, k(SOME), k(LIVE))?;
        let at = lanes(zmm(off), offset);
        self.push(Instruction::with2(Code::EVEX_Vpscatterdd_vm32z_k1_zmm, at, zmm(s)))?.set_op_mask(k(SOME));
        Ok(())
    }
}

fn lanes(off: Register, offset: u32) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(Register::RAX, off, 1, offset.into(), 8)
}
