; pass: exec
; A loop's branch on EXEC sees what is written in the loop, and the function that is called what is written before it.

; wave32
b0:
    s_mov_b32 exec_lo, s1
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc0 b0
b1:
    s_or_b32 exec_lo, exec_lo, s2
    s_cbranch_execnz b0
b2:
    s_mov_b32 exec_lo, s1
    s_swappc_b64 s[4:5], s[6:7]
    s_mov_b32 exec_lo, s1
    s_endpgm
; ==> expected
; wave32
b0:
    s_mov_b32 exec_lo, s1
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc0 b0
b1:
    s_or_b32 exec_lo, exec_lo, s2
    s_cbranch_execnz b0
b2:
    s_mov_b32 exec_lo, s1
    s_swappc_b64 s[4:5], s[6:7]
    s_endpgm
