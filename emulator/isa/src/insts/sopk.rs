//! SOPK: scalar with a 16-bit constant.

super::insts! { Sopk from crate::insts::sop2::NEXT;
    /// D = SIMM16, sign-extended.
    S_MOVK_I32 "s_movk_i32" 6:0x00 [I32] <- [Imm16] => lane(mov_b32) Keep Salu;
    /// Nothing; names the microcode version for tools.
    S_VERSION "s_version" 10:0x01 [] <- [Imm16] => control(Nop) Keep Salu;
    /// If SCC: D = SIMM16, sign-extended.
    S_CMOVK_I32 "s_cmovk_i32" 6:0x02 9:0x01 10:0x02 [I32] <- [Imm16 Scc Old] => lane(cmov_b32) Keep Salu;
    /// SCC = S0 = SIMM16, sign-extended.
    S_CMPK_EQ_I32 "s_cmpk_eq_i32" 6:0x03 9:0x02 10:0x03 12:- [Scc] <- [I32 Imm16] => compare(eq_i32) Body Salu;
    /// SCC = S0 ≠ SIMM16, sign-extended.
    S_CMPK_LG_I32 "s_cmpk_lg_i32" 6:0x04 9:0x03 10:0x04 12:- [Scc] <- [I32 Imm16] => compare(ne_i32) Body Salu;
    /// SCC = S0 > SIMM16, sign-extended.
    S_CMPK_GT_I32 "s_cmpk_gt_i32" 6:0x05 9:0x04 10:0x05 12:- [Scc] <- [I32 Imm16] => compare(gt_i32) Body Salu;
    /// SCC = S0 ≥ SIMM16, sign-extended.
    S_CMPK_GE_I32 "s_cmpk_ge_i32" 6:0x06 9:0x05 10:0x06 12:- [Scc] <- [I32 Imm16] => compare(ge_i32) Body Salu;
    /// SCC = S0 < SIMM16, sign-extended.
    S_CMPK_LT_I32 "s_cmpk_lt_i32" 6:0x07 9:0x06 10:0x07 12:- [Scc] <- [I32 Imm16] => compare(lt_i32) Body Salu;
    /// SCC = S0 ≤ SIMM16, sign-extended.
    S_CMPK_LE_I32 "s_cmpk_le_i32" 6:0x08 9:0x07 10:0x08 12:- [Scc] <- [I32 Imm16] => compare(le_i32) Body Salu;
    /// SCC = S0 = SIMM16, zero-extended.
    S_CMPK_EQ_U32 "s_cmpk_eq_u32" 6:0x09 9:0x08 10:0x09 12:- [Scc] <- [U32 Imm16] => compare(eq_u32_k16) Body Salu;
    /// SCC = S0 ≠ SIMM16, zero-extended.
    S_CMPK_LG_U32 "s_cmpk_lg_u32" 6:0x0a 9:0x09 10:0x0a 12:- [Scc] <- [U32 Imm16] => compare(ne_u32_k16) Body Salu;
    /// SCC = S0 > SIMM16, zero-extended.
    S_CMPK_GT_U32 "s_cmpk_gt_u32" 6:0x0b 9:0x0a 10:0x0b 12:- [Scc] <- [U32 Imm16] => compare(gt_u32_k16) Body Salu;
    /// SCC = S0 ≥ SIMM16, zero-extended.
    S_CMPK_GE_U32 "s_cmpk_ge_u32" 6:0x0c 9:0x0b 10:0x0c 12:- [Scc] <- [U32 Imm16] => compare(ge_u32_k16) Body Salu;
    /// SCC = S0 < SIMM16, zero-extended.
    S_CMPK_LT_U32 "s_cmpk_lt_u32" 6:0x0d 9:0x0c 10:0x0d 12:- [Scc] <- [U32 Imm16] => compare(lt_u32_k16) Body Salu;
    /// SCC = S0 ≤ SIMM16, zero-extended.
    S_CMPK_LE_U32 "s_cmpk_le_u32" 6:0x0e 9:0x0d 10:0x0e 12:- [Scc] <- [U32 Imm16] => compare(le_u32_k16) Body Salu;
    /// D = D + SIMM16, SCC = signed overflow.
    S_ADDK_I32 "s_addk_i32" (12:"s_addk_co_i32") 6:0x0f 9:0x0e 10:0x0f [I32 Scc] <- [Imm16 Old] => carry(add_i32) Body Salu;
    /// D = D · SIMM16.
    S_MULK_I32 "s_mulk_i32" 6:0x10 9:0x0f 10:0x10 [I32] <- [Imm16 Old] => lane(mul_lo_u32) Keep Salu;
    /// D = bits of a hardware register; SIMM16 = size − 1 [15:11], offset [10:6], register [5:0].
    S_GETREG_B32 "s_getreg_b32" 6:0x12 9:0x11 10:0x12 11:0x11 [B32] <- [Imm16] => control(GetReg) Keep Salu;
    /// Bits of a hardware register = S0; SIMM16 as for S_GETREG_B32.
    S_SETREG_B32 "s_setreg_b32" 6:0x13 9:0x12 10:0x13 11:0x12 [] <- [Imm16 B32] => control(SetReg) Keep Salu;
    /// Bits of a hardware register = literal; SIMM16 as for S_GETREG_B32.
    S_SETREG_IMM32_B32 "s_setreg_imm32_b32" 6:0x15 9:0x14 10:0x15 11:0x13 [] <- [Imm16 Lit32] => control(SetRegImm32) Keep Salu;
    /// D = address of the next instruction; jump by SIMM16 dwords from there.
    S_CALL_B64 "s_call_b64" 9:0x15 10:0x16 11:0x14 [B64] <- [Imm16] => control(Call) Keep Branch;
    /// Wait until the vector-memory stores outstanding ≤ S0 + SIMM16.
    S_WAITCNT_VSCNT "s_waitcnt_vscnt" 10:0x17 11:0x18 12:- [] <- [B32 Imm16] => control(WaitcntVscnt) Keep Wait;
    /// Wait until the vector-memory loads outstanding ≤ S0 + SIMM16.
    S_WAITCNT_VMCNT "s_waitcnt_vmcnt" 10:0x18 11:0x19 12:- [] <- [B32 Imm16] => control(WaitcntVmcnt) Keep Wait;
    /// Wait until the exports outstanding ≤ S0 + SIMM16.
    S_WAITCNT_EXPCNT "s_waitcnt_expcnt" 10:0x19 11:0x1a 12:- [] <- [B32 Imm16] => control(WaitcntExpcnt) Keep Wait;
    /// Wait until the LDS, GDS, scalar and message operations outstanding ≤ S0 + SIMM16.
    S_WAITCNT_LGKMCNT "s_waitcnt_lgkmcnt" 10:0x1a 11:0x1b 12:- [] <- [B32 Imm16] => control(WaitcntLgkmcnt) Keep Wait;
    /// Start of a block that runs once for each half of a wave64.
    S_SUBVECTOR_LOOP_BEGIN "s_subvector_loop_begin" 10:0x1b 11:0x16 12:- [B32 Exec] <- [Imm16 Exec] => control(SubvectorBegin) Keep Branch;
    /// End of a block that runs once for each half of a wave64.
    S_SUBVECTOR_LOOP_END "s_subvector_loop_end" 10:0x1c 11:0x17 12:- [B32 Exec] <- [Imm16 Exec] => control(SubvectorEnd) Keep Branch;
    /// Jump by SIMM16 dwords with the lanes of EXEC and S0, the others wait on the fork stack, or the other way round.
    S_CBRANCH_I_FORK "s_cbranch_i_fork" 6:0x11 9:0x10 10:- [] <- [B64 Imm16] => control(ForkTo) Keep Branch;
}
