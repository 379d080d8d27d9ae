; 21 instructions; waits: 3 vmcnt, 1 lgkmcnt, 0 vscnt; 0 branches, 3 writes of EXEC
; ACO of Mesa 22.3.6: 25 instructions; waits: 3 vmcnt, 2 lgkmcnt, 0 vscnt; 2 branches, 3 writes of EXEC
; wave32
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dwordx4 s[8:11], s[0:1], 0x10
b1:
    s_lshl_b32 s0, s2, 6
    v_add_lshl_u32 v0, v0, s0, 2
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v1, v0, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_cmp_gt_u32_e32 vcc_lo, 7, v1
    s_and_saveexec_b32 s0, vcc_lo
b3:
    v_add_nc_u32_e32 v1, 0x100, v0
    buffer_load_dword v1, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_add_nc_u32_e32 v1, 1, v1
b5:
    s_xor_b32 exec_lo, s0, exec_lo
    v_add_nc_u32_e32 v2, 0x200, v0
    buffer_load_dword v2, v2, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_mul_lo_u32 v1, v1, v2
b4:
    s_mov_b32 exec_lo, s0
    buffer_store_dword v1, v0, s[8:11], 0 offen
b2:
    s_endpgm
