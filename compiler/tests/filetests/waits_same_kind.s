; pass: waits
; Loads of a kind come back in order, so that one may overwrite what another still brings, or the other half of it. An address
; that another brings is waited for all the same.

; wave32
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_load_dword v2, v1, s[0:3], 0 offen
    buffer_load_short_d16 v3, v0, s[0:3], 0 offen
    buffer_load_short_d16_hi v3, v0, s[0:3], 0 offen offset:2
    buffer_load_dword v2, v0, s[0:3], 0 offen
    v_mov_b32_e32 v4, v3
    s_endpgm
; ==> expected
; wave32
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    s_waitcnt vmcnt(0)
    buffer_load_dword v2, v1, s[0:3], 0 offen
    buffer_load_short_d16 v3, v0, s[0:3], 0 offen
    buffer_load_short_d16_hi v3, v0, s[0:3], 0 offen offset:2
    buffer_load_dword v2, v0, s[0:3], 0 offen
    s_waitcnt vmcnt(1)
    v_mov_b32_e32 v4, v3
    s_endpgm
