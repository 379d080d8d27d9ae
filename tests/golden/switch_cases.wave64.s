; 32 instructions; waits: 2 vmcnt, 1 lgkmcnt, 0 vscnt; 3 branches, 7 writes of EXEC
; ACO of Mesa 22.3.6: 34 instructions; waits: 2 vmcnt, 3 lgkmcnt, 0 vscnt; 2 branches, 4 writes of EXEC
; wave64
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dwordx4 s[8:11], s[0:1], 0x10
b1:
    s_lshl_b32 s0, s2, 6
    v_add_lshl_u32 v0, v0, s0, 2
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v1, v0, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_and_b32_e32 v2, 3, v1
    v_cmp_eq_u32_e32 vcc, 0, v2
    s_and_saveexec_b64 s[0:1], vcc
b3:
    v_add_nc_u32_e32 v2, 0x100, v0
    buffer_load_dword v2, v2, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_add_nc_u32_e32 v1, v1, v2
b5:
    s_xor_b64 exec, s[0:1], exec
    s_cbranch_execz b4
b6:
    v_cmp_eq_u32_e32 vcc, 1, v2
    s_and_saveexec_b64 s[2:3], vcc
b7:
    v_mul_lo_u32 v1, v1, 3
b9:
    s_xor_b64 exec, s[2:3], exec
    s_cbranch_execz b8
b10:
    v_cmp_eq_u32_e32 vcc, 2, v2
    s_and_saveexec_b64 s[4:5], vcc
    s_cbranch_execz b13
b11:
    v_add_nc_u32_e32 v2, 0x100, v0
    buffer_store_dword v1, v2, s[8:11], 0 offen
b13:
    s_waitcnt_depctr 0xffe3
    s_xor_b64 exec, s[4:5], exec
    v_mov_b32_e32 v1, 0
b12:
b8:
b4:
    s_mov_b64 exec, s[0:1]
    buffer_store_dword v1, v0, s[8:11], 0 offen
b2:
    s_endpgm
