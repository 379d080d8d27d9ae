//! VOP3-only rows.

super::insts! { Vop3 from crate::insts::vop2::NEXT;
    /// D = S0 · S1 + S2, one rounding.
    V_FMA_F32 "v_fma_f32" 0x14b [F32] <- [F32 F32 F32] => lane(fma_f32) Keep Valu;
}
