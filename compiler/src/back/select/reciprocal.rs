//! The reciprocal of an integer, by which `opt::lower` divides: no machine instruction does either.
//!
//! z ≈ 2³²/d from the f32 reciprocal scaled by slightly less than 2³² (0x4f7ffffe), so that z never exceeds the true value;
//! one Newton step z += mulhi(z, −d·z) makes it exact to about one unit. The scheme is that of Granlund and Möller's
//! reciprocals as GPU compilers use it.

use super::*;

impl Selector<'_> {
    /// As [`ir::Alu::URcp`] says.
    pub(super) fn reciprocal(&mut self, d: Arg) -> Part {
        let f = self.v1(i::V_CVT_F32_U32, &[d]);
        let f = self.v1(i::V_RCP_IFLAG_F32, &[f.into()]);
        let f = self.v1(i::V_MUL_F32, &[Arg::Imm(0x4f7f_fffe), f.into()]);
        let z = self.v1(i::V_CVT_U32_F32, &[f.into()]);
        let minus = self.v1(i::V_SUB_NC_U32, &[Arg::Imm(0), d]);
        let e = self.v1(i::V_MUL_LO_U32, &[minus.into(), z.into()]);
        let e = self.v1(i::V_MUL_HI_U32, &[z.into(), e.into()]);
        self.v1(i::V_ADD_NC_U32, &[z.into(), e.into()])
    }
}
