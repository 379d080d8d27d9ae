; 13 instructions; waits: 1 vmcnt, 2 lgkmcnt, 0 vscnt; 1 branches, 0 writes of EXEC
; ACO of Mesa 22.3.6: 15 instructions; waits: 1 vmcnt, 3 lgkmcnt, 0 vscnt; 1 branches, 0 writes of EXEC
; wave32
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dwordx4 s[8:11], s[0:1], 0x10
b1:
    s_lshl_b32 s0, s2, 6
    s_waitcnt lgkmcnt(0)
    s_buffer_load_dword s1, s[4:7], null
    s_waitcnt lgkmcnt(0)
    s_cmp_lt_u32 s1, 7
    s_cbranch_scc0 b2
b3:
    v_add_lshl_u32 v0, v0, s0, 2
    buffer_load_dword v1, v0, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_dword v1, v0, s[8:11], 0 offen
b4:
b2:
    s_endpgm
