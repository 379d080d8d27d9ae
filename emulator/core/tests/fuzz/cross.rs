//! Vector instructions of the plain machine between lanes and with register numbers that M0 moves.

use super::machine::{M0, Machine};
use wavepipe_isa::insts as i;
use wavepipe_isa::row::Ty;
use wavepipe_isa::{Instr, Src};

impl Machine {
    /// Operations between lanes, between lanes and the scalar file, and with register numbers moved by M0.
    pub fn cross(&mut self, instr: &Instr) -> bool {
        let op = instr.op;
        let dst = instr.dst[0];
        let word = |m: &Machine, k: usize, lane: u32| m.source(instr.src[k], Ty::B32, instr.literal, lane) as u32;
        let select = |m: &Machine| m.scalar(instr.src[1], Ty::B32, instr.literal) as u32 % m.lanes;
        let m0 = self.s[M0];
        let (low, high) = (m0 & 0x3ff, m0 >> 16 & 0x3ff);
        match op {
            i::V_READFIRSTLANE_B32 => {
                let lane = self.active_lanes().first().copied().unwrap_or(0);
                let v = word(self, 0, lane);
                self.set_scalar(dst, v.into(), 1);
            }
            i::V_READLANE_B32 => {
                let v = word(self, 0, select(self));
                self.set_scalar(dst, v.into(), 1);
            }
            i::V_WRITELANE_B32 => {
                let v = self.scalar(instr.src[0], Ty::B32, instr.literal) as u32;
                self.set_vector(dst.vgpr(), select(self), v);
            }
            i::V_PERMLANE16_B32 | i::V_PERMLANEX16_B32 => {
                let lo = self.scalar(instr.src[1], Ty::B32, instr.literal);
                let hi = self.scalar(instr.src[2], Ty::B32, instr.literal);
                let selects = lo & 0xffff_ffff | hi << 32;
                let (fetch, bound) = (instr.mods.op_sel & 1 != 0, instr.mods.op_sel & 2 != 0);
                let before = self.clone();
                for lane in before.active_lanes() {
                    let row = if op == i::V_PERMLANEX16_B32 { lane / 16 ^ 1 } else { lane / 16 };
                    let from = row * 16 + (selects >> (4 * (lane % 16)) & 15) as u32;
                    if fetch || before.active(from) {
                        self.set_vector(dst.vgpr(), lane, word(&before, 0, from));
                    } else if bound {
                        self.set_vector(dst.vgpr(), lane, 0);
                    }
                }
            }
            i::V_MBCNT_LO_U32_B32 | i::V_MBCNT_HI_U32_B32 => {
                let before = self.clone();
                for lane in before.active_lanes() {
                    let below = (1u64 << lane) - 1;
                    let part = if op == i::V_MBCNT_LO_U32_B32 { below as u32 } else { (below >> 32) as u32 };
                    let n = word(&before, 0, lane) & part;
                    self.set_vector(dst.vgpr(), lane, word(&before, 1, lane).wrapping_add(n.count_ones()));
                }
            }
            i::V_SWAP_B32 => self.swap(dst.vgpr(), instr.src[0].vgpr()),
            i::V_SWAPREL_B32 => self.swap(dst.vgpr() + high, instr.src[0].vgpr() + low),
            _ => return false,
        }
        true
    }

    /// V_MOVREL* as the move that M0 makes of it: a source register beyond the wave's is v0, a destination beyond is not
    /// written (`None`).
    pub fn with_relative_registers(&self, instr: &Instr) -> Option<Instr> {
        let m0 = self.s[M0];
        let (low, high) = (m0 & 0x3ff, m0 >> 16 & 0x3ff);
        let (from, to) = match instr.op {
            i::V_MOVRELD_B32 => (0, m0),
            i::V_MOVRELS_B32 => (m0, 0),
            i::V_MOVRELSD_B32 => (m0, m0),
            i::V_MOVRELSD_2_B32 => (low, high),
            _ => return Some(*instr),
        };
        let count = self.v.len() as u64;
        let mut plain = Instr { op: i::V_MOV_B32, ..*instr };
        if instr.src[0].is_vgpr() {
            let n = u64::from(instr.src[0].vgpr()) + u64::from(from);
            plain.src[0] = Src::v(if n < count { n as u32 } else { 0 });
        }
        let d = u64::from(instr.dst[0].vgpr()) + u64::from(to);
        if d >= count {
            return None;
        }
        plain.dst[0] = Src::v(d as u32);
        Some(plain)
    }

    fn swap(&mut self, a: u32, b: u32) {
        let count = self.v.len() as u32;
        for lane in self.active_lanes() {
            let value = |m: &Machine, n: u32| m.v[if n < count { n } else { 0 } as usize][lane as usize];
            let (x, y) = (value(self, a), value(self, b));
            if a < count && b < count {
                self.set_vector(a, lane, y);
                self.set_vector(b, lane, x);
            }
        }
    }
}
