; pass: tidy
; Branches to branches go where those go; a branch over a jump becomes the jump, inverted; a branch to the end is the end; what
; nobody reaches goes, and so do register writes that nothing follows.

; wave32
b0:
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc1 b2
b1:
    s_branch b4
b2:
    v_mov_b32_e32 v1, 0
    ds_write_b32 v1, v0
    s_branch b3
b3:
    s_branch b5
b4:
    v_mov_b32_e32 v1, 4
    ds_write_b32 v1, v0
    s_branch b7
b5:
    s_cbranch_vccz b6
b6:
    v_mov_b32_e32 v9, 1
    s_mov_b32 s9, 1
    s_branch b7
b7:
    s_endpgm
b8:
    v_mov_b32_e32 v8, 0
    s_branch b0
; ==> expected
; wave32
b0:
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc0 b4
b1:
b2:
    v_mov_b32_e32 v1, 0
    ds_write_b32 v1, v0
b3:
    s_endpgm
b4:
    v_mov_b32_e32 v1, 4
    ds_write_b32 v1, v0
    s_endpgm
