; 75 instructions; waits: 1 vmcnt, 8 lgkmcnt, 0 vscnt; 6 branches, 13 writes of EXEC
; ACO of Mesa 22.3.6: 37 instructions; waits: 1 vmcnt, 3 lgkmcnt, 0 vscnt; 4 branches, 3 writes of EXEC
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
    v_cmp_gt_u32_e32 vcc, 32, v0
    s_and_saveexec_b64 s[0:1], vcc
    s_cbranch_execz b4
b3:
    ds_read_b32 v2, v3
    ds_read_b32 v4, v3 offset:128
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32_e32 v2, v2, v4
    ds_write_b32 v3, v2
b4:
    s_waitcnt_depctr 0xffe3
    s_mov_b64 exec, s[0:1]
    v_cmp_gt_u32_e32 vcc, 16, v0
    s_and_saveexec_b64 s[0:1], vcc
    s_cbranch_execz b6
b5:
    ds_read_b32 v2, v3
    ds_read_b32 v4, v3 offset:64
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32_e32 v2, v2, v4
    ds_write_b32 v3, v2
b6:
    s_waitcnt_depctr 0xffe3
    s_mov_b64 exec, s[0:1]
    v_cmp_gt_u32_e32 vcc, 8, v0
    s_and_saveexec_b64 s[0:1], vcc
    s_cbranch_execz b8
b7:
    ds_read_b32 v2, v3
    ds_read_b32 v4, v3 offset:32
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32_e32 v2, v2, v4
    ds_write_b32 v3, v2
b8:
    s_waitcnt_depctr 0xffe3
    s_mov_b64 exec, s[0:1]
    v_cmp_gt_u32_e32 vcc, 4, v0
    s_and_saveexec_b64 s[0:1], vcc
    s_cbranch_execz b10
b9:
    ds_read_b32 v2, v3
    ds_read_b32 v4, v3 offset:16
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32_e32 v2, v2, v4
    ds_write_b32 v3, v2
b10:
    s_waitcnt_depctr 0xffe3
    s_mov_b64 exec, s[0:1]
    v_cmp_gt_u32_e32 vcc, 2, v0
    s_and_saveexec_b64 s[0:1], vcc
    s_cbranch_execz b12
b11:
    ds_read_b32 v2, v3
    ds_read_b32 v4, v3 offset:8
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32_e32 v2, v2, v4
    ds_write_b32 v3, v2
b12:
    s_waitcnt_depctr 0xffe3
    s_mov_b64 exec, s[0:1]
    v_cmp_gt_u32_e32 vcc, 1, v0
    s_and_saveexec_b64 s[0:1], vcc
b13:
    ds_read2_b32 v[4:5], v3 offset1:1
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32_e32 v2, v4, v5
    ds_write_b32 v3, v2
b14:
    s_waitcnt_depctr 0xffe3
    s_mov_b64 exec, s[0:1]
    v_cmp_eq_u32_e32 vcc, 0, v0
    s_and_saveexec_b64 s[0:1], vcc
    s_cbranch_execz b2
b15:
    v_mov_b32_e32 v0, 0
    ds_read_b32 v0, v0
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v0, v1, s[8:11], 0 offen
b16:
b2:
    s_endpgm
