; pass: m0
; From GCN 5 on nothing is held against M0.

; wave64 gfx900
b0:
    v_mov_b32_e32 v1, 0
    ds_write_b32 v1, v0
    s_endpgm
; ==> expected
; wave64 gfx900
b0:
    v_mov_b32_e32 v1, 0
    ds_write_b32 v1, v0
    s_endpgm
