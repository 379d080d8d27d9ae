//! VINTRP: interpolation of a pixel's attributes, 32 bits wide; the f16 forms are VOP3 rows.

super::insts! { Vintrp from crate::insts::mimg::NEXT;
    /// D = P10 · S0 + P0, of an attribute's channel.
    V_INTERP_P1_F32 "v_interp_p1_f32" 6:0x00 11:- [F32] <- [F32 M0] => control(GraphicsOnly) Keep Valu;
    /// D = P20 · S0 + D, of an attribute's channel.
    V_INTERP_P2_F32 "v_interp_p2_f32" 6:0x01 11:- [F32] <- [F32 Old M0] => control(GraphicsOnly) Keep Valu;
    /// D = P10, P20 or P0 of an attribute's channel.
    V_INTERP_MOV_F32 "v_interp_mov_f32" 6:0x02 11:- [F32] <- [Param M0] => control(GraphicsOnly) Keep Valu;
}
