//! VOP2 rows that RDNA has no more.

super::insts! { Vop2 from crate::insts::vopd::NEXT;
    /// D = S0 + S1, VCC[lane] = carry.
    V_ADD_CO_U32_VCC "v_add_co_u32_vcc" (6:"v_add_i32" 9:"v_add_co_u32") 6:0x25 9:0x19 10:- [U32 Vcc] <- [U32 U32] => carry(addc_u32) Keep Valu, clamp(Add, U32), exchanged(V_ADD_CO_U32_VCC);
    /// D = S0 − S1, VCC[lane] = borrow.
    V_SUB_CO_U32_VCC "v_sub_co_u32_vcc" (6:"v_sub_i32" 9:"v_sub_co_u32") 6:0x26 9:0x1a 10:- [U32 Vcc] <- [U32 U32] => carry(subb_u32) Keep Valu, clamp(Sub, U32), exchanged(V_SUBREV_CO_U32_VCC);
    /// D = S1 − S0, VCC[lane] = borrow.
    V_SUBREV_CO_U32_VCC "v_subrev_co_u32_vcc" (6:"v_subrev_i32" 9:"v_subrev_co_u32") 6:0x27 9:0x1b 10:- [U32 Vcc] <- [U32 U32] => carry(subbrev_u32) Keep Valu + REVERSED, clamp(SubRev, U32), exchanged(V_SUB_CO_U32_VCC);
    /// D = S0 < S1 ? S0 : S1.
    V_MIN_LEGACY_F32 "v_min_legacy_f32" 6:0x0d 9:- [F32] <- [F32 F32] => lane(min_legacy_f32) Keep Valu;
    /// D = S0 ≥ S1 ? S0 : S1.
    V_MAX_LEGACY_F32 "v_max_legacy_f32" 6:0x0e 9:- [F32] <- [F32 F32] => lane(max_legacy_f32) Keep Valu;
    /// D = S0 >> S1[4:0].
    V_LSHR_B32 "v_lshr_b32" 6:0x15 9:- [B32] <- [B32 U32] => lane(shr_b32) Keep Valu;
    /// D = S0 >> S1[4:0], with the sign.
    V_ASHR_I32 "v_ashr_i32" 6:0x17 9:- [I32] <- [I32 U32] => lane(sar_i32) Keep Valu;
    /// D = S0 << S1[4:0].
    V_LSHL_B32 "v_lshl_b32" 6:0x19 9:- [B32] <- [B32 U32] => lane(shl_b32) Keep Valu;
    /// Byte S1[1:0] of D = S0 as an unsigned integer; the others are kept.
    V_CVT_PKACCUM_U8_F32 "v_cvt_pkaccum_u8_f32" 6:0x2c 9:(Vop3 0x1f0) 10:- [B32] <- [F32 U32 Old] => lane(cvt_pk_u8_f32) Keep Valu;
    /// D = S1 − S0.
    V_SUBREV_U16 "v_subrev_u16" 9:0x28 10:- [U16] <- [U16 U16] => lane(subrev_u32) Keep Valu + REVERSED, clamp(SubRev, U16);
    /// D = S0 · S1 + D, two roundings.
    V_MAC_F16 "v_mac_f16" 9:0x23 10:- [F16] <- [F16 F16 Old] => lane(mad_f16) Keep Valu, exchanged(V_MAC_F16);
    /// D = S0 · literal + S1, two roundings.
    V_MADMK_F16 "v_madmk_f16" 9:0x24 10:- [F16] <- [F16 Lit32 F16] => lane(mad_f16) Keep Valu;
    /// D = S0 · S1 + literal, two roundings.
    V_MADAK_F16 "v_madak_f16" 9:0x25 10:- [F16] <- [F16 F16 Lit32] => lane(mad_f16) Keep Valu, exchanged(V_MADAK_F16);
}
