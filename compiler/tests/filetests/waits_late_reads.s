; pass: waits
; GCN 1 reads a store's data after it was issued: the data waits before it is written again, the address does not. On the other side of
; a call nobody knows of it.

; wave64 gfx600
b0:
    buffer_store_dword v2, v0, s[0:3], 0 offen
    buffer_store_dwordx2 v[4:5], v0, s[0:3], 0 offen offset:4
    v_mov_b32_e32 v0, 0
    v_mov_b32_e32 v2, 0
    buffer_load_dword v5, v0, s[0:3], 0 offen
    buffer_store_dword v6, v0, s[0:3], 0 offen
    s_swappc_b64 s[4:5], s[6:7]
    v_mov_b32_e32 v6, 0
    s_endpgm
; ==> expected
; wave64 gfx600
b0:
    buffer_store_dword v2, v0, s[0:3], 0 offen
    buffer_store_dwordx2 v[4:5], v0, s[0:3], 0 offen offset:4
    v_mov_b32_e32 v0, 0
    s_waitcnt expcnt(1)
    v_mov_b32_e32 v2, 0
    s_waitcnt expcnt(0)
    buffer_load_dword v5, v0, s[0:3], 0 offen
    buffer_store_dword v6, v0, s[0:3], 0 offen
    s_waitcnt vmcnt(1) expcnt(0)
    s_swappc_b64 s[4:5], s[6:7]
    v_mov_b32_e32 v6, 0
    s_endpgm
