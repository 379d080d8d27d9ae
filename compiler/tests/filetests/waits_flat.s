; pass: waits
; From RDNA 1 on FLAT is done in the order of its issue, on each of its two counters among the others that count there.

; wave32
b0:
    buffer_load_dword v6, v0, s[0:3], 0 offen
    buffer_load_dword v7, v0, s[0:3], 0 offen offset:4
    flat_load_dword v2, v[4:5]
    ds_read_b32 v8, v0
    flat_load_dword v3, v[4:5]
    v_add_nc_u32_e32 v6, v6, v0
    v_add_nc_u32_e32 v8, v8, v0
    v_add_nc_u32_e32 v2, v2, v6
    v_add_nc_u32_e32 v3, v3, v2
    flat_store_dword v[4:5], v3
    s_endpgm
; ==> expected
; wave32
b0:
    buffer_load_dword v6, v0, s[0:3], 0 offen
    buffer_load_dword v7, v0, s[0:3], 0 offen offset:4
    flat_load_dword v2, v[4:5]
    ds_read_b32 v8, v0
    flat_load_dword v3, v[4:5]
    s_waitcnt vmcnt(3)
    v_add_nc_u32_e32 v6, v6, v0
    s_waitcnt lgkmcnt(1)
    v_add_nc_u32_e32 v8, v8, v0
    s_waitcnt vmcnt(1)
    v_add_nc_u32_e32 v2, v2, v6
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_nc_u32_e32 v3, v3, v2
    flat_store_dword v[4:5], v3
    s_endpgm
