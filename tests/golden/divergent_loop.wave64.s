; 32 instructions; waits: 0 vmcnt, 1 lgkmcnt, 0 vscnt; 5 branches, 6 writes of EXEC
; ACO of Mesa 22.3.6: 36 instructions; waits: 0 vmcnt, 1 lgkmcnt, 0 vscnt; 5 branches, 7 writes of EXEC
; wave64
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
b1:
    s_lshl_b32 s0, s2, 6
    v_add_nc_u32_e32 v0, s0, v0
    v_mov_b32_e32 v1, v0
    s_mov_b32 s0, 0
    s_mov_b64 s[2:3], exec
b4:
    v_cmp_eq_u32_e32 vcc, 1, v1
    v_mov_b32_e32 v2, s0
    s_andn2_b64 exec, exec, vcc
    s_cbranch_execz b3
b6:
    s_add_i32 s0, s0, 1
    v_and_b32_e32 v2, 1, v1
    v_cmp_eq_u32_e32 vcc, 0, v2
    s_and_saveexec_b64 s[8:9], vcc
b7:
    v_lshrrev_b32_e32 v1, 1, v1
b9:
    s_mov_b64 s[10:11], exec
    s_xor_b64 exec, s[8:9], exec
    s_cbranch_execz b8
b10:
    v_mul_lo_u32 v1, v1, 3
    v_add_nc_u32_e32 v1, 1, v1
    s_cmp_lt_u32 0xc8, s0
    s_cbranch_scc0 b8
b11:
    v_mov_b32_e32 v2, s0
    s_mov_b64 exec, 0
b12:
b8:
    s_or_b64 exec, exec, s[10:11]
    s_cbranch_execz b3
b13:
b5:
    s_branch b4
b3:
    s_mov_b64 exec, s[2:3]
    v_lshlrev_b32_e32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v0, s[4:7], 0 offen
b2:
    s_endpgm
