//! Integer division up to 32 bits: no machine instruction does it. (`opt::lower` has expanded that of 64 bits.)
//!
//! Unsigned 32-bit n / d: z ≈ 2³²/d from the f32 reciprocal scaled by slightly less than 2³² (0x4f7ffffe), so that z never
//! exceeds the true value; one Newton step z += mulhi(z, −d·z) makes it exact to about one unit; the quotient
//! mulhi(n, z) is then at most 2 too small, which two conditional corrections repair. The scheme is that of Granlund
//! and Möller's reciprocals as GPU compilers use it. Signed division works on magnitudes. What follows from d alone is made
//! once for a block.

use super::*;
use crate::ir::Alu::{self, *};

/// What stands in VGPRs of the current block's divisors, in its active lanes.
#[derive(Default)]
pub(super) struct Divisors {
    /// 2³²/d.
    reciprocals: HashMap<Arg, Part>,
    /// Sign, as 0 or -1, and magnitude.
    magnitudes: HashMap<Arg, (Part, Part)>,
}

impl Selector<'_> {
    pub(super) fn divide(&mut self, a: Alu, inst: &IrInst) -> Result<()> {
        let signed = matches!(a, SDiv | SRem | SMod);
        let n = self.extended(inst.args[0], signed);
        let d = self.extended(inst.args[1], signed);
        let out = if signed { self.divide_signed(a, n, d) } else { self.divide_unsigned(n, d, a == UMod) };
        self.set_reg(inst.results[0], out);
        Ok(())
    }

    /// Quotient, or remainder.
    fn divide_unsigned(&mut self, n: Arg, d: Arg, remainder: bool) -> Part {
        let none = Mods::default();
        let z = self.reciprocal(d);
        let mut q = self.v1(i::V_MUL_HI_U32, &[n, z.into()]);
        let back = self.v1(i::V_MUL_LO_U32, &[q.into(), d]);
        let mut r = self.v1(i::V_SUB_NC_U32, &[n, back.into()]);
        for step in 0..2 {
            let more = self.vcmp(i::V_CMP_GE_U32, &[r.into(), d], none);
            if !remainder {
                let up = self.v1(i::V_ADD_NC_U32, &[Arg::Imm(1), q.into()]);
                q = self.v1(i::V_CNDMASK_B32, &[q.into(), up.into(), more.into()]);
            }
            if remainder || step == 0 {
                let down = self.v1(i::V_SUB_NC_U32, &[r.into(), d]);
                r = self.v1(i::V_CNDMASK_B32, &[r.into(), down.into(), more.into()]);
            }
        }
        if remainder { r } else { q }
    }

    fn reciprocal(&mut self, d: Arg) -> Part {
        if let Some(&z) = self.divisors.reciprocals.get(&d) {
            return z;
        }
        let f = self.v1(i::V_CVT_F32_U32, &[d]);
        let f = self.v1(i::V_RCP_IFLAG_F32, &[f.into()]);
        let f = self.v1(i::V_MUL_F32, &[Arg::Imm(0x4f7f_fffe), f.into()]);
        let z = self.v1(i::V_CVT_U32_F32, &[f.into()]);
        let minus = self.v1(i::V_SUB_NC_U32, &[Arg::Imm(0), d]);
        let e = self.v1(i::V_MUL_LO_U32, &[minus.into(), z.into()]);
        let e = self.v1(i::V_MUL_HI_U32, &[z.into(), e.into()]);
        let z = self.v1(i::V_ADD_NC_U32, &[z.into(), e.into()]);
        self.divisors.reciprocals.insert(d, z);
        z
    }

    fn divide_signed(&mut self, a: Alu, n: Arg, d: Arg) -> Part {
        let sign = |s: &mut Self, x: Arg| s.v1(i::V_ASHRREV_I32, &[Arg::Imm(31), x]);
        // |x| = (x + s) ^ s
        let magnitude = |s: &mut Self, x: Arg, m: Part| {
            let t = s.v1(i::V_ADD_NC_U32, &[x, m.into()]);
            s.v1(i::V_XOR_B32, &[t.into(), m.into()])
        };
        let sn = sign(self, n);
        let un = magnitude(self, n, sn);
        let (sd, ud) = self.divisors.magnitudes.get(&d).copied().unwrap_or_else(|| {
            let sd = sign(self, d);
            (sd, magnitude(self, d, sd))
        });
        self.divisors.magnitudes.insert(d, (sd, ud));
        let q = self.divide_unsigned(un.into(), ud.into(), a != SDiv);
        let s = if a == SDiv { self.v1(i::V_XOR_B32, &[sn.into(), sd.into()]) } else { sn };
        let t = self.v1(i::V_XOR_B32, &[q.into(), s.into()]);
        let out = self.v1(i::V_SUB_NC_U32, &[t.into(), s.into()]);
        if a != SMod {
            return out;
        }
        // Bring the remainder to the divisor's sign: add d if it is not 0 and the signs differ.
        let x = self.v1(i::V_XOR_B32, &[out.into(), d]);
        let differ = self.vcmp(i::V_CMP_GT_I32, &[Arg::Imm(0), x.into()], Mods::default());
        let nonzero = self.vcmp(i::V_CMP_NE_U32, &[Arg::Imm(0), out.into()], Mods::default());
        let fix = self.mask_op(i::S_AND_B32, i::S_AND_B64, &[differ.into(), nonzero.into()]);
        let up = self.v1(i::V_ADD_NC_U32, &[out.into(), d]);
        self.v1(i::V_CNDMASK_B32, &[out.into(), up.into(), fix.into()])
    }
}
