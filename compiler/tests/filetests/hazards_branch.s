; pass: hazards
; LDS and then vector memory with a branch between.

; wave32
b0:
    ds_write_b32 v0, v1
    s_cbranch_vccz b2
b1:
    buffer_load_dword v1, v0, s[0:3], 0 offen
b2:
    s_endpgm
; ==> expected
; wave32
b0:
    ds_write_b32 v0, v1
    s_cbranch_vccz b2
b1:
    s_waitcnt_vscnt null, 0x0
    buffer_load_dword v1, v0, s[0:3], 0 offen
b2:
    s_endpgm
