//! SOPC: scalar comparisons.

super::insts! { Sopc from crate::insts::sop1::NEXT;
    /// SCC = S0 = S1.
    S_CMP_EQ_I32 "s_cmp_eq_i32" 6:0x00 [Scc] <- [I32 I32] => compare(eq_i32) Body Salu;
    /// SCC = S0 ≠ S1.
    S_CMP_LG_I32 "s_cmp_lg_i32" 6:0x01 [Scc] <- [I32 I32] => compare(ne_i32) Body Salu;
    /// SCC = S0 > S1.
    S_CMP_GT_I32 "s_cmp_gt_i32" 6:0x02 [Scc] <- [I32 I32] => compare(gt_i32) Body Salu;
    /// SCC = S0 ≥ S1.
    S_CMP_GE_I32 "s_cmp_ge_i32" 6:0x03 [Scc] <- [I32 I32] => compare(ge_i32) Body Salu;
    /// SCC = S0 < S1.
    S_CMP_LT_I32 "s_cmp_lt_i32" 6:0x04 [Scc] <- [I32 I32] => compare(lt_i32) Body Salu;
    /// SCC = S0 ≤ S1.
    S_CMP_LE_I32 "s_cmp_le_i32" 6:0x05 [Scc] <- [I32 I32] => compare(le_i32) Body Salu;
    /// SCC = S0 = S1.
    S_CMP_EQ_U32 "s_cmp_eq_u32" 6:0x06 [Scc] <- [U32 U32] => compare(eq_u32) Body Salu;
    /// SCC = S0 ≠ S1.
    S_CMP_LG_U32 "s_cmp_lg_u32" 6:0x07 [Scc] <- [U32 U32] => compare(ne_u32) Body Salu;
    /// SCC = S0 > S1.
    S_CMP_GT_U32 "s_cmp_gt_u32" 6:0x08 [Scc] <- [U32 U32] => compare(gt_u32) Body Salu;
    /// SCC = S0 ≥ S1.
    S_CMP_GE_U32 "s_cmp_ge_u32" 6:0x09 [Scc] <- [U32 U32] => compare(ge_u32) Body Salu;
    /// SCC = S0 < S1.
    S_CMP_LT_U32 "s_cmp_lt_u32" 6:0x0a [Scc] <- [U32 U32] => compare(lt_u32) Body Salu;
    /// SCC = S0 ≤ S1.
    S_CMP_LE_U32 "s_cmp_le_u32" 6:0x0b [Scc] <- [U32 U32] => compare(le_u32) Body Salu;
    /// SCC = bit S1[4:0] of S0 is zero.
    S_BITCMP0_B32 "s_bitcmp0_b32" 6:0x0c [Scc] <- [B32 U32] => compare(bitcmp0_b32) Body Salu;
    /// SCC = bit S1[4:0] of S0 is one.
    S_BITCMP1_B32 "s_bitcmp1_b32" 6:0x0d [Scc] <- [B32 U32] => compare(bitcmp1_b32) Body Salu;
    /// SCC = bit S1[5:0] of S0 is zero.
    S_BITCMP0_B64 "s_bitcmp0_b64" 6:0x0e [Scc] <- [B64 U32] => compare(bitcmp0_b64) Body Salu;
    /// SCC = bit S1[5:0] of S0 is one.
    S_BITCMP1_B64 "s_bitcmp1_b64" 6:0x0f [Scc] <- [B64 U32] => compare(bitcmp1_b64) Body Salu;
    /// SCC = S0 = S1.
    S_CMP_EQ_U64 "s_cmp_eq_u64" 9:0x12 11:0x10 [Scc] <- [U64 U64] => compare(eq_u64) Body Salu;
    /// SCC = S0 ≠ S1.
    S_CMP_LG_U64 "s_cmp_lg_u64" 9:0x13 11:0x11 [Scc] <- [U64 U64] => compare(ne_u64) Body Salu;
    /// Vector instructions are skipped if S0's bit S1[4:0] is set.
    S_SETVSKIP "s_setvskip" 6:0x10 10:- [] <- [B32 B32] => todo() Keep Salu;
    /// Indexed VGPRs on: M0[7:0] = S0[7:0], M0[15:12] = S1, which names the operands.
    S_SET_GPR_IDX_ON "s_set_gpr_idx_on" 9:0x11 10:- [M0] <- [B32 Imm16 M0] => todo() Keep Salu;
}
