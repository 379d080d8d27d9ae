; 19 instructions; waits: 1 vmcnt, 4 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; ACO of Mesa 22.3.6: 23 instructions; waits: 1 vmcnt, 3 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; wave64
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dwordx4 s[8:11], s[0:1], 0x20
    s_load_dwordx4 s[12:15], s[0:1], 0x10
b1:
    s_lshl_b32 s0, s2, 6
    v_add_lshl_u32 v0, v0, s0, 2
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v1, v0, s[4:7], 0 offen
    s_buffer_load_dword s0, s[8:11], null
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mul_lo_u32 v1, v1, s0
    s_buffer_load_dwordx2 s[0:1], s[8:11], 0xc
    s_waitcnt lgkmcnt(0)
    s_lshl_b32 s1, s1, 2
    s_buffer_load_dword s1, s[4:7], s1
    s_waitcnt lgkmcnt(0)
    s_mul_i32 s0, s1, s0
    v_add_nc_u32_e32 v1, s0, v1
    buffer_store_dword v1, v0, s[12:15], 0 offen
b2:
    s_endpgm
