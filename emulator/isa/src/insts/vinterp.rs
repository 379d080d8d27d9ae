//! VINTERP: interpolation of what LDS_PARAM_LOAD put into registers.

super::insts! { Vinterp from crate::insts::exp::NEXT;
    /// D = P10 of S0's quad · S1 + P0 of S2's quad.
    V_INTERP_P10_F32 "v_interp_p10_f32" 11:0x00 [F32] <- [F32 F32 F32] => control(GraphicsOnly) Keep Valu;
    /// D = P20 of S0's quad · S1 + S2.
    V_INTERP_P2_F32_INREG "v_interp_p2_f32_inreg" (11:"v_interp_p2_f32") 11:0x01 [F32] <- [F32 F32 F32] => control(GraphicsOnly) Keep Valu;
    /// As V_INTERP_P10_F32, of halves of S0 and S2.
    V_INTERP_P10_F16_F32 "v_interp_p10_f16_f32" 11:0x02 [F32] <- [F16 F32 F16] => control(GraphicsOnly) Keep Valu;
    /// As V_INTERP_P2_F32, of a half of S0, into a half of D.
    V_INTERP_P2_F16_F32 "v_interp_p2_f16_f32" 11:0x03 [F16] <- [F16 F32 F32] => control(GraphicsOnly) Keep Valu;
    /// As V_INTERP_P10_F16_F32, rounded toward zero.
    V_INTERP_P10_RTZ_F16_F32 "v_interp_p10_rtz_f16_f32" 11:0x04 [F32] <- [F16 F32 F16] => control(GraphicsOnly) Keep Valu;
    /// As V_INTERP_P2_F16_F32, rounded toward zero.
    V_INTERP_P2_RTZ_F16_F32 "v_interp_p2_rtz_f16_f32" 11:0x05 [F16] <- [F16 F32 F32] => control(GraphicsOnly) Keep Valu;
}
