//! FLAT: vector memory at addresses of any aperture.

super::insts! { Flat from crate::insts::ds::NEXT;
    /// D = 8 bits of memory, zero-extended.
    FLAT_LOAD_UBYTE "flat_load_ubyte" (11:"flat_load_u8") 7:0x08 9:0x10 10:0x08 11:0x10 [U32] <- [Addr64 Unused] => mem(Flat, Load { bits: 8, signed: false, dwords: 1 }) Keep Flat;
    /// D = 8 bits of memory, sign-extended.
    FLAT_LOAD_SBYTE "flat_load_sbyte" (11:"flat_load_i8") 7:0x09 9:0x11 10:0x09 11:0x11 [I32] <- [Addr64 Unused] => mem(Flat, Load { bits: 8, signed: true, dwords: 1 }) Keep Flat;
    /// D = 16 bits of memory, zero-extended.
    FLAT_LOAD_USHORT "flat_load_ushort" (11:"flat_load_u16") 7:0x0a 9:0x12 10:0x0a 11:0x12 [U32] <- [Addr64 Unused] => mem(Flat, Load { bits: 16, signed: false, dwords: 1 }) Keep Flat;
    /// D = 16 bits of memory, sign-extended.
    FLAT_LOAD_SSHORT "flat_load_sshort" (11:"flat_load_i16") 7:0x0b 9:0x13 10:0x0b 11:0x13 [I32] <- [Addr64 Unused] => mem(Flat, Load { bits: 16, signed: true, dwords: 1 }) Keep Flat;
    /// D = 1 dword of memory.
    FLAT_LOAD_DWORD "flat_load_dword" (11:"flat_load_b32") 7:0x0c 9:0x14 10:0x0c 11:0x14 [B32] <- [Addr64 Unused] => mem(Flat, Load { bits: 32, signed: false, dwords: 1 }) Keep Flat;
    /// D = 2 dwords of memory.
    FLAT_LOAD_DWORDX2 "flat_load_dwordx2" (11:"flat_load_b64") 7:0x0d 9:0x15 10:0x0d 11:0x15 [B64] <- [Addr64 Unused] => mem(Flat, Load { bits: 32, signed: false, dwords: 2 }) Keep Flat;
    /// D = 4 dwords of memory.
    FLAT_LOAD_DWORDX4 "flat_load_dwordx4" (11:"flat_load_b128") 7:0x0e 9:0x17 10:0x0e 11:0x17 [B128] <- [Addr64 Unused] => mem(Flat, Load { bits: 32, signed: false, dwords: 4 }) Keep Flat;
    /// D = 3 dwords of memory.
    FLAT_LOAD_DWORDX3 "flat_load_dwordx3" (11:"flat_load_b96") 7:0x0f 9:0x16 10:0x0f 11:0x16 [B96] <- [Addr64 Unused] => mem(Flat, Load { bits: 32, signed: false, dwords: 3 }) Keep Flat;
    /// Memory = data[7:0].
    FLAT_STORE_BYTE "flat_store_byte" (11:"flat_store_b8") 7:0x18 [] <- [Addr64 Unused B32] => mem(Flat, Store { bits: 8, dwords: 1 }) Keep Flat;
    /// Memory = data[23:16].
    FLAT_STORE_BYTE_D16_HI "flat_store_byte_d16_hi" (11:"flat_store_d16_hi_b8") 9:0x19 11:0x24 [] <- [Addr64 Unused B32] => mem(Flat, StoreHi { bits: 8 }) Keep Flat;
    /// Memory = data[15:0].
    FLAT_STORE_SHORT "flat_store_short" (11:"flat_store_b16") 7:0x1a 11:0x19 [] <- [Addr64 Unused B32] => mem(Flat, Store { bits: 16, dwords: 1 }) Keep Flat;
    /// Memory = data[31:16].
    FLAT_STORE_SHORT_D16_HI "flat_store_short_d16_hi" (11:"flat_store_d16_hi_b16") 9:0x1b 11:0x25 [] <- [Addr64 Unused B32] => mem(Flat, StoreHi { bits: 16 }) Keep Flat;
    /// Memory = 1 dword of data.
    FLAT_STORE_DWORD "flat_store_dword" (11:"flat_store_b32") 7:0x1c 11:0x1a [] <- [Addr64 Unused B32] => mem(Flat, Store { bits: 32, dwords: 1 }) Keep Flat;
    /// Memory = 2 dwords of data.
    FLAT_STORE_DWORDX2 "flat_store_dwordx2" (11:"flat_store_b64") 7:0x1d 11:0x1b [] <- [Addr64 Unused B64] => mem(Flat, Store { bits: 32, dwords: 2 }) Keep Flat;
    /// Memory = 4 dwords of data.
    FLAT_STORE_DWORDX4 "flat_store_dwordx4" (11:"flat_store_b128") 7:0x1e 9:0x1f 10:0x1e 11:0x1d [] <- [Addr64 Unused B128] => mem(Flat, Store { bits: 32, dwords: 4 }) Keep Flat;
    /// Memory = 3 dwords of data.
    FLAT_STORE_DWORDX3 "flat_store_dwordx3" (11:"flat_store_b96") 7:0x1f 9:0x1e 10:0x1f 11:0x1c [] <- [Addr64 Unused B96] => mem(Flat, Store { bits: 32, dwords: 3 }) Keep Flat;
    /// D[15:0] = 8 bits of memory, zero-extended.
    FLAT_LOAD_UBYTE_D16 "flat_load_ubyte_d16" (11:"flat_load_d16_u8") 9:0x20 11:0x1e [U16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 8, signed: false, hi: false }) Keep Flat;
    /// D[31:16] = 8 bits of memory, zero-extended.
    FLAT_LOAD_UBYTE_D16_HI "flat_load_ubyte_d16_hi" (11:"flat_load_d16_hi_u8") 9:0x21 [U16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 8, signed: false, hi: true }) Keep Flat;
    /// D[15:0] = 8 bits of memory, sign-extended.
    FLAT_LOAD_SBYTE_D16 "flat_load_sbyte_d16" (11:"flat_load_d16_i8") 9:0x22 11:0x1f [I16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 8, signed: true, hi: false }) Keep Flat;
    /// D[31:16] = 8 bits of memory, sign-extended.
    FLAT_LOAD_SBYTE_D16_HI "flat_load_sbyte_d16_hi" (11:"flat_load_d16_hi_i8") 9:0x23 11:0x22 [I16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 8, signed: true, hi: true }) Keep Flat;
    /// D[15:0] = 16 bits of memory.
    FLAT_LOAD_SHORT_D16 "flat_load_short_d16" (11:"flat_load_d16_b16") 9:0x24 11:0x20 [U16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 16, signed: false, hi: false }) Keep Flat;
    /// D[31:16] = 16 bits of memory.
    FLAT_LOAD_SHORT_D16_HI "flat_load_short_d16_hi" (11:"flat_load_d16_hi_b16") 9:0x25 11:0x23 [U16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 16, signed: false, hi: true }) Keep Flat;
    /// m = data; if it returns, D = m before.
    FLAT_ATOMIC_SWAP "flat_atomic_swap" (11:"flat_atomic_swap_b32") 7:0x30 9:0x40 10:0x30 11:0x33 [B32] <- [Addr64 Unused B32] => atomic(Flat, Swap, 1) Keep Flat;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    FLAT_ATOMIC_CMPSWAP "flat_atomic_cmpswap" (11:"flat_atomic_cmpswap_b32") 7:0x31 9:0x41 10:0x31 11:0x34 [B32] <- [Addr64 Unused B64] => atomic(Flat, CmpSwap, 1) Keep Flat;
    /// m = m + data; if it returns, D = m before.
    FLAT_ATOMIC_ADD "flat_atomic_add" (11:"flat_atomic_add_u32") 7:0x32 9:0x42 10:0x32 11:0x35 [B32] <- [Addr64 Unused B32] => atomic(Flat, Add, 1) Keep Flat;
    /// m = m − data; if it returns, D = m before.
    FLAT_ATOMIC_SUB "flat_atomic_sub" (11:"flat_atomic_sub_u32") 7:0x33 9:0x43 10:0x33 11:0x36 [B32] <- [Addr64 Unused B32] => atomic(Flat, Sub, 1) Keep Flat;
    /// m = min(m, data), signed; if it returns, D = m before.
    FLAT_ATOMIC_SMIN "flat_atomic_smin" (11:"flat_atomic_min_i32") 7:0x35 9:0x44 10:0x35 11:0x38 [B32] <- [Addr64 Unused B32] => atomic(Flat, SMin, 1) Keep Flat;
    /// m = min(m, data), unsigned; if it returns, D = m before.
    FLAT_ATOMIC_UMIN "flat_atomic_umin" (11:"flat_atomic_min_u32") 7:0x36 9:0x45 10:0x36 11:0x39 [B32] <- [Addr64 Unused B32] => atomic(Flat, UMin, 1) Keep Flat;
    /// m = max(m, data), signed; if it returns, D = m before.
    FLAT_ATOMIC_SMAX "flat_atomic_smax" (11:"flat_atomic_max_i32") 7:0x37 9:0x46 10:0x37 11:0x3a [B32] <- [Addr64 Unused B32] => atomic(Flat, SMax, 1) Keep Flat;
    /// m = max(m, data), unsigned; if it returns, D = m before.
    FLAT_ATOMIC_UMAX "flat_atomic_umax" (11:"flat_atomic_max_u32") 7:0x38 9:0x47 10:0x38 11:0x3b [B32] <- [Addr64 Unused B32] => atomic(Flat, UMax, 1) Keep Flat;
    /// m = m & data; if it returns, D = m before.
    FLAT_ATOMIC_AND "flat_atomic_and" (11:"flat_atomic_and_b32") 7:0x39 9:0x48 10:0x39 11:0x3c [B32] <- [Addr64 Unused B32] => atomic(Flat, And, 1) Keep Flat;
    /// m = m | data; if it returns, D = m before.
    FLAT_ATOMIC_OR "flat_atomic_or" (11:"flat_atomic_or_b32") 7:0x3a 9:0x49 10:0x3a 11:0x3d [B32] <- [Addr64 Unused B32] => atomic(Flat, Or, 1) Keep Flat;
    /// m = m ^ data; if it returns, D = m before.
    FLAT_ATOMIC_XOR "flat_atomic_xor" (11:"flat_atomic_xor_b32") 7:0x3b 9:0x4a 10:0x3b 11:0x3e [B32] <- [Addr64 Unused B32] => atomic(Flat, Xor, 1) Keep Flat;
    /// m = m ≥ data ? 0 : m + 1; if it returns, D = m before.
    FLAT_ATOMIC_INC "flat_atomic_inc" (11:"flat_atomic_inc_u32") 7:0x3c 9:0x4b 10:0x3c 11:0x3f [B32] <- [Addr64 Unused B32] => atomic(Flat, Inc, 1) Keep Flat;
    /// m = m = 0 or m > data ? data : m − 1; if it returns, D = m before.
    FLAT_ATOMIC_DEC "flat_atomic_dec" (11:"flat_atomic_dec_u32") 7:0x3d 9:0x4c 10:0x3d 11:0x40 [B32] <- [Addr64 Unused B32] => atomic(Flat, Dec, 1) Keep Flat;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    FLAT_ATOMIC_FCMPSWAP "flat_atomic_fcmpswap" (11:"flat_atomic_cmpswap_f32") 7:0x3e 9:- 10:0x3e 11:0x50 12:- [B32] <- [Addr64 Unused B64] => atomic(Flat, FCmpSwap, 1) Keep Flat;
    /// m = min(m, data); if it returns, D = m before.
    FLAT_ATOMIC_FMIN "flat_atomic_fmin" (11:"flat_atomic_min_f32" 12:"flat_atomic_min_num_f32") 7:0x3f 9:- 10:0x3f 11:0x51 [B32] <- [Addr64 Unused B32] => atomic(Flat, FMin, 1) Keep Flat;
    /// m = max(m, data); if it returns, D = m before.
    FLAT_ATOMIC_FMAX "flat_atomic_fmax" (11:"flat_atomic_max_f32" 12:"flat_atomic_max_num_f32") 7:0x40 9:- 10:0x40 11:0x52 [B32] <- [Addr64 Unused B32] => atomic(Flat, FMax, 1) Keep Flat;
    /// m = data; if it returns, D = m before.
    FLAT_ATOMIC_SWAP_X2 "flat_atomic_swap_x2" (11:"flat_atomic_swap_b64") 7:0x50 9:0x60 10:0x50 11:0x41 [B64] <- [Addr64 Unused B64] => atomic(Flat, Swap, 2) Keep Flat;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    FLAT_ATOMIC_CMPSWAP_X2 "flat_atomic_cmpswap_x2" (11:"flat_atomic_cmpswap_b64") 7:0x51 9:0x61 10:0x51 11:0x42 [B64] <- [Addr64 Unused B128] => atomic(Flat, CmpSwap, 2) Keep Flat;
    /// m = m + data; if it returns, D = m before.
    FLAT_ATOMIC_ADD_X2 "flat_atomic_add_x2" (11:"flat_atomic_add_u64") 7:0x52 9:0x62 10:0x52 11:0x43 [B64] <- [Addr64 Unused B64] => atomic(Flat, Add, 2) Keep Flat;
    /// m = m − data; if it returns, D = m before.
    FLAT_ATOMIC_SUB_X2 "flat_atomic_sub_x2" (11:"flat_atomic_sub_u64") 7:0x53 9:0x63 10:0x53 11:0x44 [B64] <- [Addr64 Unused B64] => atomic(Flat, Sub, 2) Keep Flat;
    /// m = min(m, data), signed; if it returns, D = m before.
    FLAT_ATOMIC_SMIN_X2 "flat_atomic_smin_x2" (11:"flat_atomic_min_i64") 7:0x55 9:0x64 10:0x55 11:0x45 [B64] <- [Addr64 Unused B64] => atomic(Flat, SMin, 2) Keep Flat;
    /// m = min(m, data), unsigned; if it returns, D = m before.
    FLAT_ATOMIC_UMIN_X2 "flat_atomic_umin_x2" (11:"flat_atomic_min_u64") 7:0x56 9:0x65 10:0x56 11:0x46 [B64] <- [Addr64 Unused B64] => atomic(Flat, UMin, 2) Keep Flat;
    /// m = max(m, data), signed; if it returns, D = m before.
    FLAT_ATOMIC_SMAX_X2 "flat_atomic_smax_x2" (11:"flat_atomic_max_i64") 7:0x57 9:0x66 10:0x57 11:0x47 [B64] <- [Addr64 Unused B64] => atomic(Flat, SMax, 2) Keep Flat;
    /// m = max(m, data), unsigned; if it returns, D = m before.
    FLAT_ATOMIC_UMAX_X2 "flat_atomic_umax_x2" (11:"flat_atomic_max_u64") 7:0x58 9:0x67 10:0x58 11:0x48 [B64] <- [Addr64 Unused B64] => atomic(Flat, UMax, 2) Keep Flat;
    /// m = m & data; if it returns, D = m before.
    FLAT_ATOMIC_AND_X2 "flat_atomic_and_x2" (11:"flat_atomic_and_b64") 7:0x59 9:0x68 10:0x59 11:0x49 [B64] <- [Addr64 Unused B64] => atomic(Flat, And, 2) Keep Flat;
    /// m = m | data; if it returns, D = m before.
    FLAT_ATOMIC_OR_X2 "flat_atomic_or_x2" (11:"flat_atomic_or_b64") 7:0x5a 9:0x69 10:0x5a 11:0x4a [B64] <- [Addr64 Unused B64] => atomic(Flat, Or, 2) Keep Flat;
    /// m = m ^ data; if it returns, D = m before.
    FLAT_ATOMIC_XOR_X2 "flat_atomic_xor_x2" (11:"flat_atomic_xor_b64") 7:0x5b 9:0x6a 10:0x5b 11:0x4b [B64] <- [Addr64 Unused B64] => atomic(Flat, Xor, 2) Keep Flat;
    /// m = m ≥ data ? 0 : m + 1; if it returns, D = m before.
    FLAT_ATOMIC_INC_X2 "flat_atomic_inc_x2" (11:"flat_atomic_inc_u64") 7:0x5c 9:0x6b 10:0x5c 11:0x4c [B64] <- [Addr64 Unused B64] => atomic(Flat, Inc, 2) Keep Flat;
    /// m = m = 0 or m > data ? data : m − 1; if it returns, D = m before.
    FLAT_ATOMIC_DEC_X2 "flat_atomic_dec_x2" (11:"flat_atomic_dec_u64") 7:0x5d 9:0x6c 10:0x5d 11:0x4d [B64] <- [Addr64 Unused B64] => atomic(Flat, Dec, 2) Keep Flat;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    FLAT_ATOMIC_FCMPSWAP_X2 "flat_atomic_fcmpswap_x2" 7:0x5e 9:- 10:0x5e 11:- [B64] <- [Addr64 Unused B128] => atomic(Flat, FCmpSwap, 2) Keep Flat;
    /// m = min(m, data); if it returns, D = m before.
    FLAT_ATOMIC_FMIN_X2 "flat_atomic_fmin_x2" 7:0x5f 9:- 10:0x5f 11:- [B64] <- [Addr64 Unused B64] => atomic(Flat, FMin, 2) Keep Flat;
    /// m = max(m, data); if it returns, D = m before.
    FLAT_ATOMIC_FMAX_X2 "flat_atomic_fmax_x2" 7:0x60 9:- 10:0x60 11:- [B64] <- [Addr64 Unused B64] => atomic(Flat, FMax, 2) Keep Flat;
    /// m = m + data; if it returns, D = m before.
    FLAT_ATOMIC_ADD_F32 "flat_atomic_add_f32" 11:0x56 [B32] <- [Addr64 Unused B32] => atomic(Flat, FAdd, 1) Keep Flat;
    /// m = m ≥ data ? m − data : 0; if it returns, D = m before.
    FLAT_ATOMIC_SUB_CLAMP_U32 "flat_atomic_sub_clamp_u32" 12:0x37 [B32] <- [Addr64 Unused B32] => atomic(Flat, SubClamp, 1) Keep Flat;
    /// m = m ≥ data ? m − data : m; if it returns, D = m before.
    FLAT_ATOMIC_COND_SUB_U32 "flat_atomic_cond_sub_u32" 12:0x50 [B32] <- [Addr64 Unused B32] => atomic(Flat, CondSub, 1) Keep Flat;
    /// m = m + data, two f16; if it returns, D = m before.
    FLAT_ATOMIC_PK_ADD_F16 "flat_atomic_pk_add_f16" 12:0x59 [B32] <- [Addr64 Unused B32] => atomic(Flat, PkAddF16, 1) Keep Flat;
    /// m = m + data, two bf16; if it returns, D = m before.
    FLAT_ATOMIC_PK_ADD_BF16 "flat_atomic_pk_add_bf16" 12:0x5a [B32] <- [Addr64 Unused B32] => atomic(Flat, PkAddBf16, 1) Keep Flat;
}
