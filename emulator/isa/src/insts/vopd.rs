//! VOPD: pairs of operations, issued at once. The first half's number has four bits, the second's five, in one numbering.

super::insts! { Vopd from crate::insts::vinterp::NEXT;
    /// D = S0 · S1 + D, one rounding.
    V_DUAL_FMAC_F32 "v_dual_fmac_f32" 11:0x00 [F32] <- [F32 F32 Old] => todo() Keep Valu;
    /// D = S0 · S1 + literal, one rounding.
    V_DUAL_FMAAK_F32 "v_dual_fmaak_f32" 11:0x01 [F32] <- [F32 F32 Lit32] => todo() Keep Valu;
    /// D = S0 · literal + S1, one rounding.
    V_DUAL_FMAMK_F32 "v_dual_fmamk_f32" 11:0x02 [F32] <- [F32 Lit32 F32] => todo() Keep Valu;
    /// D = S0 · S1, one rounding.
    V_DUAL_MUL_F32 "v_dual_mul_f32" 11:0x03 [F32] <- [F32 F32] => todo() Keep Valu;
    /// D = S0 + S1, one rounding.
    V_DUAL_ADD_F32 "v_dual_add_f32" 11:0x04 [F32] <- [F32 F32] => todo() Keep Valu;
    /// D = S0 − S1, one rounding.
    V_DUAL_SUB_F32 "v_dual_sub_f32" 11:0x05 [F32] <- [F32 F32] => todo() Keep Valu;
    /// D = S1 − S0, one rounding.
    V_DUAL_SUBREV_F32 "v_dual_subrev_f32" 11:0x06 [F32] <- [F32 F32] => todo() Keep Valu;
    /// D = S0 · S1, where zero times anything is zero.
    V_DUAL_MUL_DX9_ZERO_F32 "v_dual_mul_dx9_zero_f32" 11:0x07 [F32] <- [F32 F32] => todo() Keep Valu;
    /// D = S0.
    V_DUAL_MOV_B32 "v_dual_mov_b32" 11:0x08 [B32] <- [B32] => todo() Keep Valu;
    /// D = VCC[lane] ? S1 : S0.
    V_DUAL_CNDMASK_B32 "v_dual_cndmask_b32" 11:0x09 [B32] <- [B32 B32 Vcc] => todo() Keep Valu;
    /// D = max(S0, S1); a NaN loses; −0 < +0.
    V_DUAL_MAX_F32 "v_dual_max_f32" (12:"v_dual_max_num_f32") 11:0x0a [F32] <- [F32 F32] => todo() Keep Valu;
    /// D = min(S0, S1); a NaN loses; −0 < +0.
    V_DUAL_MIN_F32 "v_dual_min_f32" (12:"v_dual_min_num_f32") 11:0x0b [F32] <- [F32 F32] => todo() Keep Valu;
    /// D = S0.lo · S1.lo + S0.hi · S1.hi + D, of f16.
    V_DUAL_DOT2ACC_F32_F16 "v_dual_dot2acc_f32_f16" 11:0x0c 12:- [F32] <- [PkF16 PkF16 Old] => todo() Keep Valu;
    /// D = S0 + S1; second half only.
    V_DUAL_ADD_NC_U32 "v_dual_add_nc_u32" 11:0x10 [U32] <- [U32 U32] => todo() Keep Valu;
    /// D = S1 << S0[4:0]; second half only.
    V_DUAL_LSHLREV_B32 "v_dual_lshlrev_b32" 11:0x11 [B32] <- [U32 B32] => todo() Keep Valu;
    /// D = S0 & S1; second half only.
    V_DUAL_AND_B32 "v_dual_and_b32" 11:0x12 [B32] <- [B32 B32] => todo() Keep Valu;
}
