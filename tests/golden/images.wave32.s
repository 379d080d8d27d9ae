; 21 instructions; waits: 1 vmcnt, 1 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; ACO of Mesa 22.3.6: 23 instructions; waits: 1 vmcnt, 1 lgkmcnt, 0 vscnt; 0 branches, 0 writes of EXEC
; wave32
b0:
    s_load_dwordx8 s[4:11], s[0:1], null
    s_load_dwordx4 s[12:15], s[0:1], 0x20
    s_load_dwordx8 s[16:23], s[0:1], 0x30
b1:
    s_lshl_b32 s0, s2, 3
    v_add_nc_u32_e32 v0, s0, v0
    s_lshl_b32 s0, s3, 3
    v_add_nc_u32_e32 v1, s0, v1
    s_waitcnt lgkmcnt(0)
    image_load v[2:5], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm
    v_cvt_f32_u32_e32 v6, v0
    v_cvt_f32_u32_e32 v7, v1
    v_mul_f32_e32 v6, 0x3c800000, v6
    v_mul_f32_e32 v7, 0x3c800000, v7
    image_sample_lz v6, v[6:7], s[4:11], s[12:15] dmask:0x8 dim:SQ_RSRC_IMG_2D
    s_waitcnt vmcnt(0)
    v_mul_f32_e32 v2, v2, v6
    v_mul_f32_e32 v3, v3, v6
    v_mul_f32_e32 v4, v4, v6
    v_mul_f32_e32 v5, v5, v6
    image_store v[2:5], v[0:1], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D unorm
b2:
    s_endpgm
