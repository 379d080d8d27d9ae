//! VOP3-only rows that RDNA has no more.

super::insts! { Vop3 from crate::insts::vopc_gcn::NEXT;
    /// D = S0 << S1[5:0].
    V_LSHL_B64 "v_lshl_b64" 6:0x161 9:- [B64] <- [B64 U32] => wide(shl_b64) Keep Double;
    /// D = S0 >> S1[5:0].
    V_LSHR_B64 "v_lshr_b64" 6:0x162 9:- [B64] <- [B64 U32] => wide(shr_b64) Keep Double;
    /// D = S0 >> S1[5:0], with the sign.
    V_ASHR_I64 "v_ashr_i64" 6:0x163 9:- [I64] <- [I64 U32] => wide(sar_i64) Keep Double;
    /// D = S0 · S1 + S2, two roundings; the result's upper half becomes zero.
    V_MAD_LEGACY_F16 "v_mad_legacy_f16" 9:0x1ea 10:- [F16] <- [F16 F16 F16] => lane(mad_f16) Keep Valu + NO_OP_SEL;
    /// D = S0 · S1 + S2, two roundings.
    V_MAD_F16 "v_mad_f16" 9:0x203 10:- [F16] <- [F16 F16 F16] => lane(mad_f16) Keep Valu;
    /// D = S0 · S1 + S2; the result's upper half becomes zero.
    V_MAD_LEGACY_U16 "v_mad_legacy_u16" 9:0x1eb 10:- [U16] <- [U16 U16 U16] => lane(mad_u32) Keep Valu + NO_OP_SEL, clamp(MulAdd, U16);
    /// D = S0 · S1 + S2; the result's upper half becomes zero.
    V_MAD_LEGACY_I16 "v_mad_legacy_i16" 9:0x1ec 10:- [I16] <- [I16 I16 I16] => lane(mad_u32) Keep Valu + NO_OP_SEL, clamp(MulAdd, I16);
    /// D = S0 · S1 + S2, one rounding; the result's upper half becomes zero.
    V_FMA_LEGACY_F16 "v_fma_legacy_f16" 9:0x1ee 10:- [F16] <- [F16 F16 F16] => lane(fma_f16) Keep Valu + NO_OP_SEL;
    /// D = the quotient S2 / S1 by S0 as an approximation, special cases mended; the result's upper half becomes zero.
    V_DIV_FIXUP_LEGACY_F16 "v_div_fixup_legacy_f16" 9:0x1ef 10:- [F16] <- [F16 F16 F16] => lane(div_fixup_f16) Keep Valu + NO_OP_SEL;
    /// D = P20 · S0 + S1, of an attribute's channel; the result's upper half becomes zero.
    V_INTERP_P2_LEGACY_F16 "v_interp_p2_legacy_f16" 9:0x276 10:- [F16] <- [F32 F32 M0] => control(GraphicsOnly) Keep Valu;
}
