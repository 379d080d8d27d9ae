//! VOP3P: packed 16-bit math.

super::insts! { Vop3p from crate::insts::vop3::NEXT;
    /// Both halves: D = S0 · S1 + S2.
    V_PK_MAD_I16 "v_pk_mad_i16" 9:0x00 [PkU16] <- [PkU16 PkU16 PkU16] => lane(pk_mad_u16) Keep Valu;
    /// Both halves: D = S0 · S1.
    V_PK_MUL_LO_U16 "v_pk_mul_lo_u16" 9:0x01 [PkU16] <- [PkU16 PkU16] => lane(pk_mul_lo_u16) Keep Valu;
    /// Both halves: D = S0 + S1.
    V_PK_ADD_I16 "v_pk_add_i16" 9:0x02 [PkU16] <- [PkU16 PkU16] => lane(pk_add_u16) Keep Valu;
    /// Both halves: D = S0 − S1.
    V_PK_SUB_I16 "v_pk_sub_i16" 9:0x03 [PkU16] <- [PkU16 PkU16] => lane(pk_sub_u16) Keep Valu;
    /// Both halves: D = S1 << S0[3:0].
    V_PK_LSHLREV_B16 "v_pk_lshlrev_b16" 9:0x04 [PkU16] <- [PkU16 PkU16] => lane(pk_lshlrev_b16) Keep Valu;
    /// Both halves: D = S1 >> S0[3:0], zeros shifted in.
    V_PK_LSHRREV_B16 "v_pk_lshrrev_b16" 9:0x05 [PkU16] <- [PkU16 PkU16] => lane(pk_lshrrev_b16) Keep Valu;
    /// Both halves: D = S1 >> S0[3:0], signs shifted in.
    V_PK_ASHRREV_I16 "v_pk_ashrrev_i16" 9:0x06 [PkU16] <- [PkU16 PkU16] => lane(pk_ashrrev_i16) Keep Valu;
    /// Both halves: D = max(S0, S1), signed.
    V_PK_MAX_I16 "v_pk_max_i16" 9:0x07 [PkU16] <- [PkU16 PkU16] => lane(pk_max_i16) Keep Valu;
    /// Both halves: D = min(S0, S1), signed.
    V_PK_MIN_I16 "v_pk_min_i16" 9:0x08 [PkU16] <- [PkU16 PkU16] => lane(pk_min_i16) Keep Valu;
    /// Both halves: D = S0 · S1 + S2.
    V_PK_MAD_U16 "v_pk_mad_u16" 9:0x09 [PkU16] <- [PkU16 PkU16 PkU16] => lane(pk_mad_u16) Keep Valu;
    /// Both halves: D = S0 + S1.
    V_PK_ADD_U16 "v_pk_add_u16" 9:0x0a [PkU16] <- [PkU16 PkU16] => lane(pk_add_u16) Keep Valu;
    /// Both halves: D = S0 − S1.
    V_PK_SUB_U16 "v_pk_sub_u16" 9:0x0b [PkU16] <- [PkU16 PkU16] => lane(pk_sub_u16) Keep Valu;
    /// Both halves: D = max(S0, S1).
    V_PK_MAX_U16 "v_pk_max_u16" 9:0x0c [PkU16] <- [PkU16 PkU16] => lane(pk_max_u16) Keep Valu;
    /// Both halves: D = min(S0, S1).
    V_PK_MIN_U16 "v_pk_min_u16" 9:0x0d [PkU16] <- [PkU16 PkU16] => lane(pk_min_u16) Keep Valu;
    /// Both halves: D = S0 · S1 + S2, one rounding.
    V_PK_FMA_F16 "v_pk_fma_f16" 9:0x0e [PkF16] <- [PkF16 PkF16 PkF16] => lane(pk_fma_f16) Keep Valu;
    /// Both halves: D = S0 + S1, one rounding.
    V_PK_ADD_F16 "v_pk_add_f16" 9:0x0f [PkF16] <- [PkF16 PkF16] => lane(pk_add_f16) Keep Valu;
    /// Both halves: D = S0 · S1, one rounding.
    V_PK_MUL_F16 "v_pk_mul_f16" 9:0x10 [PkF16] <- [PkF16 PkF16] => lane(pk_mul_f16) Keep Valu;
    /// Both halves: D = min(S0, S1).
    V_PK_MIN_F16 "v_pk_min_f16" (12:"v_pk_min_num_f16") 9:0x11 12:0x1b [PkF16] <- [PkF16 PkF16] => lane(pk_min_f16) Keep Valu;
    /// Both halves: D = max(S0, S1).
    V_PK_MAX_F16 "v_pk_max_f16" (12:"v_pk_max_num_f16") 9:0x12 12:0x1c [PkF16] <- [PkF16 PkF16] => lane(pk_max_f16) Keep Valu;
    /// D = S0 · S1 + S2, one rounding; each source f32 or a half f16.
    V_FMA_MIX_F32 "v_fma_mix_f32" 10:0x20 [F32] <- [Mix Mix Mix] => lane(fma_f32) Keep Valu;
    /// D[15:0] = f16(S0 · S1 + S2); each source f32 or a half f16.
    V_FMA_MIXLO_F16 "v_fma_mixlo_f16" 10:0x21 [F16] <- [Mix Mix Mix] => lane(fma_mix_f16) Keep Valu;
    /// D[31:16] = f16(S0 · S1 + S2); each source f32 or a half f16.
    V_FMA_MIXHI_F16 "v_fma_mixhi_f16" 10:0x22 [F16Hi] <- [Mix Mix Mix] => lane(fma_mix_f16) Keep Valu;
}
