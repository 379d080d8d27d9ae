; pass: waits
; Scalar loads come back in any order, so whoever needs one waits for all, LDS included. Overwriting a result that is on its way
; waits too.

; wave64
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dword s8, s[2:3], null
    ds_read_b32 v1, v0
    s_add_u32 s9, s8, 1
    ds_read_b32 v2, v0 offset:4
    v_mov_b32_e32 v3, v1
    s_load_dword s10, s[2:3], 0x4
    v_mov_b32_e32 v2, 0
    s_endpgm
; ==> expected
; wave64
b0:
    s_load_dwordx4 s[4:7], s[0:1], null
    s_load_dword s8, s[2:3], null
    ds_read_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    s_add_u32 s9, s8, 1
    ds_read_b32 v2, v0 offset:4
    v_mov_b32_e32 v3, v1
    s_load_dword s10, s[2:3], 0x4
    s_waitcnt lgkmcnt(0)
    v_mov_b32_e32 v2, 0
    s_endpgm
