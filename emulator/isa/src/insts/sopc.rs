//! SOPC: scalar comparisons.

super::insts! { Sopc from crate::insts::sop1::NEXT;
    /// SCC = S0 = S1.
    S_CMP_EQ_I32 "s_cmp_eq_i32" 6:0x00 [Scc] <- [I32 I32] => compare(eq_i32) Body Salu, opposite(S_CMP_LG_I32);
    /// SCC = S0 ≠ S1.
    S_CMP_LG_I32 "s_cmp_lg_i32" 6:0x01 [Scc] <- [I32 I32] => compare(ne_i32) Body Salu, opposite(S_CMP_EQ_I32);
    /// SCC = S0 > S1.
    S_CMP_GT_I32 "s_cmp_gt_i32" 6:0x02 [Scc] <- [I32 I32] => compare(gt_i32) Body Salu, opposite(S_CMP_LE_I32);
    /// SCC = S0 ≥ S1.
    S_CMP_GE_I32 "s_cmp_ge_i32" 6:0x03 [Scc] <- [I32 I32] => compare(ge_i32) Body Salu, opposite(S_CMP_LT_I32);
    /// SCC = S0 < S1.
    S_CMP_LT_I32 "s_cmp_lt_i32" 6:0x04 [Scc] <- [I32 I32] => compare(lt_i32) Body Salu, opposite(S_CMP_GE_I32);
    /// SCC = S0 ≤ S1.
    S_CMP_LE_I32 "s_cmp_le_i32" 6:0x05 [Scc] <- [I32 I32] => compare(le_i32) Body Salu, opposite(S_CMP_GT_I32);
    /// SCC = S0 = S1.
    S_CMP_EQ_U32 "s_cmp_eq_u32" 6:0x06 [Scc] <- [U32 U32] => compare(eq_u32) Body Salu, opposite(S_CMP_LG_U32);
    /// SCC = S0 ≠ S1.
    S_CMP_LG_U32 "s_cmp_lg_u32" 6:0x07 [Scc] <- [U32 U32] => compare(ne_u32) Body Salu, opposite(S_CMP_EQ_U32);
    /// SCC = S0 > S1.
    S_CMP_GT_U32 "s_cmp_gt_u32" 6:0x08 [Scc] <- [U32 U32] => compare(gt_u32) Body Salu, opposite(S_CMP_LE_U32);
    /// SCC = S0 ≥ S1.
    S_CMP_GE_U32 "s_cmp_ge_u32" 6:0x09 [Scc] <- [U32 U32] => compare(ge_u32) Body Salu, opposite(S_CMP_LT_U32);
    /// SCC = S0 < S1.
    S_CMP_LT_U32 "s_cmp_lt_u32" 6:0x0a [Scc] <- [U32 U32] => compare(lt_u32) Body Salu, opposite(S_CMP_GE_U32);
    /// SCC = S0 ≤ S1.
    S_CMP_LE_U32 "s_cmp_le_u32" 6:0x0b [Scc] <- [U32 U32] => compare(le_u32) Body Salu, opposite(S_CMP_GT_U32);
    /// SCC = bit S1[4:0] of S0 is zero.
    S_BITCMP0_B32 "s_bitcmp0_b32" 6:0x0c [Scc] <- [B32 U32] => compare(bitcmp0_b32) Body Salu, opposite(S_BITCMP1_B32);
    /// SCC = bit S1[4:0] of S0 is one.
    S_BITCMP1_B32 "s_bitcmp1_b32" 6:0x0d [Scc] <- [B32 U32] => compare(bitcmp1_b32) Body Salu, opposite(S_BITCMP0_B32);
    /// SCC = bit S1[5:0] of S0 is zero.
    S_BITCMP0_B64 "s_bitcmp0_b64" 6:0x0e [Scc] <- [B64 U32] => compare(bitcmp0_b64) Body Salu, opposite(S_BITCMP1_B64);
    /// SCC = bit S1[5:0] of S0 is one.
    S_BITCMP1_B64 "s_bitcmp1_b64" 6:0x0f [Scc] <- [B64 U32] => compare(bitcmp1_b64) Body Salu, opposite(S_BITCMP0_B64);
    /// SCC = S0 = S1.
    S_CMP_EQ_U64 "s_cmp_eq_u64" 9:0x12 11:0x10 [Scc] <- [U64 U64] => compare(eq_u64) Body Salu, opposite(S_CMP_LG_U64);
    /// SCC = S0 ≠ S1.
    S_CMP_LG_U64 "s_cmp_lg_u64" 9:0x13 11:0x11 [Scc] <- [U64 U64] => compare(ne_u64) Body Salu, opposite(S_CMP_EQ_U64);
    /// Vector instructions are skipped if S0's bit S1[4:0] is set.
    S_SETVSKIP "s_setvskip" 6:0x10 10:- [] <- [B32 B32] => control(SetVskip) Keep Salu;
    /// Indexed VGPRs on: M0[7:0] = S0[7:0], M0[15:12] = S1, which names the operands.
    S_SET_GPR_IDX_ON "s_set_gpr_idx_on" 9:0x11 10:- [M0] <- [B32 Imm16 M0] => control(IndexOn) Keep Salu;
    /// SCC = S0 < S1.
    S_CMP_LT_F32 "s_cmp_lt_f32" 11.5:0x41 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = S0 = S1.
    S_CMP_EQ_F32 "s_cmp_eq_f32" 11.5:0x42 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = S0 ≤ S1.
    S_CMP_LE_F32 "s_cmp_le_f32" 11.5:0x43 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = S0 > S1.
    S_CMP_GT_F32 "s_cmp_gt_f32" 11.5:0x44 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = S0 < S1 or S0 > S1.
    S_CMP_LG_F32 "s_cmp_lg_f32" 11.5:0x45 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = S0 ≥ S1.
    S_CMP_GE_F32 "s_cmp_ge_f32" 11.5:0x46 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = neither is a NaN.
    S_CMP_O_F32 "s_cmp_o_f32" 11.5:0x47 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = one is a NaN.
    S_CMP_U_F32 "s_cmp_u_f32" 11.5:0x48 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = not S0 ≥ S1.
    S_CMP_NGE_F32 "s_cmp_nge_f32" 11.5:0x49 [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = not (S0 < S1 or S0 > S1).
    S_CMP_NLG_F32 "s_cmp_nlg_f32" 11.5:0x4a [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = not S0 > S1.
    S_CMP_NGT_F32 "s_cmp_ngt_f32" 11.5:0x4b [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = not S0 ≤ S1.
    S_CMP_NLE_F32 "s_cmp_nle_f32" 11.5:0x4c [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = not S0 = S1.
    S_CMP_NEQ_F32 "s_cmp_neq_f32" 11.5:0x4d [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = not S0 < S1.
    S_CMP_NLT_F32 "s_cmp_nlt_f32" 11.5:0x4e [Scc] <- [F32 F32] => todo() Keep Salu;
    /// SCC = S0 < S1.
    S_CMP_LT_F16 "s_cmp_lt_f16" 11.5:0x51 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = S0 = S1.
    S_CMP_EQ_F16 "s_cmp_eq_f16" 11.5:0x52 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = S0 ≤ S1.
    S_CMP_LE_F16 "s_cmp_le_f16" 11.5:0x53 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = S0 > S1.
    S_CMP_GT_F16 "s_cmp_gt_f16" 11.5:0x54 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = S0 < S1 or S0 > S1.
    S_CMP_LG_F16 "s_cmp_lg_f16" 11.5:0x55 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = S0 ≥ S1.
    S_CMP_GE_F16 "s_cmp_ge_f16" 11.5:0x56 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = neither is a NaN.
    S_CMP_O_F16 "s_cmp_o_f16" 11.5:0x57 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = one is a NaN.
    S_CMP_U_F16 "s_cmp_u_f16" 11.5:0x58 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = not S0 ≥ S1.
    S_CMP_NGE_F16 "s_cmp_nge_f16" 11.5:0x59 [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = not (S0 < S1 or S0 > S1).
    S_CMP_NLG_F16 "s_cmp_nlg_f16" 11.5:0x5a [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = not S0 > S1.
    S_CMP_NGT_F16 "s_cmp_ngt_f16" 11.5:0x5b [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = not S0 ≤ S1.
    S_CMP_NLE_F16 "s_cmp_nle_f16" 11.5:0x5c [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = not S0 = S1.
    S_CMP_NEQ_F16 "s_cmp_neq_f16" 11.5:0x5d [Scc] <- [B16 B16] => todo() Keep Salu;
    /// SCC = not S0 < S1.
    S_CMP_NLT_F16 "s_cmp_nlt_f16" 11.5:0x5e [Scc] <- [B16 B16] => todo() Keep Salu;
}
