; pass: waits
; The waits that a barrier asks for stand only for what is out: the first is for the LDS, the second for nothing, the third for
; stores and loads.

; wave32
b0:
    ds_write_b32 v0, v1
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_waitcnt_vscnt null, 0x0
    s_barrier
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_waitcnt_vscnt null, 0x0
    s_barrier
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_store_dword v0, v0, s[0:3], 0 offen
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_waitcnt_vscnt null, 0x0
    s_barrier
    s_endpgm
; ==> expected
; wave32
b0:
    ds_write_b32 v0, v1
    s_waitcnt lgkmcnt(0)
    s_barrier
    s_barrier
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_store_dword v0, v0, s[0:3], 0 offen
    s_waitcnt vmcnt(0)
    s_waitcnt_vscnt null, 0x0
    s_barrier
    s_endpgm
