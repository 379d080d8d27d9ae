// A scalar load takes eight words of a buffer of six.
// RUN --grid 32 --block 32 --arg u32[6]:iota --arg u32[32]
// MENDED RUN --grid 32 --block 32 --arg u32[8]:iota --arg u32[32]
.include "kernel.inc"
kernel_begin first
    s_load_dwordx4 s[0:3], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_load_dwordx8 s[8:15], s[0:1], 0x0 // FINDS mem
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, s13
    global_store_dword v1, v2, s[2:3]
    s_endpgm
kernel_end first
