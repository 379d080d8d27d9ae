// A loaded word is used before the load is waited for.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin copy
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5] // PAIR
.ifdef MENDED
    s_waitcnt vmcnt(0)
.endif
    v_add_nc_u32 v2, v2, v2 // FINDS wait early-read
    global_store_dword v1, v2, s[6:7]
    s_endpgm
kernel_end copy
