// VMEMtoScalarWriteHazard: a scalar that a memory instruction has yet to read is written behind it.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin copy
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5] // PAIR
.ifdef MENDED
    s_waitcnt_depctr 0xffe3
.endif
    s_mov_b32 s4, s6 // FINDS wait
    s_mov_b32 s5, s7
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_endpgm
kernel_end copy
