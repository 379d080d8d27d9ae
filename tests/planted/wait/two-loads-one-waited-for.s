// Two loads, and a wait that leaves one of them on its way.
// RUN --grid 64 --block 64 --arg u32[128]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin sum
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    global_load_dword v3, v1, s[4:5] offset:256 // PAIR
.ifdef MENDED
    s_waitcnt vmcnt(0)
.else
    s_waitcnt vmcnt(1)
.endif
    v_add_nc_u32 v2, v2, v3 // FINDS wait early-read
    global_store_dword v1, v2, s[6:7]
    s_endpgm
kernel_end sum
