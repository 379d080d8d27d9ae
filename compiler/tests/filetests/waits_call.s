; pass: waits
; All results are there before the call and the return; stores may be out behind the call and where a function begins, so
; that the barriers wait for them.

; wave32 called
b0:
    s_waitcnt_vscnt null, 0x0
    buffer_load_dword v1, v0, s[0:3], 0 offen
    s_load_dword s4, s[6:7], 0x0
    s_getpc_b64 s[10:11]
    s_add_u32 s10, s10, 0 ; function 3
    s_addc_u32 s11, s11, 0
    s_swappc_b64 s[8:9], s[10:11]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_waitcnt_vscnt null, 0x0
    ds_read_b32 v2, v0
    s_setpc_b64 s[14:15]
; ==> expected
; wave32 called
b0:
    s_waitcnt_vscnt null, 0x0
    buffer_load_dword v1, v0, s[0:3], 0 offen
    s_load_dword s4, s[6:7], null
    s_getpc_b64 s[10:11]
    s_add_u32 s10, s10, 0 ; function 3
    s_addc_u32 s11, s11, 0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_swappc_b64 s[8:9], s[10:11]
    s_waitcnt_vscnt null, 0x0
    ds_read_b32 v2, v0
    s_waitcnt lgkmcnt(0)
    s_setpc_b64 s[14:15]
