//! SOP2: scalar, two sources.

super::insts! { Sop2 from 0;
    /// D = S0 + S1, SCC = carry out.
    S_ADD_U32 "s_add_u32" (12:"s_add_co_u32") 6:0x00 [U32 Scc] <- [U32 U32] => carry(addc_u32) Body Salu;
    /// D = S0 − S1, SCC = borrow.
    S_SUB_U32 "s_sub_u32" (12:"s_sub_co_u32") 6:0x01 [U32 Scc] <- [U32 U32] => carry(subb_u32) Body Salu;
    /// D = S0 + S1, SCC = signed overflow.
    S_ADD_I32 "s_add_i32" (12:"s_add_co_i32") 6:0x02 [I32 Scc] <- [I32 I32] => carry(add_i32) Body Salu;
    /// D = S0 − S1, SCC = signed overflow.
    S_SUB_I32 "s_sub_i32" (12:"s_sub_co_i32") 6:0x03 [I32 Scc] <- [I32 I32] => carry(sub_i32) Body Salu;
    /// D = S0 + S1 + SCC, SCC = carry out.
    S_ADDC_U32 "s_addc_u32" (12:"s_add_co_ci_u32") 6:0x04 [U32 Scc] <- [U32 U32 Scc] => carry(addc_u32) Body Salu;
    /// D = S0 − S1 − SCC, SCC = borrow.
    S_SUBB_U32 "s_subb_u32" (12:"s_sub_co_ci_u32") 6:0x05 [U32 Scc] <- [U32 U32 Scc] => carry(subb_u32) Body Salu;
    /// D = min(S0, S1), SCC = S0 < S1.
    S_MIN_I32 "s_min_i32" 6:0x06 11:0x12 [I32 Scc] <- [I32 I32] => carry(s_min_i32) Body Salu;
    /// D = min(S0, S1), SCC = S0 < S1.
    S_MIN_U32 "s_min_u32" 6:0x07 11:0x13 [U32 Scc] <- [U32 U32] => carry(s_min_u32) Body Salu;
    /// D = max(S0, S1), SCC = S0 ≥ S1.
    S_MAX_I32 "s_max_i32" 6:0x08 11:0x14 [I32 Scc] <- [I32 I32] => carry(s_max_i32) Body Salu;
    /// D = max(S0, S1), SCC = S0 ≥ S1.
    S_MAX_U32 "s_max_u32" 6:0x09 11:0x15 [U32 Scc] <- [U32 U32] => carry(s_max_u32) Body Salu;
    /// D = SCC ? S0 : S1.
    S_CSELECT_B32 "s_cselect_b32" 6:0x0a 11:0x30 [B32] <- [B32 B32 Scc] => lane(cselect_b32) Keep Salu;
    /// D = SCC ? S0 : S1.
    S_CSELECT_B64 "s_cselect_b64" 6:0x0b 11:0x31 [B64] <- [B64 B64 Scc] => wide(cselect_b64) Keep Salu;
    /// D = S0 & S1.
    S_AND_B32 "s_and_b32" 6:0x0e 9:0x0c 10:0x0e 11:0x16 [B32 Scc] <- [B32 B32] => lane(and_b32) NonZero Salu;
    /// D = S0 & S1.
    S_AND_B64 "s_and_b64" 6:0x0f 9:0x0d 10:0x0f 11:0x17 [B64 Scc] <- [B64 B64] => wide(and_b64) NonZero Salu;
    /// D = S0 | S1.
    S_OR_B32 "s_or_b32" 6:0x10 9:0x0e 10:0x10 11:0x18 [B32 Scc] <- [B32 B32] => lane(or_b32) NonZero Salu;
    /// D = S0 | S1.
    S_OR_B64 "s_or_b64" 6:0x11 9:0x0f 10:0x11 11:0x19 [B64 Scc] <- [B64 B64] => wide(or_b64) NonZero Salu;
    /// D = S0 ^ S1.
    S_XOR_B32 "s_xor_b32" 6:0x12 9:0x10 10:0x12 11:0x1a [B32 Scc] <- [B32 B32] => lane(xor_b32) NonZero Salu;
    /// D = S0 ^ S1.
    S_XOR_B64 "s_xor_b64" 6:0x13 9:0x11 10:0x13 11:0x1b [B64 Scc] <- [B64 B64] => wide(xor_b64) NonZero Salu;
    /// D = S0 & ~S1.
    S_ANDN2_B32 "s_andn2_b32" (11:"s_and_not1_b32") 6:0x14 9:0x12 10:0x14 11:0x22 [B32 Scc] <- [B32 B32] => lane(andn2_b32) NonZero Salu;
    /// D = S0 & ~S1.
    S_ANDN2_B64 "s_andn2_b64" (11:"s_and_not1_b64") 6:0x15 9:0x13 10:0x15 11:0x23 [B64 Scc] <- [B64 B64] => wide(andn2_b64) NonZero Salu;
    /// D = S0 | ~S1.
    S_ORN2_B32 "s_orn2_b32" (11:"s_or_not1_b32") 6:0x16 9:0x14 10:0x16 11:0x24 [B32 Scc] <- [B32 B32] => lane(orn2_b32) NonZero Salu;
    /// D = S0 | ~S1.
    S_ORN2_B64 "s_orn2_b64" (11:"s_or_not1_b64") 6:0x17 9:0x15 10:0x17 11:0x25 [B64 Scc] <- [B64 B64] => wide(orn2_b64) NonZero Salu;
    /// D = ~(S0 & S1).
    S_NAND_B32 "s_nand_b32" 6:0x18 9:0x16 10:0x18 11:0x1c [B32 Scc] <- [B32 B32] => lane(nand_b32) NonZero Salu;
    /// D = ~(S0 & S1).
    S_NAND_B64 "s_nand_b64" 6:0x19 9:0x17 10:0x19 11:0x1d [B64 Scc] <- [B64 B64] => wide(nand_b64) NonZero Salu;
    /// D = ~(S0 | S1).
    S_NOR_B32 "s_nor_b32" 6:0x1a 9:0x18 10:0x1a 11:0x1e [B32 Scc] <- [B32 B32] => lane(nor_b32) NonZero Salu;
    /// D = ~(S0 | S1).
    S_NOR_B64 "s_nor_b64" 6:0x1b 9:0x19 10:0x1b 11:0x1f [B64 Scc] <- [B64 B64] => wide(nor_b64) NonZero Salu;
    /// D = ~(S0 ^ S1).
    S_XNOR_B32 "s_xnor_b32" 6:0x1c 9:0x1a 10:0x1c 11:0x20 [B32 Scc] <- [B32 B32] => lane(xnor_b32) NonZero Salu;
    /// D = ~(S0 ^ S1).
    S_XNOR_B64 "s_xnor_b64" 6:0x1d 9:0x1b 10:0x1d 11:0x21 [B64 Scc] <- [B64 B64] => wide(xnor_b64) NonZero Salu;
    /// D = S0 << S1[4:0].
    S_LSHL_B32 "s_lshl_b32" 6:0x1e 9:0x1c 10:0x1e 11:0x08 [B32 Scc] <- [B32 U32] => lane(shl_b32) NonZero Salu;
    /// D = S0 << S1[5:0].
    S_LSHL_B64 "s_lshl_b64" 6:0x1f 9:0x1d 10:0x1f 11:0x09 [B64 Scc] <- [B64 U32] => wide(shl_b64) NonZero Salu;
    /// D = S0 >> S1[4:0], zeros shifted in.
    S_LSHR_B32 "s_lshr_b32" 6:0x20 9:0x1e 10:0x20 11:0x0a [B32 Scc] <- [B32 U32] => lane(shr_b32) NonZero Salu;
    /// D = S0 >> S1[5:0], zeros shifted in.
    S_LSHR_B64 "s_lshr_b64" 6:0x21 9:0x1f 10:0x21 11:0x0b [B64 Scc] <- [B64 U32] => wide(shr_b64) NonZero Salu;
    /// D = S0 >> S1[4:0], signs shifted in.
    S_ASHR_I32 "s_ashr_i32" 6:0x22 9:0x20 10:0x22 11:0x0c [I32 Scc] <- [I32 U32] => lane(sar_i32) NonZero Salu;
    /// D = S0 >> S1[5:0], signs shifted in.
    S_ASHR_I64 "s_ashr_i64" 6:0x23 9:0x21 10:0x23 11:0x0d [I64 Scc] <- [I64 U32] => wide(sar_i64) NonZero Salu;
    /// D = S0[4:0] ones, moved up by S1[4:0].
    S_BFM_B32 "s_bfm_b32" 6:0x24 9:0x22 10:0x24 11:0x2a [B32] <- [B32 B32] => lane(bfm_b32) Keep Salu;
    /// D = S0[5:0] ones, moved up by S1[5:0].
    S_BFM_B64 "s_bfm_b64" 6:0x25 9:0x23 10:0x25 11:0x2b [B64] <- [B32 B32] => wide(bfm_b64) Keep Salu;
    /// D = S0 · S1, low 32 bits.
    S_MUL_I32 "s_mul_i32" 6:0x26 9:0x24 10:0x26 11:0x2c [I32] <- [I32 I32] => lane(mul_lo_u32) Keep Salu;
    /// D = S1[22:16] bits of S0 from bit S1[4:0], zero-extended.
    S_BFE_U32 "s_bfe_u32" 6:0x27 9:0x25 10:0x27 11:0x26 [U32 Scc] <- [U32 U32] => lane(s_bfe_u32) NonZero Salu;
    /// D = S1[22:16] bits of S0 from bit S1[4:0], sign-extended.
    S_BFE_I32 "s_bfe_i32" 6:0x28 9:0x26 10:0x28 11:0x27 [I32 Scc] <- [I32 U32] => lane(s_bfe_i32) NonZero Salu;
    /// D = S1[22:16] bits of S0 from bit S1[5:0], zero-extended.
    S_BFE_U64 "s_bfe_u64" 6:0x29 9:0x27 10:0x29 11:0x28 [U64 Scc] <- [U64 U32] => wide(s_bfe_u64) NonZero Salu;
    /// D = S1[22:16] bits of S0 from bit S1[5:0], sign-extended.
    S_BFE_I64 "s_bfe_i64" 6:0x2a 9:0x28 10:0x2a 11:0x29 [I64 Scc] <- [I64 U32] => wide(s_bfe_i64) NonZero Salu;
    /// D = |S0 − S1| of the wrapped difference.
    S_ABSDIFF_I32 "s_absdiff_i32" 6:0x2c 9:0x2a 10:0x2c 11:0x06 [I32 Scc] <- [I32 I32] => lane(absdiff_i32) NonZero Salu;
    /// D = (S0 << 1) + S1, SCC = the sum is beyond 32 bits.
    S_LSHL1_ADD_U32 "s_lshl1_add_u32" 9:0x2e 11:0x0e [U32 Scc] <- [U32 U32] => carry(lshl1_add_u32) Body Salu;
    /// D = (S0 << 2) + S1, SCC = the sum is beyond 32 bits.
    S_LSHL2_ADD_U32 "s_lshl2_add_u32" 9:0x2f 11:0x0f [U32 Scc] <- [U32 U32] => carry(lshl2_add_u32) Body Salu;
    /// D = (S0 << 3) + S1, SCC = the sum is beyond 32 bits.
    S_LSHL3_ADD_U32 "s_lshl3_add_u32" 9:0x30 11:0x10 [U32 Scc] <- [U32 U32] => carry(lshl3_add_u32) Body Salu;
    /// D = (S0 << 4) + S1, SCC = the sum is beyond 32 bits.
    S_LSHL4_ADD_U32 "s_lshl4_add_u32" 9:0x31 11:0x11 [U32 Scc] <- [U32 U32] => carry(lshl4_add_u32) Body Salu;
    /// D = S1[15:0], S0[15:0].
    S_PACK_LL_B32_B16 "s_pack_ll_b32_b16" 9:0x32 [B32] <- [B32 B32] => lane(pack_ll_b16) Keep Salu;
    /// D = S1[31:16], S0[15:0].
    S_PACK_LH_B32_B16 "s_pack_lh_b32_b16" 9:0x33 [B32] <- [B32 B32] => lane(pack_lh_b16) Keep Salu;
    /// D = S1[31:16], S0[31:16].
    S_PACK_HH_B32_B16 "s_pack_hh_b32_b16" 9:0x34 [B32] <- [B32 B32] => lane(pack_hh_b16) Keep Salu;
    /// D = S0 · S1, high 32 bits, unsigned.
    S_MUL_HI_U32 "s_mul_hi_u32" 9:0x2c 10:0x35 11:0x2d [U32] <- [U32 U32] => lane(mul_hi_u32) Keep Salu;
    /// D = S0 · S1, high 32 bits, signed.
    S_MUL_HI_I32 "s_mul_hi_i32" 9:0x2d 10:0x36 11:0x2e [I32] <- [I32 I32] => lane(mul_hi_i32) Keep Salu;
    /// Jump to S1 with the lanes of EXEC and S0, the others wait on the fork stack, or the other way round.
    S_CBRANCH_G_FORK "s_cbranch_g_fork" 6:0x2b 9:0x29 10:- [] <- [B64 B64] => control(Fork) Keep Branch;
    /// Return from the trap handler to S0, with INST_ATC and other state of S1.
    S_RFE_RESTORE_B64 "s_rfe_restore_b64" 9:0x2b 10:- [] <- [B64 B32] => control(Rfe) Keep Branch;
    /// D = S0[31:16] | S1[15:0] << 16.
    S_PACK_HL_B32_B16 "s_pack_hl_b32_b16" 11:0x35 [B32] <- [B32 B32] => todo() Keep Salu;
    /// D = S0 + S1.
    S_ADD_F32 "s_add_f32" 11.5:0x40 [F32] <- [F32 F32] => todo() Keep Salu;
    /// D = S0 − S1.
    S_SUB_F32 "s_sub_f32" 11.5:0x41 [F32] <- [F32 F32] => todo() Keep Salu;
    /// D = min(S0, S1).
    S_MIN_F32 "s_min_f32" (12:"s_min_num_f32") 11.5:0x42 [F32] <- [F32 F32] => todo() Keep Salu;
    /// D = max(S0, S1).
    S_MAX_F32 "s_max_f32" (12:"s_max_num_f32") 11.5:0x43 [F32] <- [F32 F32] => todo() Keep Salu;
    /// D = S0 · S1.
    S_MUL_F32 "s_mul_f32" 11.5:0x44 [F32] <- [F32 F32] => todo() Keep Salu;
    /// D = S0 · S1 + K, rounded once.
    S_FMAAK_F32 "s_fmaak_f32" 11.5:0x45 [F32] <- [F32 F32 Lit32] => todo() Keep Salu;
    /// D = S0 · K + S1, rounded once.
    S_FMAMK_F32 "s_fmamk_f32" 11.5:0x46 [F32] <- [F32 Lit32 F32] => todo() Keep Salu;
    /// D = S0 · S1 + D, rounded once.
    S_FMAC_F32 "s_fmac_f32" 11.5:0x47 [F32] <- [F32 F32 Old] => todo() Keep Salu;
    /// D = S0 and S1 as f16, rounded toward zero.
    S_CVT_PK_RTZ_F16_F32 "s_cvt_pk_rtz_f16_f32" 11.5:0x48 [B32] <- [F32 F32] => todo() Keep Salu;
    /// D = S0 + S1.
    S_ADD_F16 "s_add_f16" 11.5:0x49 [F16] <- [F16 F16] => todo() Keep Salu;
    /// D = S0 − S1.
    S_SUB_F16 "s_sub_f16" 11.5:0x4a [F16] <- [F16 F16] => todo() Keep Salu;
    /// D = min(S0, S1).
    S_MIN_F16 "s_min_f16" (12:"s_min_num_f16") 11.5:0x4b [F16] <- [F16 F16] => todo() Keep Salu;
    /// D = max(S0, S1).
    S_MAX_F16 "s_max_f16" (12:"s_max_num_f16") 11.5:0x4c [F16] <- [F16 F16] => todo() Keep Salu;
    /// D = S0 · S1.
    S_MUL_F16 "s_mul_f16" 11.5:0x4d [F16] <- [F16 F16] => todo() Keep Salu;
    /// D = S0 · S1 + D, rounded once.
    S_FMAC_F16 "s_fmac_f16" 11.5:0x4e [F16] <- [F16 F16 Old] => todo() Keep Salu;
    /// D = min(S0, S1); NaN if one is.
    S_MINIMUM_F32 "s_minimum_f32" 12:0x4f [F32] <- [F32 F32] => todo() Keep Salu;
    /// D = max(S0, S1); NaN if one is.
    S_MAXIMUM_F32 "s_maximum_f32" 12:0x50 [F32] <- [F32 F32] => todo() Keep Salu;
    /// D = min(S0, S1); NaN if one is.
    S_MINIMUM_F16 "s_minimum_f16" 12:0x51 [F16] <- [F16 F16] => todo() Keep Salu;
    /// D = max(S0, S1); NaN if one is.
    S_MAXIMUM_F16 "s_maximum_f16" 12:0x52 [F16] <- [F16 F16] => todo() Keep Salu;
    /// D = S0 + S1.
    S_ADD_NC_U64 "s_add_nc_u64" 12:0x53 [U64] <- [U64 U64] => todo() Keep Salu;
    /// D = S0 − S1.
    S_SUB_NC_U64 "s_sub_nc_u64" 12:0x54 [U64] <- [U64 U64] => todo() Keep Salu;
    /// D = S0 · S1, the lower 64 bits.
    S_MUL_U64 "s_mul_u64" 12:0x55 [U64] <- [U64 U64] => todo() Keep Salu;
}
