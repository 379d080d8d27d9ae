// A load from memory is waited for by the counter of stores.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin copy
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5] // PAIR
.ifdef MENDED
    s_waitcnt vmcnt(0)
.else
    s_waitcnt_vscnt null, 0x0
.endif
    global_store_dword v1, v2, s[6:7] // FINDS wait early-read
    s_endpgm
kernel_end copy
