; 39 instructions; waits: 1 vmcnt, 1 lgkmcnt, 0 vscnt; 2 branches, 4 writes of EXEC
; ACO of Mesa 22.3.6: 41 instructions; waits: 1 vmcnt, 2 lgkmcnt, 0 vscnt; 2 branches, 2 writes of EXEC
; wave32
b0:
    s_load_dwordx4 s[4:7], s[0:1], 0x10
    s_load_dwordx4 s[8:11], s[0:1], null
b1:
    s_lshl_b32 s0, s2, 6
    v_add_nc_u32_e32 v0, s0, v0
    s_waitcnt lgkmcnt(0)
    s_max_u32 s0, s6, 0
    s_lshr_b32 s0, s0, 2
    v_cmp_le_u32_e32 vcc_lo, s0, v0
    s_and_saveexec_b32 s0, vcc_lo
b3:
b5:
    s_xor_b32 exec_lo, s0, exec_lo
    s_cbranch_execz b2
b6:
    v_lshlrev_b32_e32 v0, 2, v0
    buffer_load_dword v1, v0, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
    v_cmp_eq_u32_e32 vcc_lo, 0, v1
    s_and_saveexec_b32 s1, vcc_lo
b7:
b9:
    s_xor_b32 exec_lo, s1, exec_lo
    s_cbranch_execz b8
b10:
    v_cvt_f32_u32_e32 v2, v1
    v_rcp_iflag_f32_e32 v2, v2
    v_mul_f32_e32 v2, 0x4f7ffffe, v2
    v_cvt_u32_f32_e32 v2, v2
    v_sub_nc_u32_e32 v3, 0, v1
    v_mul_lo_u32 v3, v3, v2
    v_mul_hi_u32 v3, v2, v3
    v_add_nc_u32_e32 v2, v2, v3
    v_mul_hi_u32 v2, v2, 0x3e8
    v_mul_lo_u32 v3, v1, v2
    v_sub_nc_u32_e32 v3, 0x3e8, v3
    v_cmp_le_u32_e32 vcc_lo, v1, v3
    v_add_nc_u32_e32 v4, 1, v2
    v_cndmask_b32_e32 v2, v2, v4, vcc_lo
    v_sub_nc_u32_e32 v4, v3, v1
    v_min_u32_e32 v3, v3, v4
    v_cmp_le_u32_e32 vcc_lo, v1, v3
    v_add_nc_u32_e32 v1, 1, v2
    v_cndmask_b32_e32 v1, v2, v1, vcc_lo
    buffer_store_dword v1, v0, s[4:7], 0 offen
b8:
b4:
b2:
    s_endpgm
