// SMEMtoVectorWriteHazard: a vector instruction writes a scalar that a scalar load is still using.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin copy
    s_mov_b64 s[8:9], s[0:1]
    s_load_dwordx4 s[4:7], s[8:9], 0x0 // PAIR
.ifdef MENDED
    s_mov_b32 null, 0
.endif
    v_readfirstlane_b32 s8, v0 // FINDS wait
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    v_add_nc_u32 v2, s8, v2
    global_store_dword v1, v2, s[6:7]
    s_endpgm
kernel_end copy
