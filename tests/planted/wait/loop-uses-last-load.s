// Around a loop: the word that the last trip has loaded is used without a wait.
// RUN --grid 32 --block 32 --arg u32[256]:iota --arg u32[32]
.include "kernel.inc"
kernel_begin sum
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v5, v1
    v_mov_b32 v2, 0
    v_mov_b32 v3, 0
    s_mov_b32 s8, 4
    s_waitcnt lgkmcnt(0)
again:
.ifdef MENDED
    s_waitcnt vmcnt(0)
.endif
    v_add_nc_u32 v3, v3, v2 // FINDS wait early-read
    s_nop 0
    global_load_dword v2, v5, s[4:5] // PAIR
    v_add_nc_u32 v5, 0x80, v5
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 again
    s_waitcnt vmcnt(0)
    v_add_nc_u32 v3, v3, v2
    global_store_dword v1, v3, s[6:7]
    s_endpgm
kernel_end sum
