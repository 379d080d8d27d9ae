; pass: m0
; M0 is all ones in front of LDS: once from the start, and anew where a trace or a call has written it, on every path.

; wave64 gfx701
b0:
    v_mov_b32_e32 v1, 0
    ds_write_b32 v1, v0
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc0 b2
b1:
    s_mov_b32 m0, s5
    s_ttracedata
b2:
    ds_read_b32 v2, v1
    ds_read_b32 v3, v1 offset:4
    s_swappc_b64 s[4:5], s[6:7]
    ds_read_b32 v2, v1
    s_endpgm
; ==> expected
; wave64 gfx701
b0:
    s_mov_b32 m0, -1
    v_mov_b32_e32 v1, 0
    ds_write_b32 v1, v0
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc0 b2
b1:
    s_mov_b32 m0, s5
    s_ttracedata
b2:
    s_mov_b32 m0, -1
    ds_read_b32 v2, v1
    ds_read_b32 v3, v1 offset:4
    s_swappc_b64 s[4:5], s[6:7]
    s_mov_b32 m0, -1
    ds_read_b32 v2, v1
    s_endpgm
