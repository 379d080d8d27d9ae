; pass: waits
; One arm loads, the other does not: behind both the wait stands once, and nothing waits in the arm that has loaded nothing.

; wave32
b0:
    v_mov_b32_e32 v1, 0
    s_and_saveexec_b32 s4, vcc_lo
    s_cbranch_execz b2
b1:
    buffer_load_dword v1, v0, s[0:3], 0 offen
b2:
    s_andn2_b32 exec_lo, s4, exec_lo
    s_cbranch_execz b4
b3:
    v_add_nc_u32_e32 v2, v0, v0
    ds_write_b32 v2, v0
b4:
    s_mov_b32 exec_lo, s4
    ds_write_b32 v0, v1
    s_endpgm
; ==> expected
; wave32
b0:
    v_mov_b32_e32 v1, 0
    s_and_saveexec_b32 s4, vcc_lo
    s_cbranch_execz b2
b1:
    buffer_load_dword v1, v0, s[0:3], 0 offen
b2:
    s_andn2_b32 exec_lo, s4, exec_lo
    s_cbranch_execz b4
b3:
    v_add_nc_u32_e32 v2, v0, v0
    ds_write_b32 v2, v0
b4:
    s_mov_b32 exec_lo, s4
    s_waitcnt vmcnt(0)
    ds_write_b32 v0, v1
    s_endpgm
