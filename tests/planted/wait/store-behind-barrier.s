// A wave reads what another one has stored and not waited for before the barrier.
// RUN --grid 128 --block 128 --arg u32[128] --arg u32[128]
.include "kernel.inc"
kernel_begin turn
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v0, s[4:5] // PAIR
.ifdef MENDED
    s_waitcnt_vscnt null, 0x0
.endif
    s_barrier
    buffer_gl0_inv
    v_sub_nc_u32 v3, 0x1fc, v1
    global_load_dword v4, v3, s[4:5] // FINDS wait memory-behind-barrier
    s_waitcnt vmcnt(0)
    global_store_dword v1, v4, s[6:7]
    s_endpgm
kernel_end turn
