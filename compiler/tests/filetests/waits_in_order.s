; pass: waits
; Vector loads come back in order: each use waits until no more are out than were issued behind its own. LDS counts by itself.

; wave32
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_load_dword v2, v0, s[0:3], 0 offen offset:4
    buffer_load_dwordx2 v[3:4], v0, s[0:3], 0 offen offset:8
    ds_read_b32 v5, v0
    ds_read_b32 v6, v0 offset:4
    v_add_nc_u32_e32 v1, v1, v5
    v_add_nc_u32_e32 v2, v2, v6
    v_add_nc_u32_e32 v1, v1, v2
    v_add_nc_u32_e32 v1, v1, v4
    buffer_store_dword v1, v0, s[0:3], 0 offen
    s_endpgm
; ==> expected
; wave32
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_load_dword v2, v0, s[0:3], 0 offen offset:4
    buffer_load_dwordx2 v[3:4], v0, s[0:3], 0 offen offset:8
    ds_read_b32 v5, v0
    ds_read_b32 v6, v0 offset:4
    s_waitcnt vmcnt(2) lgkmcnt(1)
    v_add_nc_u32_e32 v1, v1, v5
    s_waitcnt vmcnt(1) lgkmcnt(0)
    v_add_nc_u32_e32 v2, v2, v6
    v_add_nc_u32_e32 v1, v1, v2
    s_waitcnt vmcnt(0)
    v_add_nc_u32_e32 v1, v1, v4
    buffer_store_dword v1, v0, s[0:3], 0 offen
    s_endpgm
