//! SOPP: program control.

super::insts! { Sopp from crate::insts::sopc::NEXT;
    /// Nothing, SIMM16[3:0] + 1 times.
    S_NOP "s_nop" 6:0x00 [] <- [Imm16] => control(Nop) Keep Salu;
    /// The wave ends.
    S_ENDPGM "s_endpgm" 6:0x01 11:0x30 [] <- [Imm16] => control(EndPgm) Keep Message;
    /// Jump by SIMM16 dwords from the next instruction.
    S_BRANCH "s_branch" 6:0x02 11:0x20 [] <- [Imm16] => control(Branch) Keep Branch;
    /// Wake the work-group's waves that sleep.
    S_WAKEUP "s_wakeup" 9:0x03 11:0x34 [] <- [] => control(Wakeup) Keep Message;
    /// Jump if SCC = 0.
    S_CBRANCH_SCC0 "s_cbranch_scc0" 6:0x04 11:0x21 [] <- [Imm16 Scc] => control(BranchScc0) Keep Branch;
    /// Jump if SCC = 1.
    S_CBRANCH_SCC1 "s_cbranch_scc1" 6:0x05 11:0x22 [] <- [Imm16 Scc] => control(BranchScc1) Keep Branch;
    /// Jump if VCC = 0.
    S_CBRANCH_VCCZ "s_cbranch_vccz" 6:0x06 11:0x23 [] <- [Imm16 Vcc] => control(BranchVccz) Keep Branch;
    /// Jump if VCC ≠ 0.
    S_CBRANCH_VCCNZ "s_cbranch_vccnz" 6:0x07 11:0x24 [] <- [Imm16 Vcc] => control(BranchVccnz) Keep Branch;
    /// Jump if EXEC = 0.
    S_CBRANCH_EXECZ "s_cbranch_execz" 6:0x08 11:0x25 [] <- [Imm16 Exec] => control(BranchExecz) Keep Branch;
    /// Jump if EXEC ≠ 0.
    S_CBRANCH_EXECNZ "s_cbranch_execnz" 6:0x09 11:0x26 [] <- [Imm16 Exec] => control(BranchExecnz) Keep Branch;
    /// Wait until every wave of the work-group that still runs is here.
    S_BARRIER "s_barrier" 6:0x0a 11:0x3d 12:- [] <- [] => control(Barrier) Keep Wait;
    /// KILL bit = SIMM16[0].
    S_SETKILL "s_setkill" 6:0x0b 11:0x01 [] <- [Imm16] => control(SetKill) Keep Message;
    /// Wait until vmcnt ≤ SIMM16[15:14,3:0], expcnt ≤ [6:4], lgkmcnt ≤ [13:8].
    S_WAITCNT "s_waitcnt" 6:0x0c 11:0x09 [] <- [Imm16] => control(Waitcnt) Keep Wait;
    /// HALT or FATAL_HALT bit = SIMM16[0].
    S_SETHALT "s_sethalt" 6:0x0d 11:0x02 [] <- [Imm16] => control(SetHalt) Keep Message;
    /// Sleep about 64 · SIMM16[6:0] clocks.
    S_SLEEP "s_sleep" 6:0x0e 11:0x03 [] <- [Imm16] => control(Sleep) Keep Wait;
    /// Priority of the wave = SIMM16[1:0].
    S_SETPRIO "s_setprio" 6:0x0f 11:0x35 [] <- [Imm16] => control(SetPrio) Keep Salu;
    /// Send a message to the interrupt handler or a fixed-function unit.
    S_SENDMSG "s_sendmsg" 6:0x10 11:0x36 [] <- [Imm16 M0] => control(SendMsg) Keep Message;
    /// S_SENDMSG, then halt.
    S_SENDMSGHALT "s_sendmsghalt" 6:0x11 11:0x37 [] <- [Imm16 M0] => control(SendMsgHalt) Keep Message;
    /// Enter the trap handler with SIMM16[7:0].
    S_TRAP "s_trap" 6:0x12 11:0x10 [] <- [Imm16] => control(Trap) Keep Message;
    /// Invalidate the instruction cache.
    S_ICACHE_INV "s_icache_inv" 6:0x13 11:0x3c [] <- [] => control(Nop) Keep Salu, invalidates(Instructions);
    /// Add one to a performance counter.
    S_INCPERFLEVEL "s_incperflevel" 6:0x14 11:0x38 [] <- [Imm16] => control(Nop) Keep Salu;
    /// Take one from a performance counter.
    S_DECPERFLEVEL "s_decperflevel" 6:0x15 11:0x39 [] <- [Imm16] => control(Nop) Keep Salu;
    /// Send M0 to the thread trace.
    S_TTRACEDATA "s_ttracedata" 6:0x16 11:0x3a [] <- [M0] => control(TraceData) Keep Message;
    /// Jump if the system debug flag is set.
    S_CBRANCH_CDBGSYS "s_cbranch_cdbgsys" 6:0x17 11:0x27 12:- [] <- [Imm16] => control(BranchDebug(crate::row::DebugCond::System)) Keep Branch;
    /// Jump if the user debug flag is set.
    S_CBRANCH_CDBGUSER "s_cbranch_cdbguser" 6:0x18 11:0x28 12:- [] <- [Imm16] => control(BranchDebug(crate::row::DebugCond::User)) Keep Branch;
    /// Jump if either debug flag is set.
    S_CBRANCH_CDBGSYS_OR_USER "s_cbranch_cdbgsys_or_user" 6:0x19 11:0x29 12:- [] <- [Imm16] => control(BranchDebug(crate::row::DebugCond::Either)) Keep Branch;
    /// Jump if both debug flags are set.
    S_CBRANCH_CDBGSYS_AND_USER "s_cbranch_cdbgsys_and_user" 6:0x1a 11:0x2a 12:- [] <- [Imm16] => control(BranchDebug(crate::row::DebugCond::Both)) Keep Branch;
    /// The wave ends, saved by the context switch.
    S_ENDPGM_SAVED "s_endpgm_saved" 9:0x1b 11:0x31 [] <- [] => control(EndPgm) Keep Message;
    /// The wave ends and leaves its ordered section.
    S_ENDPGM_ORDERED_PS_DONE "s_endpgm_ordered_ps_done" 9:0x1e 11:- [] <- [] => control(EndPgmOrdered) Keep Message;
    /// Padding behind a program; illegal to execute.
    S_CODE_END "s_code_end" 10:0x1f [] <- [] => control(CodeEnd) Keep Message;
    /// Instruction prefetch depth = SIMM16[1:0] cache lines.
    S_INST_PREFETCH "s_inst_prefetch" (11:"s_set_inst_prefetch_distance") 10:0x20 11:0x04 12:- [] <- [Imm16] => control(InstPrefetch) Keep Salu;
    /// The next SIMM16[5:0] + 1 instructions issue without a break.
    S_CLAUSE "s_clause" 10:0x21 11:0x05 [] <- [Imm16] => control(Clause) Keep Salu;
    /// Wait for everything outstanding.
    S_WAIT_IDLE "s_wait_idle" 10:0x22 11:0x0a [] <- [] => control(Nop) Keep Wait;
    /// Wait for internal dependency counters.
    S_WAITCNT_DEPCTR "s_waitcnt_depctr" (12:"s_wait_alu") 10:0x23 11:0x08 [] <- [Imm16] => control(Nop) Keep Wait;
    /// MODE.round = SIMM16[3:0]: f32 [1:0], f64 and f16 [3:2].
    S_ROUND_MODE "s_round_mode" 10:0x24 11:0x11 [] <- [Imm16] => control(RoundMode) Keep Salu;
    /// MODE.denorm = SIMM16[3:0]: f32 [1:0], f64 and f16 [3:2].
    S_DENORM_MODE "s_denorm_mode" 10:0x25 11:0x12 [] <- [Imm16] => control(DenormMode) Keep Salu;
    /// Send SIMM16[7:0] to the thread trace.
    S_TTRACEDATA_IMM "s_ttracedata_imm" 10:0x28 11:0x3b [] <- [Imm16] => control(Nop) Keep Message;
    /// Indexed VGPRs off.
    S_SET_GPR_IDX_OFF "s_set_gpr_idx_off" 9:0x1c 10:- [] <- [] => control(IndexOff) Keep Salu;
    /// M0[15:12] = SIMM16[3:0]: the operands that indexed VGPRs are.
    S_SET_GPR_IDX_MODE "s_set_gpr_idx_mode" 9:0x1d 10:- [M0] <- [Imm16 M0] => control(IndexMode) Keep Salu;
    /// Names what the next instructions depend on, so that they are issued when it is done.
    S_DELAY_ALU "s_delay_alu" 11:0x07 [] <- [Imm16] => control(Nop) Keep Wait;
    /// Waits for an event: an export that is ready.
    S_WAIT_EVENT "s_wait_event" 11:0x0b [] <- [Imm16] => todo() Keep Wait;
    /// Names the results of the next instructions that are read once.
    S_SINGLEUSE_VDST "s_singleuse_vdst" 11.5:0x13 [] <- [Imm16] => control(Nop) Keep Salu;
    /// Waits until a barrier is complete.
    S_BARRIER_WAIT "s_barrier_wait" 12:0x14 [] <- [Imm16] => todo() Keep Wait;
    /// Leaves the named barrier; SCC = there was one.
    S_BARRIER_LEAVE "s_barrier_leave" 12:0x15 [Scc] <- [] => todo() Keep Message;
    /// Waits until at most so many loads are outstanding.
    S_WAIT_LOADCNT "s_wait_loadcnt" 12:0x40 [] <- [Imm16] => todo() Keep Wait;
    /// Waits until at most so many stores are outstanding.
    S_WAIT_STORECNT "s_wait_storecnt" 12:0x41 [] <- [Imm16] => todo() Keep Wait;
    /// Waits until at most so many samples are outstanding.
    S_WAIT_SAMPLECNT "s_wait_samplecnt" 12:0x42 [] <- [Imm16] => todo() Keep Wait;
    /// Waits until at most so many intersections are outstanding.
    S_WAIT_BVHCNT "s_wait_bvhcnt" 12:0x43 [] <- [Imm16] => todo() Keep Wait;
    /// Waits until at most so many exports are outstanding.
    S_WAIT_EXPCNT "s_wait_expcnt" 12:0x44 [] <- [Imm16] => todo() Keep Wait;
    /// Waits until at most so many operations of LDS are outstanding.
    S_WAIT_DSCNT "s_wait_dscnt" 12:0x46 [] <- [Imm16] => todo() Keep Wait;
    /// Waits until at most so many scalar loads and messages are outstanding.
    S_WAIT_KMCNT "s_wait_kmcnt" 12:0x47 [] <- [Imm16] => todo() Keep Wait;
    /// Waits for loads, SIMM16[13:8], and operations of LDS, SIMM16[5:0].
    S_WAIT_LOADCNT_DSCNT "s_wait_loadcnt_dscnt" 12:0x48 [] <- [Imm16] => todo() Keep Wait;
    /// Waits for stores, SIMM16[13:8], and operations of LDS, SIMM16[5:0].
    S_WAIT_STORECNT_DSCNT "s_wait_storecnt_dscnt" 12:0x49 [] <- [Imm16] => todo() Keep Wait;
}
