//! SOP1: scalar, one source. Of an f16 it is a whole register, whose literal is read and printed with 32 bits.

super::insts! { Sop1 from crate::insts::sopk::NEXT;
    /// D = S0.
    S_MOV_B32 "s_mov_b32" 6:0x03 9:0x00 10:0x03 11:0x00 [B32] <- [B32] => lane(mov_b32) Keep Salu;
    /// D = S0.
    S_MOV_B64 "s_mov_b64" 6:0x04 9:0x01 10:0x04 11:0x01 [B64] <- [B64] => wide(mov_b64) Keep Salu;
    /// If SCC: D = S0.
    S_CMOV_B32 "s_cmov_b32" 6:0x05 9:0x02 10:0x05 11:0x02 [B32] <- [B32 Scc Old] => lane(cmov_b32) Keep Salu;
    /// If SCC: D = S0.
    S_CMOV_B64 "s_cmov_b64" 6:0x06 9:0x03 10:0x06 11:0x03 [B64] <- [B64 Scc Old] => wide(cmov_b64) Keep Salu;
    /// D = ~S0.
    S_NOT_B32 "s_not_b32" 6:0x07 9:0x04 10:0x07 11:0x1e [B32 Scc] <- [B32] => lane(not_b32) NonZero Salu;
    /// D = ~S0.
    S_NOT_B64 "s_not_b64" 6:0x08 9:0x05 10:0x08 11:0x1f [B64 Scc] <- [B64] => wide(not_b64) NonZero Salu;
    /// Each group of four bits becomes all ones if any of it is one.
    S_WQM_B32 "s_wqm_b32" 6:0x09 9:0x06 10:0x09 11:0x1c [B32 Scc] <- [B32] => lane(wqm_b32) NonZero Salu;
    /// Each group of four bits becomes all ones if any of it is one.
    S_WQM_B64 "s_wqm_b64" 6:0x0a 9:0x07 10:0x0a 11:0x1d [B64 Scc] <- [B64] => wide(wqm_b64) NonZero Salu;
    /// D = S0, bits reversed.
    S_BREV_B32 "s_brev_b32" 6:0x0b 9:0x08 10:0x0b 11:0x04 [B32] <- [B32] => lane(brev_b32) Keep Salu;
    /// D = S0, bits reversed.
    S_BREV_B64 "s_brev_b64" 6:0x0c 9:0x09 10:0x0c 11:0x05 [B64] <- [B64] => wide(brev_b64) Keep Salu;
    /// D = number of zeros in S0.
    S_BCNT0_I32_B32 "s_bcnt0_i32_b32" 6:0x0d 9:0x0a 10:0x0d 11:0x16 [I32 Scc] <- [B32] => lane(bcnt0_b32) NonZero Salu;
    /// D = number of zeros in S0.
    S_BCNT0_I32_B64 "s_bcnt0_i32_b64" 6:0x0e 9:0x0b 10:0x0e 11:0x17 [I32 Scc] <- [B64] => wide(bcnt0_b64) NonZero Salu;
    /// D = number of ones in S0.
    S_BCNT1_I32_B32 "s_bcnt1_i32_b32" 6:0x0f 9:0x0c 10:0x0f 11:0x18 [I32 Scc] <- [B32] => lane(bcnt1_b32) NonZero Salu;
    /// D = number of ones in S0.
    S_BCNT1_I32_B64 "s_bcnt1_i32_b64" 6:0x10 9:0x0d 10:0x10 11:0x19 [I32 Scc] <- [B64] => wide(bcnt1_b64) NonZero Salu;
    /// D = lowest zero of S0, −1 if there is none.
    S_FF0_I32_B32 "s_ff0_i32_b32" 6:0x11 9:0x0e 10:0x11 11:- [I32] <- [B32] => lane(ff0_b32) Keep Salu;
    /// D = lowest zero of S0, −1 if there is none.
    S_FF0_I32_B64 "s_ff0_i32_b64" 6:0x12 9:0x0f 10:0x12 11:- [I32] <- [B64] => wide(ff0_b64) Keep Salu;
    /// D = lowest one of S0, −1 if there is none.
    S_FF1_I32_B32 "s_ff1_i32_b32" (11:"s_ctz_i32_b32") 6:0x13 9:0x10 10:0x13 11:0x08 [I32] <- [B32] => lane(ffbl_b32) Keep Salu;
    /// D = lowest one of S0, −1 if there is none.
    S_FF1_I32_B64 "s_ff1_i32_b64" (11:"s_ctz_i32_b64") 6:0x14 9:0x11 10:0x14 11:0x09 [I32] <- [B64] => wide(ffbl_b64) Keep Salu;
    /// D = zeros above the highest one of S0, −1 if there is none.
    S_FLBIT_I32_B32 "s_flbit_i32_b32" (11:"s_clz_i32_u32") 6:0x15 9:0x12 10:0x15 11:0x0a [I32] <- [B32] => lane(ffbh_u32) Keep Salu;
    /// D = zeros above the highest one of S0, −1 if there is none.
    S_FLBIT_I32_B64 "s_flbit_i32_b64" (11:"s_clz_i32_u64") 6:0x16 9:0x13 10:0x16 11:0x0b [I32] <- [B64] => wide(ffbh_u64) Keep Salu;
    /// D = leading bits of S0 that equal its sign, −1 if all do.
    S_FLBIT_I32 "s_flbit_i32" (11:"s_cls_i32") 6:0x17 9:0x14 10:0x17 11:0x0c [I32] <- [I32] => lane(ffbh_i32) Keep Salu;
    /// D = leading bits of S0 that equal its sign, −1 if all do.
    S_FLBIT_I32_I64 "s_flbit_i32_i64" (11:"s_cls_i32_i64") 6:0x18 9:0x15 10:0x18 11:0x0d [I32] <- [I64] => wide(ffbh_i64) Keep Salu;
    /// D = S0[7:0], sign-extended.
    S_SEXT_I32_I8 "s_sext_i32_i8" 6:0x19 9:0x16 10:0x19 11:0x0e [I32] <- [B32] => lane(sext_i8) Keep Salu;
    /// D = S0[15:0], sign-extended.
    S_SEXT_I32_I16 "s_sext_i32_i16" 6:0x1a 9:0x17 10:0x1a 11:0x0f [I32] <- [B32] => lane(sext_i16) Keep Salu;
    /// D = D with bit S0[4:0] cleared.
    S_BITSET0_B32 "s_bitset0_b32" 6:0x1b 9:0x18 10:0x1b 11:0x10 [B32] <- [B32 Old] => lane(bitset0_b32) Keep Salu;
    /// D = D with bit S0[5:0] cleared.
    S_BITSET0_B64 "s_bitset0_b64" 6:0x1c 9:0x19 10:0x1c 11:0x11 [B64] <- [B32 Old] => wide(bitset0_b64) Keep Salu;
    /// D = D with bit S0[4:0] set.
    S_BITSET1_B32 "s_bitset1_b32" 6:0x1d 9:0x1a 10:0x1d 11:0x12 [B32] <- [B32 Old] => lane(bitset1_b32) Keep Salu;
    /// D = D with bit S0[5:0] set.
    S_BITSET1_B64 "s_bitset1_b64" 6:0x1e 9:0x1b 10:0x1e 11:0x13 [B64] <- [B32 Old] => wide(bitset1_b64) Keep Salu;
    /// D = address of the next instruction.
    S_GETPC_B64 "s_getpc_b64" 6:0x1f 9:0x1c 10:0x1f 11:0x47 [B64] <- [] => control(GetPc) Keep Salu;
    /// Jump to S0.
    S_SETPC_B64 "s_setpc_b64" 6:0x20 9:0x1d 10:0x20 11:0x48 [] <- [B64] => control(SetPc) Keep Branch;
    /// D = address of the next instruction; jump to S0.
    S_SWAPPC_B64 "s_swappc_b64" 6:0x21 9:0x1e 10:0x21 11:0x49 [B64] <- [B64] => control(SwapPc) Keep Branch;
    /// Return from the trap handler to S0.
    S_RFE_B64 "s_rfe_b64" 6:0x22 9:0x1f 10:0x22 11:0x4a [] <- [B64] => control(Rfe) Keep Branch;
    /// D = EXEC; EXEC = S0 & EXEC.
    S_AND_SAVEEXEC_B64 "s_and_saveexec_b64" 6:0x24 9:0x20 10:0x24 11:0x21 [B64 Exec Scc] <- [B64 Exec] => save_exec(and_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 | EXEC.
    S_OR_SAVEEXEC_B64 "s_or_saveexec_b64" 6:0x25 9:0x21 10:0x25 11:0x23 [B64 Exec Scc] <- [B64 Exec] => save_exec(or_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 ^ EXEC.
    S_XOR_SAVEEXEC_B64 "s_xor_saveexec_b64" 6:0x26 9:0x22 10:0x26 11:0x25 [B64 Exec Scc] <- [B64 Exec] => save_exec(xor_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 & ~EXEC.
    S_ANDN2_SAVEEXEC_B64 "s_andn2_saveexec_b64" (11:"s_and_not1_saveexec_b64") 6:0x27 9:0x23 10:0x27 11:0x31 [B64 Exec Scc] <- [B64 Exec] => save_exec(andn2_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 | ~EXEC.
    S_ORN2_SAVEEXEC_B64 "s_orn2_saveexec_b64" (11:"s_or_not1_saveexec_b64") 6:0x28 9:0x24 10:0x28 11:0x33 [B64 Exec Scc] <- [B64 Exec] => save_exec(orn2_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 & EXEC).
    S_NAND_SAVEEXEC_B64 "s_nand_saveexec_b64" 6:0x29 9:0x25 10:0x29 11:0x27 [B64 Exec Scc] <- [B64 Exec] => save_exec(nand_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 | EXEC).
    S_NOR_SAVEEXEC_B64 "s_nor_saveexec_b64" 6:0x2a 9:0x26 10:0x2a 11:0x29 [B64 Exec Scc] <- [B64 Exec] => save_exec(nor_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 ^ EXEC).
    S_XNOR_SAVEEXEC_B64 "s_xnor_saveexec_b64" 6:0x2b 9:0x27 10:0x2b [B64 Exec Scc] <- [B64 Exec] => save_exec(xnor_b32) NonZero Salu;
    /// Bit i of D = any of bits 4i … 4i+3 of S0.
    S_QUADMASK_B32 "s_quadmask_b32" 6:0x2c 9:0x28 10:0x2c 11:0x1a [B32 Scc] <- [B32] => lane(quadmask_b32) NonZero Salu;
    /// Bit i of D = any of bits 4i … 4i+3 of S0.
    S_QUADMASK_B64 "s_quadmask_b64" 6:0x2d 9:0x29 10:0x2d 11:0x1b [B64 Scc] <- [B64] => wide(quadmask_b64) NonZero Salu;
    /// D = SGPR[S0 + M0].
    S_MOVRELS_B32 "s_movrels_b32" 6:0x2e 9:0x2a 10:0x2e 11:0x40 [B32] <- [B32 M0] => wave(MovrelS) Keep Salu;
    /// D = SGPR pair [S0 + M0].
    S_MOVRELS_B64 "s_movrels_b64" 6:0x2f 9:0x2b 10:0x2f 11:0x41 [B64] <- [B64 M0] => wave(MovrelS) Keep Salu;
    /// SGPR[D + M0] = S0.
    S_MOVRELD_B32 "s_movreld_b32" 6:0x30 9:0x2c 10:0x30 11:0x42 [B32] <- [B32 M0] => wave(MovrelD) Keep Salu;
    /// SGPR pair [D + M0] = S0.
    S_MOVRELD_B64 "s_movreld_b64" 6:0x31 9:0x2d 10:0x31 11:0x43 [B64] <- [B64 M0] => wave(MovrelD) Keep Salu;
    /// D = |S0|.
    S_ABS_I32 "s_abs_i32" 6:0x34 9:0x30 10:0x34 11:0x15 [I32 Scc] <- [I32] => lane(abs_i32) NonZero Salu;
    /// D = EXEC; EXEC = ~S0 & EXEC.
    S_ANDN1_SAVEEXEC_B64 "s_andn1_saveexec_b64" (11:"s_and_not0_saveexec_b64") 9:0x33 10:0x37 11:0x2d [B64 Exec Scc] <- [B64 Exec] => save_exec(andn1_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~S0 | EXEC.
    S_ORN1_SAVEEXEC_B64 "s_orn1_saveexec_b64" (11:"s_or_not0_saveexec_b64") 9:0x34 10:0x38 11:0x2f [B64 Exec Scc] <- [B64 Exec] => save_exec(orn1_b32) NonZero Salu;
    /// EXEC = ~S0 & EXEC; D = EXEC.
    S_ANDN1_WREXEC_B64 "s_andn1_wrexec_b64" (11:"s_and_not0_wrexec_b64") 9:0x35 10:0x39 11:0x35 [B64 Exec Scc] <- [B64 Exec] => write_exec(andn1_b32) NonZero Salu;
    /// EXEC = S0 & ~EXEC; D = EXEC.
    S_ANDN2_WREXEC_B64 "s_andn2_wrexec_b64" (11:"s_and_not1_wrexec_b64") 9:0x36 10:0x3a 11:0x37 [B64 Exec Scc] <- [B64 Exec] => write_exec(andn2_b32) NonZero Salu;
    /// D = S0 with each bit doubled.
    S_BITREPLICATE_B64_B32 "s_bitreplicate_b64_b32" 9:0x37 10:0x3b 11:0x14 [B64] <- [B32] => wide(bitreplicate) Keep Salu;
    /// D = EXEC; EXEC = S0 & EXEC.
    S_AND_SAVEEXEC_B32 "s_and_saveexec_b32" 10:0x3c 11:0x20 [B32 Exec Scc] <- [B32 Exec] => save_exec(and_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 | EXEC.
    S_OR_SAVEEXEC_B32 "s_or_saveexec_b32" 10:0x3d 11:0x22 [B32 Exec Scc] <- [B32 Exec] => save_exec(or_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 ^ EXEC.
    S_XOR_SAVEEXEC_B32 "s_xor_saveexec_b32" 10:0x3e 11:0x24 [B32 Exec Scc] <- [B32 Exec] => save_exec(xor_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 & ~EXEC.
    S_ANDN2_SAVEEXEC_B32 "s_andn2_saveexec_b32" (11:"s_and_not1_saveexec_b32") 10:0x3f 11:0x30 [B32 Exec Scc] <- [B32 Exec] => save_exec(andn2_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 | ~EXEC.
    S_ORN2_SAVEEXEC_B32 "s_orn2_saveexec_b32" (11:"s_or_not1_saveexec_b32") 10:0x40 11:0x32 [B32 Exec Scc] <- [B32 Exec] => save_exec(orn2_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 & EXEC).
    S_NAND_SAVEEXEC_B32 "s_nand_saveexec_b32" 10:0x41 11:0x26 [B32 Exec Scc] <- [B32 Exec] => save_exec(nand_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 | EXEC).
    S_NOR_SAVEEXEC_B32 "s_nor_saveexec_b32" 10:0x42 11:0x28 [B32 Exec Scc] <- [B32 Exec] => save_exec(nor_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 ^ EXEC).
    S_XNOR_SAVEEXEC_B32 "s_xnor_saveexec_b32" 10:0x43 11:0x2a [B32 Exec Scc] <- [B32 Exec] => save_exec(xnor_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~S0 & EXEC.
    S_ANDN1_SAVEEXEC_B32 "s_andn1_saveexec_b32" (11:"s_and_not0_saveexec_b32") 10:0x44 11:0x2c [B32 Exec Scc] <- [B32 Exec] => save_exec(andn1_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~S0 | EXEC.
    S_ORN1_SAVEEXEC_B32 "s_orn1_saveexec_b32" (11:"s_or_not0_saveexec_b32") 10:0x45 11:0x2e [B32 Exec Scc] <- [B32 Exec] => save_exec(orn1_b32) NonZero Salu;
    /// EXEC = ~S0 & EXEC; D = EXEC.
    S_ANDN1_WREXEC_B32 "s_andn1_wrexec_b32" (11:"s_and_not0_wrexec_b32") 10:0x46 11:0x34 [B32 Exec Scc] <- [B32 Exec] => write_exec(andn1_b32) NonZero Salu;
    /// EXEC = S0 & ~EXEC; D = EXEC.
    S_ANDN2_WREXEC_B32 "s_andn2_wrexec_b32" (11:"s_and_not1_wrexec_b32") 10:0x47 11:0x36 [B32 Exec Scc] <- [B32 Exec] => write_exec(andn2_b32) NonZero Salu;
    /// SGPR[D + M0[25:16]] = SGPR[S0 + M0[9:0]].
    S_MOVRELSD_2_B32 "s_movrelsd_2_b32" 10:0x49 11:0x44 [B32] <- [B32 M0] => wave(MovrelSD2) Keep Salu;
    /// Jump back to the wave's other fork, or go on where both have met; S0 is the fork stack's depth at the fork.
    S_CBRANCH_JOIN "s_cbranch_join" 6:0x32 9:0x2e 10:- [] <- [B32] => control(Join) Keep Branch;
    /// M0[7:0] = S0[7:0]: the index of indexed VGPRs.
    S_SET_GPR_IDX_IDX "s_set_gpr_idx_idx" 9:0x32 10:- [M0] <- [B32 M0] => control(IndexValue) Keep Salu;
    /// D = what the message asks for, 32 bits.
    S_SENDMSG_RTN_B32 "s_sendmsg_rtn_b32" 11:0x4c [B32] <- [Imm16] => todo() Keep Message;
    /// D = what the message asks for, 64 bits.
    S_SENDMSG_RTN_B64 "s_sendmsg_rtn_b64" 11:0x4d [B64] <- [Imm16] => todo() Keep Message;
    /// Arrives at a barrier.
    S_BARRIER_SIGNAL "s_barrier_signal" 12:0x4e [] <- [Barrier M0] => todo() Keep Message;
    /// Arrives at a barrier; SCC = it was the first to.
    S_BARRIER_SIGNAL_ISFIRST "s_barrier_signal_isfirst" 12:0x4f [Scc] <- [Barrier M0] => todo() Keep Message;
    /// D = a barrier's counts.
    S_GET_BARRIER_STATE "s_get_barrier_state" 12:0x50 [B32] <- [Barrier M0] => todo() Keep Message;
    /// Sets how many waves a barrier waits for, M0[21:16].
    S_BARRIER_INIT "s_barrier_init" 12:0x51 [] <- [Barrier M0] => todo() Keep Message;
    /// Becomes a member of a named barrier.
    S_BARRIER_JOIN "s_barrier_join" 12:0x52 [] <- [Barrier M0] => todo() Keep Message;
    /// Wakes the waves that sleep in a barrier.
    S_WAKEUP_BARRIER "s_wakeup_barrier" 12:0x57 [] <- [Barrier M0] => todo() Keep Message;
    /// Sleeps for 64 · S0[6:0] clocks.
    S_SLEEP_VAR "s_sleep_var" 12:0x58 [] <- [B32] => todo() Keep Wait;
    /// D = S0 rounded up.
    S_CEIL_F32 "s_ceil_f32" 11.5:0x60 [F32] <- [F32] => todo() Keep Salu;
    /// D = S0 rounded down.
    S_FLOOR_F32 "s_floor_f32" 11.5:0x61 [F32] <- [F32] => todo() Keep Salu;
    /// D = S0 rounded toward zero.
    S_TRUNC_F32 "s_trunc_f32" 11.5:0x62 [F32] <- [F32] => todo() Keep Salu;
    /// D = S0 rounded to the nearest, to even if two are.
    S_RNDNE_F32 "s_rndne_f32" 11.5:0x63 [F32] <- [F32] => todo() Keep Salu;
    /// D = S0.
    S_CVT_F32_I32 "s_cvt_f32_i32" 11.5:0x64 [F32] <- [I32] => todo() Keep Salu;
    /// D = S0.
    S_CVT_F32_U32 "s_cvt_f32_u32" 11.5:0x65 [F32] <- [U32] => todo() Keep Salu;
    /// D = S0.
    S_CVT_I32_F32 "s_cvt_i32_f32" 11.5:0x66 [I32] <- [F32] => todo() Keep Salu;
    /// D = S0.
    S_CVT_U32_F32 "s_cvt_u32_f32" 11.5:0x67 [U32] <- [F32] => todo() Keep Salu;
    /// D = S0.
    S_CVT_F16_F32 "s_cvt_f16_f32" 11.5:0x68 [F16] <- [F32] => todo() Keep Salu;
    /// D = S0.
    S_CVT_F32_F16 "s_cvt_f32_f16" 11.5:0x69 [F32] <- [B32] => todo() Keep Salu;
    /// D = S0[31:16].
    S_CVT_HI_F32_F16 "s_cvt_hi_f32_f16" 11.5:0x6a [F32] <- [B32] => todo() Keep Salu;
    /// D = S0 rounded up.
    S_CEIL_F16 "s_ceil_f16" 11.5:0x6b [F16] <- [B32] => todo() Keep Salu;
    /// D = S0 rounded down.
    S_FLOOR_F16 "s_floor_f16" 11.5:0x6c [F16] <- [B32] => todo() Keep Salu;
    /// D = S0 rounded toward zero.
    S_TRUNC_F16 "s_trunc_f16" 11.5:0x6d [F16] <- [B32] => todo() Keep Salu;
    /// D = S0 rounded to the nearest, to even if two are.
    S_RNDNE_F16 "s_rndne_f16" 11.5:0x6e [F16] <- [B32] => todo() Keep Salu;
}
