; pass: hazards
; A scalar write of a register that vector memory still reads: in one arm, behind both, and behind a store's waits.

; wave32
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    s_cbranch_execz b2
b1:
    s_mov_b32 s0, 0
b2:
    s_mov_b32 s1, 0
    buffer_store_dword v0, v0, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    s_waitcnt_vscnt null, 0x0
    s_mov_b32 s4, 0
    s_endpgm
; ==> expected
; wave32
b0:
    buffer_load_dword v1, v0, s[0:3], 0 offen
    s_cbranch_execz b2
b1:
    s_waitcnt_depctr 0xffe3
    s_mov_b32 s0, 0
b2:
    s_waitcnt_depctr 0xffe3
    s_mov_b32 s1, 0
    buffer_store_dword v0, v0, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    s_waitcnt_vscnt null, 0x0
    s_waitcnt_depctr 0xffe3
    s_mov_b32 s4, 0
    s_endpgm
