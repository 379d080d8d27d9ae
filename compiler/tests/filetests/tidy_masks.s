; pass: tidy
; The lanes of a condition only leave: no arm remains of the if. The saved mask is read later, so it is saved all the same.

; wave32
b0:
    v_cmp_gt_u32_e32 vcc_lo, 7, v0
    s_and_saveexec_b32 s1, vcc_lo
    s_cbranch_execz b2
b1:
b2:
    s_andn2_b32 exec_lo, s1, vcc_lo
    v_mov_b32_e32 v1, s1
    ds_write_b32 v1, v0
    s_endpgm
; ==> expected
; wave32
b0:
    v_cmp_gt_u32_e32 vcc_lo, 7, v0
    s_mov_b32 s1, exec_lo
b1:
b2:
    s_andn2_b32 exec_lo, exec_lo, vcc_lo
    v_mov_b32_e32 v1, s1
    ds_write_b32 v1, v0
    s_endpgm
