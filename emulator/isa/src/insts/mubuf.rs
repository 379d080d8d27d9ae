//! MUBUF: vector memory through a buffer descriptor.

super::insts! { Mubuf from crate::insts::scratch::NEXT;
    /// D = 1 component, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_X "buffer_load_format_x" 0x00 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: false, hi: false }) Keep Vmem;
    /// D = 2 components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_XY "buffer_load_format_xy" 0x01 [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 2, d16: false, hi: false }) Keep Vmem;
    /// D = 3 components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_XYZ "buffer_load_format_xyz" 0x02 [B96] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 3, d16: false, hi: false }) Keep Vmem;
    /// D = 4 components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_XYZW "buffer_load_format_xyzw" 0x03 [B128] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 4, d16: false, hi: false }) Keep Vmem;
    /// Memory = 1 component, converted by the buffer's format.
    BUFFER_STORE_FORMAT_X "buffer_store_format_x" 0x04 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: false, hi: false }) Keep Vmem;
    /// Memory = 2 components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_XY "buffer_store_format_xy" 0x05 [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 2, d16: false, hi: false }) Keep Vmem;
    /// Memory = 3 components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_XYZ "buffer_store_format_xyz" 0x06 [] <- [Addr32 Rsrc SOffset B96] => mem(Buffer, StoreFormat { components: 3, d16: false, hi: false }) Keep Vmem;
    /// Memory = 4 components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_XYZW "buffer_store_format_xyzw" 0x07 [] <- [Addr32 Rsrc SOffset B128] => mem(Buffer, StoreFormat { components: 4, d16: false, hi: false }) Keep Vmem;
    /// D = 8 bits of memory, zero-extended.
    BUFFER_LOAD_UBYTE "buffer_load_ubyte" 0x08 [U32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 8, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 8 bits of memory, sign-extended.
    BUFFER_LOAD_SBYTE "buffer_load_sbyte" 0x09 [I32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 8, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, zero-extended.
    BUFFER_LOAD_USHORT "buffer_load_ushort" 0x0a [U32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 16, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, sign-extended.
    BUFFER_LOAD_SSHORT "buffer_load_sshort" 0x0b [I32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 16, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 1 dword of memory.
    BUFFER_LOAD_DWORD "buffer_load_dword" 0x0c [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 32, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 2 dwords of memory.
    BUFFER_LOAD_DWORDX2 "buffer_load_dwordx2" 0x0d [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 32, signed: false, dwords: 2 }) Keep Vmem;
    /// D = 4 dwords of memory.
    BUFFER_LOAD_DWORDX4 "buffer_load_dwordx4" 0x0e [B128] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 32, signed: false, dwords: 4 }) Keep Vmem;
    /// D = 3 dwords of memory.
    BUFFER_LOAD_DWORDX3 "buffer_load_dwordx3" 0x0f [B96] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 32, signed: false, dwords: 3 }) Keep Vmem;
    /// Memory = data[7:0].
    BUFFER_STORE_BYTE "buffer_store_byte" 0x18 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, Store { bits: 8, dwords: 1 }) Keep Vmem;
    /// Memory = data[23:16].
    BUFFER_STORE_BYTE_D16_HI "buffer_store_byte_d16_hi" 0x19 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreHi { bits: 8 }) Keep Vmem;
    /// Memory = data[15:0].
    BUFFER_STORE_SHORT "buffer_store_short" 0x1a [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, Store { bits: 16, dwords: 1 }) Keep Vmem;
    /// Memory = data[31:16].
    BUFFER_STORE_SHORT_D16_HI "buffer_store_short_d16_hi" 0x1b [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreHi { bits: 16 }) Keep Vmem;
    /// Memory = 1 dword of data.
    BUFFER_STORE_DWORD "buffer_store_dword" 0x1c [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, Store { bits: 32, dwords: 1 }) Keep Vmem;
    /// Memory = 2 dwords of data.
    BUFFER_STORE_DWORDX2 "buffer_store_dwordx2" 0x1d [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, Store { bits: 32, dwords: 2 }) Keep Vmem;
    /// Memory = 4 dwords of data.
    BUFFER_STORE_DWORDX4 "buffer_store_dwordx4" 0x1e [] <- [Addr32 Rsrc SOffset B128] => mem(Buffer, Store { bits: 32, dwords: 4 }) Keep Vmem;
    /// Memory = 3 dwords of data.
    BUFFER_STORE_DWORDX3 "buffer_store_dwordx3" 0x1f [] <- [Addr32 Rsrc SOffset B96] => mem(Buffer, Store { bits: 32, dwords: 3 }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, zero-extended.
    BUFFER_LOAD_UBYTE_D16 "buffer_load_ubyte_d16" 0x20 [U16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 8, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, zero-extended.
    BUFFER_LOAD_UBYTE_D16_HI "buffer_load_ubyte_d16_hi" 0x21 [U16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 8, signed: false, hi: true }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, sign-extended.
    BUFFER_LOAD_SBYTE_D16 "buffer_load_sbyte_d16" 0x22 [I16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 8, signed: true, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, sign-extended.
    BUFFER_LOAD_SBYTE_D16_HI "buffer_load_sbyte_d16_hi" 0x23 [I16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 8, signed: true, hi: true }) Keep Vmem;
    /// D[15:0] = 16 bits of memory.
    BUFFER_LOAD_SHORT_D16 "buffer_load_short_d16" 0x24 [U16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 16, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 16 bits of memory.
    BUFFER_LOAD_SHORT_D16_HI "buffer_load_short_d16_hi" 0x25 [U16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 16, signed: false, hi: true }) Keep Vmem;
    /// D[31:16] = one 16-bit component, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_HI_X "buffer_load_format_d16_hi_x" 0x26 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: true, hi: true }) Keep Vmem;
    /// Memory = data[31:16], converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_HI_X "buffer_store_format_d16_hi_x" 0x27 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: true, hi: true }) Keep Vmem;
    /// m = data; with GLC, D = m before.
    BUFFER_ATOMIC_SWAP "buffer_atomic_swap" 0x30 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Swap, 1) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    BUFFER_ATOMIC_CMPSWAP "buffer_atomic_cmpswap" 0x31 [B32] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, CmpSwap, 1) Keep Vmem;
    /// m = m + data; with GLC, D = m before.
    BUFFER_ATOMIC_ADD "buffer_atomic_add" 0x32 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Add, 1) Keep Vmem;
    /// m = m − data; with GLC, D = m before.
    BUFFER_ATOMIC_SUB "buffer_atomic_sub" 0x33 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Sub, 1) Keep Vmem;
    /// m = min(m, data), signed; with GLC, D = m before.
    BUFFER_ATOMIC_SMIN "buffer_atomic_smin" 0x35 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, SMin, 1) Keep Vmem;
    /// m = min(m, data), unsigned; with GLC, D = m before.
    BUFFER_ATOMIC_UMIN "buffer_atomic_umin" 0x36 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, UMin, 1) Keep Vmem;
    /// m = max(m, data), signed; with GLC, D = m before.
    BUFFER_ATOMIC_SMAX "buffer_atomic_smax" 0x37 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, SMax, 1) Keep Vmem;
    /// m = max(m, data), unsigned; with GLC, D = m before.
    BUFFER_ATOMIC_UMAX "buffer_atomic_umax" 0x38 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, UMax, 1) Keep Vmem;
    /// m = m & data; with GLC, D = m before.
    BUFFER_ATOMIC_AND "buffer_atomic_and" 0x39 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, And, 1) Keep Vmem;
    /// m = m | data; with GLC, D = m before.
    BUFFER_ATOMIC_OR "buffer_atomic_or" 0x3a [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Or, 1) Keep Vmem;
    /// m = m ^ data; with GLC, D = m before.
    BUFFER_ATOMIC_XOR "buffer_atomic_xor" 0x3b [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Xor, 1) Keep Vmem;
    /// m = m ≥ data ? 0 : m + 1; with GLC, D = m before.
    BUFFER_ATOMIC_INC "buffer_atomic_inc" 0x3c [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Inc, 1) Keep Vmem;
    /// m = m = 0 or m > data ? data : m − 1; with GLC, D = m before.
    BUFFER_ATOMIC_DEC "buffer_atomic_dec" 0x3d [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Dec, 1) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    BUFFER_ATOMIC_FCMPSWAP "buffer_atomic_fcmpswap" 0x3e [B32] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, FCmpSwap, 1) Keep Vmem;
    /// m = min(m, data); with GLC, D = m before.
    BUFFER_ATOMIC_FMIN "buffer_atomic_fmin" 0x3f [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, FMin, 1) Keep Vmem;
    /// m = max(m, data); with GLC, D = m before.
    BUFFER_ATOMIC_FMAX "buffer_atomic_fmax" 0x40 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, FMax, 1) Keep Vmem;
    /// m = data; with GLC, D = m before.
    BUFFER_ATOMIC_SWAP_X2 "buffer_atomic_swap_x2" 0x50 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Swap, 2) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    BUFFER_ATOMIC_CMPSWAP_X2 "buffer_atomic_cmpswap_x2" 0x51 [B64] <- [Addr32 Rsrc SOffset B128] => atomic(Buffer, CmpSwap, 2) Keep Vmem;
    /// m = m + data; with GLC, D = m before.
    BUFFER_ATOMIC_ADD_X2 "buffer_atomic_add_x2" 0x52 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Add, 2) Keep Vmem;
    /// m = m − data; with GLC, D = m before.
    BUFFER_ATOMIC_SUB_X2 "buffer_atomic_sub_x2" 0x53 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Sub, 2) Keep Vmem;
    /// m = min(m, data), signed; with GLC, D = m before.
    BUFFER_ATOMIC_SMIN_X2 "buffer_atomic_smin_x2" 0x55 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, SMin, 2) Keep Vmem;
    /// m = min(m, data), unsigned; with GLC, D = m before.
    BUFFER_ATOMIC_UMIN_X2 "buffer_atomic_umin_x2" 0x56 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, UMin, 2) Keep Vmem;
    /// m = max(m, data), signed; with GLC, D = m before.
    BUFFER_ATOMIC_SMAX_X2 "buffer_atomic_smax_x2" 0x57 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, SMax, 2) Keep Vmem;
    /// m = max(m, data), unsigned; with GLC, D = m before.
    BUFFER_ATOMIC_UMAX_X2 "buffer_atomic_umax_x2" 0x58 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, UMax, 2) Keep Vmem;
    /// m = m & data; with GLC, D = m before.
    BUFFER_ATOMIC_AND_X2 "buffer_atomic_and_x2" 0x59 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, And, 2) Keep Vmem;
    /// m = m | data; with GLC, D = m before.
    BUFFER_ATOMIC_OR_X2 "buffer_atomic_or_x2" 0x5a [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Or, 2) Keep Vmem;
    /// m = m ^ data; with GLC, D = m before.
    BUFFER_ATOMIC_XOR_X2 "buffer_atomic_xor_x2" 0x5b [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Xor, 2) Keep Vmem;
    /// m = m ≥ data ? 0 : m + 1; with GLC, D = m before.
    BUFFER_ATOMIC_INC_X2 "buffer_atomic_inc_x2" 0x5c [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Inc, 2) Keep Vmem;
    /// m = m = 0 or m > data ? data : m − 1; with GLC, D = m before.
    BUFFER_ATOMIC_DEC_X2 "buffer_atomic_dec_x2" 0x5d [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Dec, 2) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; with GLC, D = m before.
    BUFFER_ATOMIC_FCMPSWAP_X2 "buffer_atomic_fcmpswap_x2" 0x5e [B64] <- [Addr32 Rsrc SOffset B128] => atomic(Buffer, FCmpSwap, 2) Keep Vmem;
    /// m = min(m, data); with GLC, D = m before.
    BUFFER_ATOMIC_FMIN_X2 "buffer_atomic_fmin_x2" 0x5f [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, FMin, 2) Keep Vmem;
    /// m = max(m, data); with GLC, D = m before.
    BUFFER_ATOMIC_FMAX_X2 "buffer_atomic_fmax_x2" 0x60 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, FMax, 2) Keep Vmem;
    /// Invalidate the work-group processor's L0 cache.
    BUFFER_GL0_INV "buffer_gl0_inv" 0x71 [] <- [] => mem(Buffer, Invalidate) Keep Vmem;
    /// Invalidate the L1 cache.
    BUFFER_GL1_INV "buffer_gl1_inv" 0x72 [] <- [] => mem(Buffer, Invalidate) Keep Vmem;
    /// D = 1 16-bit component, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_X "buffer_load_format_d16_x" 0x80 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: true, hi: false }) Keep Vmem;
    /// D = 2 16-bit components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_XY "buffer_load_format_d16_xy" 0x81 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 2, d16: true, hi: false }) Keep Vmem;
    /// D = 3 16-bit components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_XYZ "buffer_load_format_d16_xyz" 0x82 [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 3, d16: true, hi: false }) Keep Vmem;
    /// D = 4 16-bit components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_XYZW "buffer_load_format_d16_xyzw" 0x83 [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 4, d16: true, hi: false }) Keep Vmem;
    /// Memory = 1 16-bit component, converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_X "buffer_store_format_d16_x" 0x84 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: true, hi: false }) Keep Vmem;
    /// Memory = 2 16-bit components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_XY "buffer_store_format_d16_xy" 0x85 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 2, d16: true, hi: false }) Keep Vmem;
    /// Memory = 3 16-bit components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_XYZ "buffer_store_format_d16_xyz" 0x86 [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 3, d16: true, hi: false }) Keep Vmem;
    /// Memory = 4 16-bit components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_XYZW "buffer_store_format_d16_xyzw" 0x87 [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 4, d16: true, hi: false }) Keep Vmem;
}
