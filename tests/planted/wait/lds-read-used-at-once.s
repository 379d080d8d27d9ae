// A word from LDS is used before it is there.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin turn
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_sub_nc_u32 v3, 0xfc, v1
    ds_read_b32 v4, v3 // PAIR
.ifdef MENDED
    s_waitcnt lgkmcnt(0)
.endif
    v_add_nc_u32 v4, 1, v4 // FINDS wait early-read
    global_store_dword v1, v4, s[6:7]
    s_endpgm
kernel_end turn, 256
