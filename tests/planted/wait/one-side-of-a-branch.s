// A branch on whose one side the load is waited for.
// RUN --grid 64 --block 32 --arg u32[64]:iota --arg u32[64]
.include "kernel.inc"
kernel_begin copy
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_lshl_b32 s3, s2, 5
    v_add_nc_u32 v1, s3, v0
    v_lshlrev_b32 v1, 2, v1
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5] // PAIR
.ifdef MENDED
    s_waitcnt vmcnt(0)
.endif
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 join
    s_waitcnt vmcnt(0)
    v_add_nc_u32 v2, 1, v2
join:
    global_store_dword v1, v2, s[6:7] // FINDS wait early-read
    s_endpgm
kernel_end copy
