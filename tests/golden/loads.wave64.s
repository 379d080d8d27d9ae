; 21 instructions; waits: 1 vmcnt, 1 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; ACO of Mesa 22.3.6: 22 instructions; waits: 1 vmcnt, 1 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; wave64
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dwordx4 s[8:11], s[0:1], 0x10
b1:
    s_lshl_b32 s0, s2, 6
    v_add_lshl_u32 v0, v0, s0, 2
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v1, v0, s[4:7], 0 offen
    v_add_nc_u32_e32 v2, 0x100, v0
    buffer_load_dword v2, v2, s[4:7], 0 offen
    v_add_nc_u32_e32 v3, 0x200, v0
    buffer_load_dword v3, v3, s[4:7], 0 offen
    v_add_nc_u32_e32 v4, 0x300, v0
    buffer_load_dword v4, v4, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_mul_lo_u32 v4, v4, 3
    v_add_nc_u32_e32 v1, v1, v4
    v_mul_lo_u32 v1, v1, 5
    v_add_nc_u32_e32 v1, v2, v1
    v_mul_lo_u32 v1, v1, 7
    v_add_nc_u32_e32 v1, v3, v1
    buffer_store_dword v1, v0, s[8:11], 0 offen
b2:
    s_endpgm
