// VcmpxExecWARHazard: V_CMPX writes EXEC right behind an instruction that reads it as a scalar.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin copy
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s8, exec_lo // PAIR
    v_mov_b32 v3, exec_lo
.ifdef MENDED
    s_waitcnt_depctr 0xfffe
.endif
    v_cmpx_gt_u32 16, v0 // FINDS wait
    global_store_dword v1, v3, s[6:7]
    s_endpgm
kernel_end copy
