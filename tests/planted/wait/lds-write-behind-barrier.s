// A wave comes to a barrier while what it has written to LDS is on its way.
// RUN --grid 128 --block 128 --arg u32[128]:iota --arg u32[128]
.include "kernel.inc"
kernel_begin turn
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    ds_write_b32 v1, v2 // PAIR
.ifdef MENDED
    s_waitcnt lgkmcnt(0)
.endif
    s_barrier
    v_sub_nc_u32 v3, 0x1fc, v1
    ds_read_b32 v4, v3 // FINDS wait lds-behind-barrier
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v4, s[6:7]
    s_endpgm
kernel_end turn, 512
