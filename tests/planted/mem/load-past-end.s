// A load of four words where the buffer has two left.
// RUN --grid 32 --block 32 --arg u32[126]:iota --arg u32[32]
// MENDED RUN --grid 32 --block 32 --arg u32[128]:iota --arg u32[32]
.include "kernel.inc"
kernel_begin sums
    s_load_dwordx4 s[0:3], s[0:1], 0x0
    v_lshlrev_b32 v1, 4, v0
    s_waitcnt lgkmcnt(0)
    global_load_dwordx4 v[4:7], v1, s[0:1] // FINDS mem
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt vmcnt(0)
    v_add3_u32 v4, v4, v5, v6
    v_add_nc_u32 v4, v4, v7
    global_store_dword v1, v4, s[2:3]
    s_endpgm
kernel_end sums
