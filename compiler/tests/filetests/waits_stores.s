; pass: waits
; Until RDNA 1 a store counts as a load does, in one order: what was loaded before it is waited for with one more outstanding. The
; call waits for what was loaded, and not for stores behind it.

; wave64 gfx900
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_store_dword v2, v0, s[0:3], 0 offen
    v_mov_b32_e32 v3, v1
    buffer_load_dword v4, v0, s[0:3], 0 offen
    buffer_store_dword v2, v0, s[0:3], 0 offen offset:4
    s_swappc_b64 s[4:5], s[6:7]
    buffer_store_dword v2, v0, s[0:3], 0 offen
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_barrier
    s_endpgm
; ==> expected
; wave64 gfx900
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_store_dword v2, v0, s[0:3], 0 offen
    s_waitcnt vmcnt(1)
    v_mov_b32_e32 v3, v1
    buffer_load_dword v4, v0, s[0:3], 0 offen
    buffer_store_dword v2, v0, s[0:3], 0 offen offset:4
    s_waitcnt vmcnt(1)
    s_swappc_b64 s[4:5], s[6:7]
    buffer_store_dword v2, v0, s[0:3], 0 offen
    s_waitcnt vmcnt(0)
    s_barrier
    s_endpgm
