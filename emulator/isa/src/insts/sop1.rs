//! SOP1: scalar, one source.

super::insts! { Sop1 from crate::insts::sopk::NEXT;
    /// D = S0.
    S_MOV_B32 "s_mov_b32" 0x03 [B32] <- [B32] => lane(mov_b32) Keep Salu;
    /// D = S0.
    S_MOV_B64 "s_mov_b64" 0x04 [B64] <- [B64] => wide(mov_b64) Keep Salu;
    /// If SCC: D = S0.
    S_CMOV_B32 "s_cmov_b32" 0x05 [B32] <- [B32 Scc Old] => lane(cmov_b32) Keep Salu;
    /// If SCC: D = S0.
    S_CMOV_B64 "s_cmov_b64" 0x06 [B64] <- [B64 Scc Old] => wide(cmov_b64) Keep Salu;
    /// D = ~S0.
    S_NOT_B32 "s_not_b32" 0x07 [B32 Scc] <- [B32] => lane(not_b32) NonZero Salu;
    /// D = ~S0.
    S_NOT_B64 "s_not_b64" 0x08 [B64 Scc] <- [B64] => wide(not_b64) NonZero Salu;
    /// Each group of four bits becomes all ones if any of it is one.
    S_WQM_B32 "s_wqm_b32" 0x09 [B32 Scc] <- [B32] => lane(wqm_b32) NonZero Salu;
    /// Each group of four bits becomes all ones if any of it is one.
    S_WQM_B64 "s_wqm_b64" 0x0a [B64 Scc] <- [B64] => wide(wqm_b64) NonZero Salu;
    /// D = S0, bits reversed.
    S_BREV_B32 "s_brev_b32" 0x0b [B32] <- [B32] => lane(brev_b32) Keep Salu;
    /// D = S0, bits reversed.
    S_BREV_B64 "s_brev_b64" 0x0c [B64] <- [B64] => wide(brev_b64) Keep Salu;
    /// D = number of zeros in S0.
    S_BCNT0_I32_B32 "s_bcnt0_i32_b32" 0x0d [I32 Scc] <- [B32] => lane(bcnt0_b32) NonZero Salu;
    /// D = number of zeros in S0.
    S_BCNT0_I32_B64 "s_bcnt0_i32_b64" 0x0e [I32 Scc] <- [B64] => wide(bcnt0_b64) NonZero Salu;
    /// D = number of ones in S0.
    S_BCNT1_I32_B32 "s_bcnt1_i32_b32" 0x0f [I32 Scc] <- [B32] => lane(bcnt1_b32) NonZero Salu;
    /// D = number of ones in S0.
    S_BCNT1_I32_B64 "s_bcnt1_i32_b64" 0x10 [I32 Scc] <- [B64] => wide(bcnt1_b64) NonZero Salu;
    /// D = lowest zero of S0, −1 if there is none.
    S_FF0_I32_B32 "s_ff0_i32_b32" 0x11 [I32] <- [B32] => lane(ff0_b32) Keep Salu;
    /// D = lowest zero of S0, −1 if there is none.
    S_FF0_I32_B64 "s_ff0_i32_b64" 0x12 [I32] <- [B64] => wide(ff0_b64) Keep Salu;
    /// D = lowest one of S0, −1 if there is none.
    S_FF1_I32_B32 "s_ff1_i32_b32" 0x13 [I32] <- [B32] => lane(ffbl_b32) Keep Salu;
    /// D = lowest one of S0, −1 if there is none.
    S_FF1_I32_B64 "s_ff1_i32_b64" 0x14 [I32] <- [B64] => wide(ffbl_b64) Keep Salu;
    /// D = zeros above the highest one of S0, −1 if there is none.
    S_FLBIT_I32_B32 "s_flbit_i32_b32" 0x15 [I32] <- [B32] => lane(ffbh_u32) Keep Salu;
    /// D = zeros above the highest one of S0, −1 if there is none.
    S_FLBIT_I32_B64 "s_flbit_i32_b64" 0x16 [I32] <- [B64] => wide(ffbh_u64) Keep Salu;
    /// D = leading bits of S0 that equal its sign, −1 if all do.
    S_FLBIT_I32 "s_flbit_i32" 0x17 [I32] <- [I32] => lane(ffbh_i32) Keep Salu;
    /// D = leading bits of S0 that equal its sign, −1 if all do.
    S_FLBIT_I32_I64 "s_flbit_i32_i64" 0x18 [I32] <- [I64] => wide(ffbh_i64) Keep Salu;
    /// D = S0[7:0], sign-extended.
    S_SEXT_I32_I8 "s_sext_i32_i8" 0x19 [I32] <- [B32] => lane(sext_i8) Keep Salu;
    /// D = S0[15:0], sign-extended.
    S_SEXT_I32_I16 "s_sext_i32_i16" 0x1a [I32] <- [B32] => lane(sext_i16) Keep Salu;
    /// D = D with bit S0[4:0] cleared.
    S_BITSET0_B32 "s_bitset0_b32" 0x1b [B32] <- [B32 Old] => lane(bitset0_b32) Keep Salu;
    /// D = D with bit S0[5:0] cleared.
    S_BITSET0_B64 "s_bitset0_b64" 0x1c [B64] <- [B32 Old] => wide(bitset0_b64) Keep Salu;
    /// D = D with bit S0[4:0] set.
    S_BITSET1_B32 "s_bitset1_b32" 0x1d [B32] <- [B32 Old] => lane(bitset1_b32) Keep Salu;
    /// D = D with bit S0[5:0] set.
    S_BITSET1_B64 "s_bitset1_b64" 0x1e [B64] <- [B32 Old] => wide(bitset1_b64) Keep Salu;
    /// D = address of the next instruction.
    S_GETPC_B64 "s_getpc_b64" 0x1f [B64] <- [] => control(GetPc) Keep Salu;
    /// Jump to S0.
    S_SETPC_B64 "s_setpc_b64" 0x20 [] <- [B64] => control(SetPc) Keep Branch;
    /// D = address of the next instruction; jump to S0.
    S_SWAPPC_B64 "s_swappc_b64" 0x21 [B64] <- [B64] => control(SwapPc) Keep Branch;
    /// Return from the trap handler to S0.
    S_RFE_B64 "s_rfe_b64" 0x22 [] <- [B64] => control(Rfe) Keep Branch;
    /// D = EXEC; EXEC = S0 & EXEC.
    S_AND_SAVEEXEC_B64 "s_and_saveexec_b64" 0x24 [B64 Exec Scc] <- [B64 Exec] => save_exec(and_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 | EXEC.
    S_OR_SAVEEXEC_B64 "s_or_saveexec_b64" 0x25 [B64 Exec Scc] <- [B64 Exec] => save_exec(or_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 ^ EXEC.
    S_XOR_SAVEEXEC_B64 "s_xor_saveexec_b64" 0x26 [B64 Exec Scc] <- [B64 Exec] => save_exec(xor_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 & ~EXEC.
    S_ANDN2_SAVEEXEC_B64 "s_andn2_saveexec_b64" 0x27 [B64 Exec Scc] <- [B64 Exec] => save_exec(andn2_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 | ~EXEC.
    S_ORN2_SAVEEXEC_B64 "s_orn2_saveexec_b64" 0x28 [B64 Exec Scc] <- [B64 Exec] => save_exec(orn2_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 & EXEC).
    S_NAND_SAVEEXEC_B64 "s_nand_saveexec_b64" 0x29 [B64 Exec Scc] <- [B64 Exec] => save_exec(nand_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 | EXEC).
    S_NOR_SAVEEXEC_B64 "s_nor_saveexec_b64" 0x2a [B64 Exec Scc] <- [B64 Exec] => save_exec(nor_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 ^ EXEC).
    S_XNOR_SAVEEXEC_B64 "s_xnor_saveexec_b64" 0x2b [B64 Exec Scc] <- [B64 Exec] => save_exec(xnor_b32) NonZero Salu;
    /// Bit i of D = any of bits 4i … 4i+3 of S0.
    S_QUADMASK_B32 "s_quadmask_b32" 0x2c [B32 Scc] <- [B32] => lane(quadmask_b32) NonZero Salu;
    /// Bit i of D = any of bits 4i … 4i+3 of S0.
    S_QUADMASK_B64 "s_quadmask_b64" 0x2d [B64 Scc] <- [B64] => wide(quadmask_b64) NonZero Salu;
    /// D = SGPR[S0 + M0].
    S_MOVRELS_B32 "s_movrels_b32" 0x2e [B32] <- [B32 M0] => wave(MovrelS) Keep Salu;
    /// D = SGPR pair [S0 + M0].
    S_MOVRELS_B64 "s_movrels_b64" 0x2f [B64] <- [B64 M0] => wave(MovrelS) Keep Salu;
    /// SGPR[D + M0] = S0.
    S_MOVRELD_B32 "s_movreld_b32" 0x30 [B32] <- [B32 M0] => wave(MovrelD) Keep Salu;
    /// SGPR pair [D + M0] = S0.
    S_MOVRELD_B64 "s_movreld_b64" 0x31 [B64] <- [B64 M0] => wave(MovrelD) Keep Salu;
    /// D = |S0|.
    S_ABS_I32 "s_abs_i32" 0x34 [I32 Scc] <- [I32] => lane(abs_i32) NonZero Salu;
    /// D = EXEC; EXEC = ~S0 & EXEC.
    S_ANDN1_SAVEEXEC_B64 "s_andn1_saveexec_b64" 0x37 [B64 Exec Scc] <- [B64 Exec] => save_exec(andn1_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~S0 | EXEC.
    S_ORN1_SAVEEXEC_B64 "s_orn1_saveexec_b64" 0x38 [B64 Exec Scc] <- [B64 Exec] => save_exec(orn1_b32) NonZero Salu;
    /// EXEC = ~S0 & EXEC; D = EXEC.
    S_ANDN1_WREXEC_B64 "s_andn1_wrexec_b64" 0x39 [B64 Exec Scc] <- [B64 Exec] => write_exec(andn1_b32) NonZero Salu;
    /// EXEC = S0 & ~EXEC; D = EXEC.
    S_ANDN2_WREXEC_B64 "s_andn2_wrexec_b64" 0x3a [B64 Exec Scc] <- [B64 Exec] => write_exec(andn2_b32) NonZero Salu;
    /// D = S0 with each bit doubled.
    S_BITREPLICATE_B64_B32 "s_bitreplicate_b64_b32" 0x3b [B64] <- [B32] => wide(bitreplicate) Keep Salu;
    /// D = EXEC; EXEC = S0 & EXEC.
    S_AND_SAVEEXEC_B32 "s_and_saveexec_b32" 0x3c [B32 Exec Scc] <- [B32 Exec] => save_exec(and_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 | EXEC.
    S_OR_SAVEEXEC_B32 "s_or_saveexec_b32" 0x3d [B32 Exec Scc] <- [B32 Exec] => save_exec(or_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 ^ EXEC.
    S_XOR_SAVEEXEC_B32 "s_xor_saveexec_b32" 0x3e [B32 Exec Scc] <- [B32 Exec] => save_exec(xor_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 & ~EXEC.
    S_ANDN2_SAVEEXEC_B32 "s_andn2_saveexec_b32" 0x3f [B32 Exec Scc] <- [B32 Exec] => save_exec(andn2_b32) NonZero Salu;
    /// D = EXEC; EXEC = S0 | ~EXEC.
    S_ORN2_SAVEEXEC_B32 "s_orn2_saveexec_b32" 0x40 [B32 Exec Scc] <- [B32 Exec] => save_exec(orn2_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 & EXEC).
    S_NAND_SAVEEXEC_B32 "s_nand_saveexec_b32" 0x41 [B32 Exec Scc] <- [B32 Exec] => save_exec(nand_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 | EXEC).
    S_NOR_SAVEEXEC_B32 "s_nor_saveexec_b32" 0x42 [B32 Exec Scc] <- [B32 Exec] => save_exec(nor_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~(S0 ^ EXEC).
    S_XNOR_SAVEEXEC_B32 "s_xnor_saveexec_b32" 0x43 [B32 Exec Scc] <- [B32 Exec] => save_exec(xnor_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~S0 & EXEC.
    S_ANDN1_SAVEEXEC_B32 "s_andn1_saveexec_b32" 0x44 [B32 Exec Scc] <- [B32 Exec] => save_exec(andn1_b32) NonZero Salu;
    /// D = EXEC; EXEC = ~S0 | EXEC.
    S_ORN1_SAVEEXEC_B32 "s_orn1_saveexec_b32" 0x45 [B32 Exec Scc] <- [B32 Exec] => save_exec(orn1_b32) NonZero Salu;
    /// EXEC = ~S0 & EXEC; D = EXEC.
    S_ANDN1_WREXEC_B32 "s_andn1_wrexec_b32" 0x46 [B32 Exec Scc] <- [B32 Exec] => write_exec(andn1_b32) NonZero Salu;
    /// EXEC = S0 & ~EXEC; D = EXEC.
    S_ANDN2_WREXEC_B32 "s_andn2_wrexec_b32" 0x47 [B32 Exec Scc] <- [B32 Exec] => write_exec(andn2_b32) NonZero Salu;
    /// SGPR[D + M0[25:16]] = SGPR[S0 + M0[9:0]].
    S_MOVRELSD_2_B32 "s_movrelsd_2_b32" 0x49 [B32] <- [B32 M0] => wave(MovrelSD2) Keep Salu;
}
