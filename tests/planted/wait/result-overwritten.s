// The register of a load on its way is used for something else.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin twice
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5] // PAIR
.ifdef MENDED
    s_waitcnt vmcnt(0)
.endif
    v_lshlrev_b32 v2, 1, v0 // FINDS wait early-write
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[6:7]
    s_endpgm
kernel_end twice
