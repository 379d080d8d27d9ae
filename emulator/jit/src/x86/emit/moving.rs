//! Lanes that move inside of a row of sixteen (DPP), which is a chunk of AVX-512.
//!
//! ```text
//! read:   lanes that read inside of their row, of a lane that lives if dead ones are not read
//! write:  EXEC, the row and bank masks, and without BOUND_CTRL who reads
//! move:   a permutation; zero where nothing is read
//! ```

use super::super::registers::Reg;
use super::{Done, Emitter, k, zmm};
use iced_x86::{Code, Instruction, Register};
use wavepipe_core::wave::Movement;

/// A step's movement.
#[derive(Clone, Copy)]
pub struct Moving {
    /// Which lane each one reads.
    index: Reg,
    read: u8,
    pub write: u8,
}

impl Emitter {
    /// For the chunk of a step.
    pub(super) fn moving(&mut self, m: &Movement) -> Done<Moving> {
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
        Ok(Moving { index, read, write })
    }

    /// A source's lanes where they are read, in a register of their own for one that is given back.
    pub(super) fn moved(&mut self, from: Reg) -> Done<Reg> {
        let Some(Moving { index, read, .. }) = self.moving else { return Ok(from) };
        let d = self.temporary()?;
        let i = self.op3(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(index), zmm(from))?;
        i.set_op_mask(k(read));
        i.set_zeroing_masking(true);
        self.registers.unpin(from);
        Ok(d)
    }

    pub(super) fn end_moving(&mut self) {
        if let Some(Moving { index, read, write }) = self.moving.take() {
            self.registers.unpin(index);
            [read, write].into_iter().for_each(|m| self.free_mask(m));
        }
    }

    fn mask_of(&mut self, m: u8, bits: u32) -> Done<()> {
        self.push(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, bits))?;
        self.op2(Code::VEX_Kmovw_kr_r32, k(m), Register::EAX).map(|_| ())
    }
}
