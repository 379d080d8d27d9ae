; pass: exec
; Lanes that do nothing before EXEC is written again: of an arm without instructions nothing is left, nor of what only it reads;
; a save that narrows for nobody is a move.

; wave32
b0:
    v_cmp_gt_u32_e32 vcc_lo, 7, v0
    s_and_saveexec_b32 s1, vcc_lo
    v_mov_b32_e32 v1, 1
    s_xor_b32 exec_lo, exec_lo, s1
    s_mov_b32 exec_lo, s1
    ds_write_b32 v1, v0
    s_and_saveexec_b32 s1, vcc_lo
    s_andn2_b32 exec_lo, s1, vcc_lo
    ds_write_b32 v1, v0
    s_endpgm
; ==> expected
; wave32
b0:
    v_cmp_gt_u32_e32 vcc_lo, 7, v0
    s_and_saveexec_b32 s1, vcc_lo
    v_mov_b32_e32 v1, 1
    s_mov_b32 exec_lo, s1
    ds_write_b32 v1, v0
    s_mov_b32 s1, exec_lo
    s_andn2_b32 exec_lo, s1, vcc_lo
    ds_write_b32 v1, v0
    s_endpgm
