; 21 instructions; waits: 1 vmcnt, 2 lgkmcnt, 0 vscnt; 2 branches, 0 writes of EXEC
; ACO of Mesa 22.3.6: 23 instructions; waits: 1 vmcnt, 3 lgkmcnt, 0 vscnt; 2 branches, 0 writes of EXEC
; wave32
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dwordx4 s[8:11], s[0:1], 0x10
b1:
    s_lshl_b32 s0, s2, 6
    v_add_nc_u32_e32 v0, s0, v0
    s_waitcnt lgkmcnt(0)
    s_buffer_load_dword s0, s[4:7], null
    v_mov_b32_e32 v1, 0
    s_mov_b32 s1, 0
b4:
    s_waitcnt lgkmcnt(0)
    s_cmp_lt_u32 s1, s0
    s_cbranch_scc0 b3
b6:
b7:
    s_lshl_b32 s2, s1, 6
    v_add_lshl_u32 v2, v0, s2, 2
    buffer_load_dword v2, v2, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_add_nc_u32_e32 v1, v1, v2
    s_add_i32 s1, s1, 1
b5:
    s_branch b4
b3:
    v_lshlrev_b32_e32 v0, 2, v0
    buffer_store_dword v1, v0, s[8:11], 0 offen
b2:
    s_endpgm
