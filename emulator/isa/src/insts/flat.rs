//! FLAT: vector memory at addresses of any aperture.

super::insts! { Flat from crate::insts::ds::NEXT;
    /// D = 8 bits of memory, zero-extended.
    FLAT_LOAD_UBYTE "flat_load_ubyte" 0x08 [U32] <- [Addr64 Unused] => mem(Flat, Load { bits: 8, signed: false, dwords: 1 }) Keep Flat;
    /// D = 8 bits of memory, sign-extended.
    FLAT_LOAD_SBYTE "flat_load_sbyte" 0x09 [I32] <- [Addr64 Unused] => mem(Flat, Load { bits: 8, signed: true, dwords: 1 }) Keep Flat;
    /// D = 16 bits of memory, zero-extended.
    FLAT_LOAD_USHORT "flat_load_ushort" 0x0a [U32] <- [Addr64 Unused] => mem(Flat, Load { bits: 16, signed: false, dwords: 1 }) Keep Flat;
    /// D = 16 bits of memory, sign-extended.
    FLAT_LOAD_SSHORT "flat_load_sshort" 0x0b [I32] <- [Addr64 Unused] => mem(Flat, Load { bits: 16, signed: true, dwords: 1 }) Keep Flat;
    /// D = 1 dword of memory.
    FLAT_LOAD_DWORD "flat_load_dword" 0x0c [B32] <- [Addr64 Unused] => mem(Flat, Load { bits: 32, signed: false, dwords: 1 }) Keep Flat;
    /// D = 2 dwords of memory.
    FLAT_LOAD_DWORDX2 "flat_load_dwordx2" 0x0d [B64] <- [Addr64 Unused] => mem(Flat, Load { bits: 32, signed: false, dwords: 2 }) Keep Flat;
    /// D = 4 dwords of memory.
    FLAT_LOAD_DWORDX4 "flat_load_dwordx4" 0x0e [B128] <- [Addr64 Unused] => mem(Flat, Load { bits: 32, signed: false, dwords: 4 }) Keep Flat;
    /// D = 3 dwords of memory.
    FLAT_LOAD_DWORDX3 "flat_load_dwordx3" 0x0f [B96] <- [Addr64 Unused] => mem(Flat, Load { bits: 32, signed: false, dwords: 3 }) Keep Flat;
    /// Memory = data[7:0].
    FLAT_STORE_BYTE "flat_store_byte" 0x18 [] <- [Addr64 Unused B32] => mem(Flat, Store { bits: 8, dwords: 1 }) Keep Flat;
    /// Memory = data[23:16].
    FLAT_STORE_BYTE_D16_HI "flat_store_byte_d16_hi" 0x19 [] <- [Addr64 Unused B32] => mem(Flat, StoreHi { bits: 8 }) Keep Flat;
    /// Memory = data[15:0].
    FLAT_STORE_SHORT "flat_store_short" 0x1a [] <- [Addr64 Unused B32] => mem(Flat, Store { bits: 16, dwords: 1 }) Keep Flat;
    /// Memory = data[31:16].
    FLAT_STORE_SHORT_D16_HI "flat_store_short_d16_hi" 0x1b [] <- [Addr64 Unused B32] => mem(Flat, StoreHi { bits: 16 }) Keep Flat;
    /// Memory = 1 dword of data.
    FLAT_STORE_DWORD "flat_store_dword" 0x1c [] <- [Addr64 Unused B32] => mem(Flat, Store { bits: 32, dwords: 1 }) Keep Flat;
    /// Memory = 2 dwords of data.
    FLAT_STORE_DWORDX2 "flat_store_dwordx2" 0x1d [] <- [Addr64 Unused B64] => mem(Flat, Store { bits: 32, dwords: 2 }) Keep Flat;
    /// Memory = 4 dwords of data.
    FLAT_STORE_DWORDX4 "flat_store_dwordx4" 0x1e [] <- [Addr64 Unused B128] => mem(Flat, Store { bits: 32, dwords: 4 }) Keep Flat;
    /// Memory = 3 dwords of data.
    FLAT_STORE_DWORDX3 "flat_store_dwordx3" 0x1f [] <- [Addr64 Unused B96] => mem(Flat, Store { bits: 32, dwords: 3 }) Keep Flat;
    /// D[15:0] = 8 bits of memory, zero-extended.
    FLAT_LOAD_UBYTE_D16 "flat_load_ubyte_d16" 0x20 [U16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 8, signed: false, hi: false }) Keep Flat;
    /// D[31:16] = 8 bits of memory, zero-extended.
    FLAT_LOAD_UBYTE_D16_HI "flat_load_ubyte_d16_hi" 0x21 [U16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 8, signed: false, hi: true }) Keep Flat;
    /// D[15:0] = 8 bits of memory, sign-extended.
    FLAT_LOAD_SBYTE_D16 "flat_load_sbyte_d16" 0x22 [I16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 8, signed: true, hi: false }) Keep Flat;
    /// D[31:16] = 8 bits of memory, sign-extended.
    FLAT_LOAD_SBYTE_D16_HI "flat_load_sbyte_d16_hi" 0x23 [I16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 8, signed: true, hi: true }) Keep Flat;
    /// D[15:0] = 16 bits of memory.
    FLAT_LOAD_SHORT_D16 "flat_load_short_d16" 0x24 [U16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 16, signed: false, hi: false }) Keep Flat;
    /// D[31:16] = 16 bits of memory.
    FLAT_LOAD_SHORT_D16_HI "flat_load_short_d16_hi" 0x25 [U16] <- [Addr64 Unused Old] => mem(Flat, LoadD16 { bits: 16, signed: false, hi: true }) Keep Flat;
    /// m = data; with GLC, D = m before.
    FLAT_ATOMIC_SWAP "flat_atomic_swap" 0x30 [B32] <- [Addr64 Unused B32] => atomic(Flat, Swap, 1) Keep Flat;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    FLAT_ATOMIC_CMPSWAP "flat_atomic_cmpswap" 0x31 [B32] <- [Addr64 Unused B64] => atomic(Flat, CmpSwap, 1) Keep Flat;
    /// m = m + data; with GLC, D = m before.
    FLAT_ATOMIC_ADD "flat_atomic_add" 0x32 [B32] <- [Addr64 Unused B32] => atomic(Flat, Add, 1) Keep Flat;
    /// m = m − data; with GLC, D = m before.
    FLAT_ATOMIC_SUB "flat_atomic_sub" 0x33 [B32] <- [Addr64 Unused B32] => atomic(Flat, Sub, 1) Keep Flat;
    /// m = min(m, data), signed; with GLC, D = m before.
    FLAT_ATOMIC_SMIN "flat_atomic_smin" 0x35 [B32] <- [Addr64 Unused B32] => atomic(Flat, SMin, 1) Keep Flat;
    /// m = min(m, data), unsigned; with GLC, D = m before.
    FLAT_ATOMIC_UMIN "flat_atomic_umin" 0x36 [B32] <- [Addr64 Unused B32] => atomic(Flat, UMin, 1) Keep Flat;
    /// m = max(m, data), signed; with GLC, D = m before.
    FLAT_ATOMIC_SMAX "flat_atomic_smax" 0x37 [B32] <- [Addr64 Unused B32] => atomic(Flat, SMax, 1) Keep Flat;
    /// m = max(m, data), unsigned; with GLC, D = m before.
    FLAT_ATOMIC_UMAX "flat_atomic_umax" 0x38 [B32] <- [Addr64 Unused B32] => atomic(Flat, UMax, 1) Keep Flat;
    /// m = m & data; with GLC, D = m before.
    FLAT_ATOMIC_AND "flat_atomic_and" 0x39 [B32] <- [Addr64 Unused B32] => atomic(Flat, And, 1) Keep Flat;
    /// m = m | data; with GLC, D = m before.
    FLAT_ATOMIC_OR "flat_atomic_or" 0x3a [B32] <- [Addr64 Unused B32] => atomic(Flat, Or, 1) Keep Flat;
    /// m = m ^ data; with GLC, D = m before.
    FLAT_ATOMIC_XOR "flat_atomic_xor" 0x3b [B32] <- [Addr64 Unused B32] => atomic(Flat, Xor, 1) Keep Flat;
    /// m = m ≥ data ? 0 : m + 1; with GLC, D = m before.
    FLAT_ATOMIC_INC "flat_atomic_inc" 0x3c [B32] <- [Addr64 Unused B32] => atomic(Flat, Inc, 1) Keep Flat;
    /// m = m = 0 or m > data ? data : m − 1; with GLC, D = m before.
    FLAT_ATOMIC_DEC "flat_atomic_dec" 0x3d [B32] <- [Addr64 Unused B32] => atomic(Flat, Dec, 1) Keep Flat;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    FLAT_ATOMIC_FCMPSWAP "flat_atomic_fcmpswap" 0x3e [B32] <- [Addr64 Unused B64] => atomic(Flat, FCmpSwap, 1) Keep Flat;
    /// m = min(m, data); with GLC, D = m before.
    FLAT_ATOMIC_FMIN "flat_atomic_fmin" 0x3f [B32] <- [Addr64 Unused B32] => atomic(Flat, FMin, 1) Keep Flat;
    /// m = max(m, data); with GLC, D = m before.
    FLAT_ATOMIC_FMAX "flat_atomic_fmax" 0x40 [B32] <- [Addr64 Unused B32] => atomic(Flat, FMax, 1) Keep Flat;
    /// m = data; with GLC, D = m before.
    FLAT_ATOMIC_SWAP_X2 "flat_atomic_swap_x2" 0x50 [B64] <- [Addr64 Unused B64] => atomic(Flat, Swap, 2) Keep Flat;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    FLAT_ATOMIC_CMPSWAP_X2 "flat_atomic_cmpswap_x2" 0x51 [B64] <- [Addr64 Unused B128] => atomic(Flat, CmpSwap, 2) Keep Flat;
    /// m = m + data; with GLC, D = m before.
    FLAT_ATOMIC_ADD_X2 "flat_atomic_add_x2" 0x52 [B64] <- [Addr64 Unused B64] => atomic(Flat, Add, 2) Keep Flat;
    /// m = m − data; with GLC, D = m before.
    FLAT_ATOMIC_SUB_X2 "flat_atomic_sub_x2" 0x53 [B64] <- [Addr64 Unused B64] => atomic(Flat, Sub, 2) Keep Flat;
    /// m = min(m, data), signed; with GLC, D = m before.
    FLAT_ATOMIC_SMIN_X2 "flat_atomic_smin_x2" 0x55 [B64] <- [Addr64 Unused B64] => atomic(Flat, SMin, 2) Keep Flat;
    /// m = min(m, data), unsigned; with GLC, D = m before.
    FLAT_ATOMIC_UMIN_X2 "flat_atomic_umin_x2" 0x56 [B64] <- [Addr64 Unused B64] => atomic(Flat, UMin, 2) Keep Flat;
    /// m = max(m, data), signed; with GLC, D = m before.
    FLAT_ATOMIC_SMAX_X2 "flat_atomic_smax_x2" 0x57 [B64] <- [Addr64 Unused B64] => atomic(Flat, SMax, 2) Keep Flat;
    /// m = max(m, data), unsigned; with GLC, D = m before.
    FLAT_ATOMIC_UMAX_X2 "flat_atomic_umax_x2" 0x58 [B64] <- [Addr64 Unused B64] => atomic(Flat, UMax, 2) Keep Flat;
    /// m = m & data; with GLC, D = m before.
    FLAT_ATOMIC_AND_X2 "flat_atomic_and_x2" 0x59 [B64] <- [Addr64 Unused B64] => atomic(Flat, And, 2) Keep Flat;
    /// m = m | data; with GLC, D = m before.
    FLAT_ATOMIC_OR_X2 "flat_atomic_or_x2" 0x5a [B64] <- [Addr64 Unused B64] => atomic(Flat, Or, 2) Keep Flat;
    /// m = m ^ data; with GLC, D = m before.
    FLAT_ATOMIC_XOR_X2 "flat_atomic_xor_x2" 0x5b [B64] <- [Addr64 Unused B64] => atomic(Flat, Xor, 2) Keep Flat;
    /// m = m ≥ data ? 0 : m + 1; with GLC, D = m before.
    FLAT_ATOMIC_INC_X2 "flat_atomic_inc_x2" 0x5c [B64] <- [Addr64 Unused B64] => atomic(Flat, Inc, 2) Keep Flat;
    /// m = m = 0 or m > data ? data : m − 1; with GLC, D = m before.
    FLAT_ATOMIC_DEC_X2 "flat_atomic_dec_x2" 0x5d [B64] <- [Addr64 Unused B64] => atomic(Flat, Dec, 2) Keep Flat;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    FLAT_ATOMIC_FCMPSWAP_X2 "flat_atomic_fcmpswap_x2" 0x5e [B64] <- [Addr64 Unused B128] => atomic(Flat, FCmpSwap, 2) Keep Flat;
    /// m = min(m, data); with GLC, D = m before.
    FLAT_ATOMIC_FMIN_X2 "flat_atomic_fmin_x2" 0x5f [B64] <- [Addr64 Unused B64] => atomic(Flat, FMin, 2) Keep Flat;
    /// m = max(m, data); with GLC, D = m before.
    FLAT_ATOMIC_FMAX_X2 "flat_atomic_fmax_x2" 0x60 [B64] <- [Addr64 Unused B64] => atomic(Flat, FMax, 2) Keep Flat;
}
