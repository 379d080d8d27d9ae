//! Vector instructions that a generation lacks, by those that it has.

use super::*;

impl Selector<'_> {
    /// Does what `op` does by other instructions; false if there is nothing to take its place.
    pub(super) fn stand_in(&mut self, op: Op, dst: &[Arg], src: &[Arg], mods: Mods) -> bool {
        // Two operands to one, and that with the third to the result.
        let two = |s: &mut Self, first: Op, a: [Arg; 2], second: Op, b: &dyn Fn(Arg) -> [Arg; 2]| {
            let t = s.v1(first, &a);
            s.vop(second, dst, &b(t.into()), mods);
        };
        match (op, src) {
            (i::V_ADD_NC_U32, _) => self.with_carry(i::V_ADD_CO_U32_VCC, dst, src, mods),
            (i::V_SUB_NC_U32, _) => self.with_carry(i::V_SUB_CO_U32_VCC, dst, src, mods),
            (i::V_ADD_CO_U32, _) => self.vop(i::V_ADD_CO_U32_VCC, dst, src, mods),
            (i::V_SUB_CO_U32, _) => self.vop(i::V_SUB_CO_U32_VCC, dst, src, mods),
            (i::V_LSHLREV_B64, &[n, x]) => self.vop(i::V_LSHL_B64, dst, &[x, n], mods),
            (i::V_LSHRREV_B64, &[n, x]) => self.vop(i::V_LSHR_B64, dst, &[x, n], mods),
            (i::V_ASHRREV_I64, &[n, x]) => self.vop(i::V_ASHR_I64, dst, &[x, n], mods),
            (i::V_ADD3_U32, &[x, y, z]) => two(self, i::V_ADD_NC_U32, [x, y], i::V_ADD_NC_U32, &|t| [t, z]),
            (i::V_LSHL_ADD_U32, &[x, n, z]) => two(self, i::V_LSHLREV_B32, [n, x], i::V_ADD_NC_U32, &|t| [t, z]),
            (i::V_LSHL_OR_B32, &[x, n, z]) => two(self, i::V_LSHLREV_B32, [n, x], i::V_OR_B32, &|t| [t, z]),
            (i::V_ADD_LSHL_U32, &[x, y, n]) => two(self, i::V_ADD_NC_U32, [x, y], i::V_LSHLREV_B32, &|t| [n, t]),
            (i::V_AND_OR_B32, &[x, y, z]) => two(self, i::V_AND_B32, [x, y], i::V_OR_B32, &|t| [t, z]),
            (i::V_OR3_B32, &[x, y, z]) => two(self, i::V_OR_B32, [x, y], i::V_OR_B32, &|t| [t, z]),
            (i::V_XOR3_B32, &[x, y, z]) => two(self, i::V_XOR_B32, [x, y], i::V_XOR_B32, &|t| [t, z]),
            (i::V_XAD_U32, &[x, y, z]) => two(self, i::V_XOR_B32, [x, y], i::V_ADD_NC_U32, &|t| [t, z]),
            _ => return false,
        }
        true
    }

    /// An addition or subtraction whose carry nobody wants.
    fn with_carry(&mut self, op: Op, dst: &[Arg], src: &[Arg], mods: Mods) {
        // In VCC it leaves room for a literal; without one any place will do.
        let carry = if src.iter().any(|&a| self.is_literal(a)) { self.vcc() } else { self.new_mask() };
        self.vop(op, &[dst[0], carry.into()], src, mods);
    }

    /// A mask in VCC.
    pub(super) fn vcc(&mut self) -> Part {
        let mask = self.new_mask();
        self.f.regs[mask.reg as usize].fixed = Some(Src::VCC_LO);
        mask
    }

    /// A mask for a carry from one addition to the next: VCC where that is the shorter form.
    pub(super) fn carry(&mut self) -> Part {
        if self.has(i::V_ADD_CO_U32) { self.new_mask() } else { self.vcc() }
    }
}
