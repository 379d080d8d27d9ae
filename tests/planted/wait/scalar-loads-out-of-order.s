// Scalar loads come back in any order: only a wait for all of them tells anything.
// RUN --grid 32 --block 32 --arg u32[32]:iota --arg u32[32]
.include "kernel.inc"
kernel_begin copy
    s_load_dwordx2 s[4:5], s[0:1], 0x0 // PAIR
    s_load_dwordx2 s[6:7], s[0:1], 0x8
    v_lshlrev_b32 v1, 2, v0
.ifdef MENDED
    s_waitcnt lgkmcnt(0)
.else
    s_waitcnt lgkmcnt(1)
.endif
    global_load_dword v2, v1, s[4:5] // FINDS wait early-read
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dword v1, v2, s[6:7]
    s_endpgm
kernel_end copy
