//! GLOBAL: vector memory at global addresses.

super::insts! { Global from crate::insts::flat::NEXT;
    /// D = 8 bits of memory, zero-extended.
    GLOBAL_LOAD_UBYTE "global_load_ubyte" 0x08 [U32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 8, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 8 bits of memory, sign-extended.
    GLOBAL_LOAD_SBYTE "global_load_sbyte" 0x09 [I32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 8, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, zero-extended.
    GLOBAL_LOAD_USHORT "global_load_ushort" 0x0a [U32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 16, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, sign-extended.
    GLOBAL_LOAD_SSHORT "global_load_sshort" 0x0b [I32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 16, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 1 dword of memory.
    GLOBAL_LOAD_DWORD "global_load_dword" 0x0c [B32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 2 dwords of memory.
    GLOBAL_LOAD_DWORDX2 "global_load_dwordx2" 0x0d [B64] <- [Addr64 SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 2 }) Keep Vmem;
    /// D = 4 dwords of memory.
    GLOBAL_LOAD_DWORDX4 "global_load_dwordx4" 0x0e [B128] <- [Addr64 SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 4 }) Keep Vmem;
    /// D = 3 dwords of memory.
    GLOBAL_LOAD_DWORDX3 "global_load_dwordx3" 0x0f [B96] <- [Addr64 SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 3 }) Keep Vmem;
    /// Memory = data[7:0].
    GLOBAL_STORE_BYTE "global_store_byte" 0x18 [] <- [Addr64 SAddr64 B32] => mem(Global, Store { bits: 8, dwords: 1 }) Keep Vmem;
    /// Memory = data[23:16].
    GLOBAL_STORE_BYTE_D16_HI "global_store_byte_d16_hi" 0x19 [] <- [Addr64 SAddr64 B32] => mem(Global, StoreHi { bits: 8 }) Keep Vmem;
    /// Memory = data[15:0].
    GLOBAL_STORE_SHORT "global_store_short" 0x1a [] <- [Addr64 SAddr64 B32] => mem(Global, Store { bits: 16, dwords: 1 }) Keep Vmem;
    /// Memory = data[31:16].
    GLOBAL_STORE_SHORT_D16_HI "global_store_short_d16_hi" 0x1b [] <- [Addr64 SAddr64 B32] => mem(Global, StoreHi { bits: 16 }) Keep Vmem;
    /// Memory = 1 dword of data.
    GLOBAL_STORE_DWORD "global_store_dword" 0x1c [] <- [Addr64 SAddr64 B32] => mem(Global, Store { bits: 32, dwords: 1 }) Keep Vmem;
    /// Memory = 2 dwords of data.
    GLOBAL_STORE_DWORDX2 "global_store_dwordx2" 0x1d [] <- [Addr64 SAddr64 B64] => mem(Global, Store { bits: 32, dwords: 2 }) Keep Vmem;
    /// Memory = 4 dwords of data.
    GLOBAL_STORE_DWORDX4 "global_store_dwordx4" 0x1e [] <- [Addr64 SAddr64 B128] => mem(Global, Store { bits: 32, dwords: 4 }) Keep Vmem;
    /// Memory = 3 dwords of data.
    GLOBAL_STORE_DWORDX3 "global_store_dwordx3" 0x1f [] <- [Addr64 SAddr64 B96] => mem(Global, Store { bits: 32, dwords: 3 }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, zero-extended.
    GLOBAL_LOAD_UBYTE_D16 "global_load_ubyte_d16" 0x20 [U16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 8, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, zero-extended.
    GLOBAL_LOAD_UBYTE_D16_HI "global_load_ubyte_d16_hi" 0x21 [U16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 8, signed: false, hi: true }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, sign-extended.
    GLOBAL_LOAD_SBYTE_D16 "global_load_sbyte_d16" 0x22 [I16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 8, signed: true, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, sign-extended.
    GLOBAL_LOAD_SBYTE_D16_HI "global_load_sbyte_d16_hi" 0x23 [I16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 8, signed: true, hi: true }) Keep Vmem;
    /// D[15:0] = 16 bits of memory.
    GLOBAL_LOAD_SHORT_D16 "global_load_short_d16" 0x24 [U16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 16, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 16 bits of memory.
    GLOBAL_LOAD_SHORT_D16_HI "global_load_short_d16_hi" 0x25 [U16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 16, signed: false, hi: true }) Keep Vmem;
    /// m = data; with GLC, D = m before.
    GLOBAL_ATOMIC_SWAP "global_atomic_swap" 0x30 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Swap, 1) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    GLOBAL_ATOMIC_CMPSWAP "global_atomic_cmpswap" 0x31 [B32] <- [Addr64 SAddr64 B64] => atomic(Global, CmpSwap, 1) Keep Vmem;
    /// m = m + data; with GLC, D = m before.
    GLOBAL_ATOMIC_ADD "global_atomic_add" 0x32 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Add, 1) Keep Vmem;
    /// m = m − data; with GLC, D = m before.
    GLOBAL_ATOMIC_SUB "global_atomic_sub" 0x33 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Sub, 1) Keep Vmem;
    /// m = min(m, data), signed; with GLC, D = m before.
    GLOBAL_ATOMIC_SMIN "global_atomic_smin" 0x35 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, SMin, 1) Keep Vmem;
    /// m = min(m, data), unsigned; with GLC, D = m before.
    GLOBAL_ATOMIC_UMIN "global_atomic_umin" 0x36 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, UMin, 1) Keep Vmem;
    /// m = max(m, data), signed; with GLC, D = m before.
    GLOBAL_ATOMIC_SMAX "global_atomic_smax" 0x37 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, SMax, 1) Keep Vmem;
    /// m = max(m, data), unsigned; with GLC, D = m before.
    GLOBAL_ATOMIC_UMAX "global_atomic_umax" 0x38 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, UMax, 1) Keep Vmem;
    /// m = m & data; with GLC, D = m before.
    GLOBAL_ATOMIC_AND "global_atomic_and" 0x39 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, And, 1) Keep Vmem;
    /// m = m | data; with GLC, D = m before.
    GLOBAL_ATOMIC_OR "global_atomic_or" 0x3a [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Or, 1) Keep Vmem;
    /// m = m ^ data; with GLC, D = m before.
    GLOBAL_ATOMIC_XOR "global_atomic_xor" 0x3b [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Xor, 1) Keep Vmem;
    /// m = m ≥ data ? 0 : m + 1; with GLC, D = m before.
    GLOBAL_ATOMIC_INC "global_atomic_inc" 0x3c [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Inc, 1) Keep Vmem;
    /// m = m = 0 or m > data ? data : m − 1; with GLC, D = m before.
    GLOBAL_ATOMIC_DEC "global_atomic_dec" 0x3d [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Dec, 1) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    GLOBAL_ATOMIC_FCMPSWAP "global_atomic_fcmpswap" 0x3e [B32] <- [Addr64 SAddr64 B64] => atomic(Global, FCmpSwap, 1) Keep Vmem;
    /// m = min(m, data); with GLC, D = m before.
    GLOBAL_ATOMIC_FMIN "global_atomic_fmin" 0x3f [B32] <- [Addr64 SAddr64 B32] => atomic(Global, FMin, 1) Keep Vmem;
    /// m = max(m, data); with GLC, D = m before.
    GLOBAL_ATOMIC_FMAX "global_atomic_fmax" 0x40 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, FMax, 1) Keep Vmem;
    /// m = data; with GLC, D = m before.
    GLOBAL_ATOMIC_SWAP_X2 "global_atomic_swap_x2" 0x50 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Swap, 2) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    GLOBAL_ATOMIC_CMPSWAP_X2 "global_atomic_cmpswap_x2" 0x51 [B64] <- [Addr64 SAddr64 B128] => atomic(Global, CmpSwap, 2) Keep Vmem;
    /// m = m + data; with GLC, D = m before.
    GLOBAL_ATOMIC_ADD_X2 "global_atomic_add_x2" 0x52 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Add, 2) Keep Vmem;
    /// m = m − data; with GLC, D = m before.
    GLOBAL_ATOMIC_SUB_X2 "global_atomic_sub_x2" 0x53 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Sub, 2) Keep Vmem;
    /// m = min(m, data), signed; with GLC, D = m before.
    GLOBAL_ATOMIC_SMIN_X2 "global_atomic_smin_x2" 0x55 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, SMin, 2) Keep Vmem;
    /// m = min(m, data), unsigned; with GLC, D = m before.
    GLOBAL_ATOMIC_UMIN_X2 "global_atomic_umin_x2" 0x56 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, UMin, 2) Keep Vmem;
    /// m = max(m, data), signed; with GLC, D = m before.
    GLOBAL_ATOMIC_SMAX_X2 "global_atomic_smax_x2" 0x57 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, SMax, 2) Keep Vmem;
    /// m = max(m, data), unsigned; with GLC, D = m before.
    GLOBAL_ATOMIC_UMAX_X2 "global_atomic_umax_x2" 0x58 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, UMax, 2) Keep Vmem;
    /// m = m & data; with GLC, D = m before.
    GLOBAL_ATOMIC_AND_X2 "global_atomic_and_x2" 0x59 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, And, 2) Keep Vmem;
    /// m = m | data; with GLC, D = m before.
    GLOBAL_ATOMIC_OR_X2 "global_atomic_or_x2" 0x5a [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Or, 2) Keep Vmem;
    /// m = m ^ data; with GLC, D = m before.
    GLOBAL_ATOMIC_XOR_X2 "global_atomic_xor_x2" 0x5b [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Xor, 2) Keep Vmem;
    /// m = m ≥ data ? 0 : m + 1; with GLC, D = m before.
    GLOBAL_ATOMIC_INC_X2 "global_atomic_inc_x2" 0x5c [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Inc, 2) Keep Vmem;
    /// m = m = 0 or m > data ? data : m − 1; with GLC, D = m before.
    GLOBAL_ATOMIC_DEC_X2 "global_atomic_dec_x2" 0x5d [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Dec, 2) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    GLOBAL_ATOMIC_FCMPSWAP_X2 "global_atomic_fcmpswap_x2" 0x5e [B64] <- [Addr64 SAddr64 B128] => atomic(Global, FCmpSwap, 2) Keep Vmem;
    /// m = min(m, data); with GLC, D = m before.
    GLOBAL_ATOMIC_FMIN_X2 "global_atomic_fmin_x2" 0x5f [B64] <- [Addr64 SAddr64 B64] => atomic(Global, FMin, 2) Keep Vmem;
    /// m = max(m, data); with GLC, D = m before.
    GLOBAL_ATOMIC_FMAX_X2 "global_atomic_fmax_x2" 0x60 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, FMax, 2) Keep Vmem;
}
