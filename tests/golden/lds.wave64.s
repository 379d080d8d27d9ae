; 19 instructions; waits: 1 vmcnt, 2 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; ACO of Mesa 22.3.6: 22 instructions; waits: 1 vmcnt, 2 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; wave64
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dwordx4 s[8:11], s[0:1], 0x10
b1:
    s_lshl_b32 s0, s2, 6
    v_add_lshl_u32 v1, v0, s0, 2
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    v_lshlrev_b32_e32 v3, 2, v0
    s_waitcnt vmcnt(0)
    ds_write_b32 v3, v2
    v_xor_b32_e32 v2, 1, v0
    v_lshlrev_b32_e32 v2, 2, v2
    ds_read_b32 v2, v2
    v_sub_nc_u32_e32 v0, 63, v0
    v_lshlrev_b32_e32 v0, 2, v0
    ds_read_b32 v0, v0
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32_e32 v0, v2, v0
    buffer_store_dword v0, v1, s[8:11], 0 offen
b2:
    s_endpgm
