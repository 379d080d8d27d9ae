//! SOPK: scalar with a 16-bit constant.

super::insts! { Sopk from crate::insts::sop2::NEXT;
    /// D = SIMM16, sign-extended.
    S_MOVK_I32 "s_movk_i32" 0x00 [I32] <- [Imm16] => lane(mov_b32) Keep Salu;
    /// Nothing; names the microcode version for tools.
    S_VERSION "s_version" 0x01 [] <- [Imm16] => control(Nop) Keep Salu;
    /// If SCC: D = SIMM16, sign-extended.
    S_CMOVK_I32 "s_cmovk_i32" 0x02 [I32] <- [Imm16 Scc Old] => lane(cmov_b32) Keep Salu;
    /// SCC = S0 = SIMM16, sign-extended.
    S_CMPK_EQ_I32 "s_cmpk_eq_i32" 0x03 [Scc] <- [I32 Imm16] => compare(eq_i32) Body Salu;
    /// SCC = S0 ≠ SIMM16, sign-extended.
    S_CMPK_LG_I32 "s_cmpk_lg_i32" 0x04 [Scc] <- [I32 Imm16] => compare(ne_i32) Body Salu;
    /// SCC = S0 > SIMM16, sign-extended.
    S_CMPK_GT_I32 "s_cmpk_gt_i32" 0x05 [Scc] <- [I32 Imm16] => compare(gt_i32) Body Salu;
    /// SCC = S0 ≥ SIMM16, sign-extended.
    S_CMPK_GE_I32 "s_cmpk_ge_i32" 0x06 [Scc] <- [I32 Imm16] => compare(ge_i32) Body Salu;
    /// SCC = S0 < SIMM16, sign-extended.
    S_CMPK_LT_I32 "s_cmpk_lt_i32" 0x07 [Scc] <- [I32 Imm16] => compare(lt_i32) Body Salu;
    /// SCC = S0 ≤ SIMM16, sign-extended.
    S_CMPK_LE_I32 "s_cmpk_le_i32" 0x08 [Scc] <- [I32 Imm16] => compare(le_i32) Body Salu;
    /// SCC = S0 = SIMM16, zero-extended.
    S_CMPK_EQ_U32 "s_cmpk_eq_u32" 0x09 [Scc] <- [U32 Imm16] => compare(eq_u32_k16) Body Salu;
    /// SCC = S0 ≠ SIMM16, zero-extended.
    S_CMPK_LG_U32 "s_cmpk_lg_u32" 0x0a [Scc] <- [U32 Imm16] => compare(ne_u32_k16) Body Salu;
    /// SCC = S0 > SIMM16, zero-extended.
    S_CMPK_GT_U32 "s_cmpk_gt_u32" 0x0b [Scc] <- [U32 Imm16] => compare(gt_u32_k16) Body Salu;
    /// SCC = S0 ≥ SIMM16, zero-extended.
    S_CMPK_GE_U32 "s_cmpk_ge_u32" 0x0c [Scc] <- [U32 Imm16] => compare(ge_u32_k16) Body Salu;
    /// SCC = S0 < SIMM16, zero-extended.
    S_CMPK_LT_U32 "s_cmpk_lt_u32" 0x0d [Scc] <- [U32 Imm16] => compare(lt_u32_k16) Body Salu;
    /// SCC = S0 ≤ SIMM16, zero-extended.
    S_CMPK_LE_U32 "s_cmpk_le_u32" 0x0e [Scc] <- [U32 Imm16] => compare(le_u32_k16) Body Salu;
    /// D = D + SIMM16, SCC = signed overflow.
    S_ADDK_I32 "s_addk_i32" 0x0f [I32 Scc] <- [Imm16 Old] => carry(add_i32) Body Salu;
    /// D = D · SIMM16.
    S_MULK_I32 "s_mulk_i32" 0x10 [I32] <- [Imm16 Old] => lane(mul_lo_u32) Keep Salu;
    /// D = bits of a hardware register; SIMM16 = size − 1 [15:11], offset [10:6], register [5:0].
    S_GETREG_B32 "s_getreg_b32" 0x12 [B32] <- [Imm16] => control(GetReg) Keep Salu;
    /// Bits of a hardware register = S0; SIMM16 as for S_GETREG_B32.
    S_SETREG_B32 "s_setreg_b32" 0x13 [] <- [Imm16 B32] => control(SetReg) Keep Salu;
    /// Bits of a hardware register = literal; SIMM16 as for S_GETREG_B32.
    S_SETREG_IMM32_B32 "s_setreg_imm32_b32" 0x15 [] <- [Imm16 Lit32] => control(SetRegImm32) Keep Salu;
    /// D = address of the next instruction; jump by SIMM16 dwords from there.
    S_CALL_B64 "s_call_b64" 0x16 [B64] <- [Imm16] => control(Call) Keep Branch;
    /// Wait until the vector-memory stores outstanding ≤ S0 + SIMM16.
    S_WAITCNT_VSCNT "s_waitcnt_vscnt" 0x17 [] <- [B32 Imm16] => control(WaitcntVscnt) Keep Wait;
    /// Wait until the vector-memory loads outstanding ≤ S0 + SIMM16.
    S_WAITCNT_VMCNT "s_waitcnt_vmcnt" 0x18 [] <- [B32 Imm16] => control(WaitcntVmcnt) Keep Wait;
    /// Wait until the exports outstanding ≤ S0 + SIMM16.
    S_WAITCNT_EXPCNT "s_waitcnt_expcnt" 0x19 [] <- [B32 Imm16] => control(WaitcntExpcnt) Keep Wait;
    /// Wait until the LDS, GDS, scalar and message operations outstanding ≤ S0 + SIMM16.
    S_WAITCNT_LGKMCNT "s_waitcnt_lgkmcnt" 0x1a [] <- [B32 Imm16] => control(WaitcntLgkmcnt) Keep Wait;
    /// Start of a block that runs once for each half of a wave64.
    S_SUBVECTOR_LOOP_BEGIN "s_subvector_loop_begin" 0x1b [B32 Exec] <- [Imm16 Exec] => control(SubvectorBegin) Keep Branch;
    /// End of a block that runs once for each half of a wave64.
    S_SUBVECTOR_LOOP_END "s_subvector_loop_end" 0x1c [B32 Exec] <- [Imm16 Exec] => control(SubvectorEnd) Keep Branch;
}
