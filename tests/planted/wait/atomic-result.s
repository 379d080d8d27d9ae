// The old value that an atomic brings back is used at once.
// RUN --grid 64 --block 64 --arg u32[1] --arg u32[64]
.include "kernel.inc"
kernel_begin ticket
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    s_waitcnt lgkmcnt(0)
    global_atomic_add v3, v1, v2, s[4:5] glc // PAIR
.ifdef MENDED
    s_waitcnt vmcnt(0)
.else
    s_waitcnt_vscnt null, 0x0
.endif
    v_lshlrev_b32 v4, 2, v3 // FINDS wait early-read
    global_store_dword v4, v0, s[6:7]
    s_endpgm
kernel_end ticket
