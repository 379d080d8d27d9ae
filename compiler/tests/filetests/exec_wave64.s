; pass: exec
; Across blocks, and in both dwords. What branches read, EXEC or SCC, stays, and what a barrier has.

; wave64
b0:
    s_and_saveexec_b64 s[2:3], vcc
    s_cbranch_execz b2
b1:
    v_mov_b32_e32 v1, 1
    s_xor_b64 exec, exec, s[2:3]
b2:
    s_andn2_b64 exec, exec, s[4:5]
    s_cbranch_scc0 b4
b3:
    s_and_b64 exec, exec, s[4:5]
    s_mov_b64 exec, s[2:3]
    s_barrier
    s_mov_b64 exec, s[4:5]
b4:
    s_mov_b64 exec, s[2:3]
    v_mov_b32_e32 v1, 1
    ds_write_b32 v1, v0
    s_endpgm
; ==> expected
; wave64
b0:
    s_and_saveexec_b64 s[2:3], vcc
    s_cbranch_execz b2
b1:
    v_mov_b32_e32 v1, 1
    s_xor_b64 exec, exec, s[2:3]
b2:
    s_andn2_b64 exec, exec, s[4:5]
    s_cbranch_scc0 b4
b3:
    s_mov_b64 exec, s[2:3]
    s_barrier
b4:
    s_mov_b64 exec, s[2:3]
    v_mov_b32_e32 v1, 1
    ds_write_b32 v1, v0
    s_endpgm
