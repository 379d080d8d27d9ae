; 15 instructions; waits: 1 vmcnt, 1 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; ACO of Mesa 22.3.6: 47 instructions; waits: 1 vmcnt, 2 lgkmcnt, 0 vscnt; 1 branches, 9 writes of EXEC
; wave32
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dwordx4 s[8:11], s[0:1], 0x10
b1:
    s_lshl_b32 s0, s2, 6
    v_add_nc_u32_e32 v0, s0, v0
    v_and_b32_e32 v1, 7, v0
    v_lshlrev_b32_e32 v1, 2, v1
    v_mov_b32_e32 v2, 1
    s_waitcnt lgkmcnt(0)
    buffer_atomic_add v2, v1, s[4:7], 0 offen
    v_mov_b32_e32 v1, v0
    buffer_atomic_umax v1, off, s[4:7], 0 offset:32 glc
    v_lshlrev_b32_e32 v0, 2, v0
    s_waitcnt vmcnt(0)
    buffer_store_dword v1, v0, s[8:11], 0 offen
b2:
    s_endpgm
