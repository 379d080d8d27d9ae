// A store one lane past the end of a buffer, in code written by hand.
// RUN --grid 64 --block 64 --arg u32[63] --arg u32[1]
// MENDED RUN --grid 64 --block 64 --arg u32[64] --arg u32[1]
.include "kernel.inc"
kernel_begin store
    s_load_dwordx2 s[0:1], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v0, s[0:1] // FINDS mem
    s_endpgm
kernel_end store
