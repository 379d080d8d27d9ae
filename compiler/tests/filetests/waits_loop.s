; pass: waits
; What is loaded in one round is used in the next: the younger of what comes round and what comes in decides.

; wave32
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_load_dword v2, v0, s[0:3], 0 offen offset:4
b1:
    v_add_nc_u32_e32 v3, v1, v1
    buffer_load_dword v1, v3, s[0:3], 0 offen
    v_cmp_lt_u32_e32 vcc_lo, v3, v0
    s_cbranch_vccnz b1
b2:
    v_add_nc_u32_e32 v2, v2, v3
    buffer_store_dword v2, v0, s[0:3], 0 offen
    s_endpgm
; ==> expected
; wave32
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_load_dword v2, v0, s[0:3], 0 offen offset:4
b1:
    s_waitcnt vmcnt(0)
    v_add_nc_u32_e32 v3, v1, v1
    buffer_load_dword v1, v3, s[0:3], 0 offen
    v_cmp_lt_u32_e32 vcc_lo, v3, v0
    s_cbranch_vccnz b1
b2:
    v_add_nc_u32_e32 v2, v2, v3
    buffer_store_dword v2, v0, s[0:3], 0 offen
    s_endpgm
