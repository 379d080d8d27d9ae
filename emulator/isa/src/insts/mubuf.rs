//! MUBUF: vector memory through a buffer descriptor.

super::insts! { Mubuf from crate::insts::scratch::NEXT;
    /// D = 1 component, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_X "buffer_load_format_x" 6:0x00 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: false, hi: false }) Keep Vmem;
    /// D = 2 components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_XY "buffer_load_format_xy" 6:0x01 [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 2, d16: false, hi: false }) Keep Vmem;
    /// D = 3 components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_XYZ "buffer_load_format_xyz" 6:0x02 [B96] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 3, d16: false, hi: false }) Keep Vmem;
    /// D = 4 components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_XYZW "buffer_load_format_xyzw" 6:0x03 [B128] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 4, d16: false, hi: false }) Keep Vmem;
    /// Memory = 1 component, converted by the buffer's format.
    BUFFER_STORE_FORMAT_X "buffer_store_format_x" 6:0x04 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: false, hi: false }) Keep Vmem;
    /// Memory = 2 components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_XY "buffer_store_format_xy" 6:0x05 [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 2, d16: false, hi: false }) Keep Vmem;
    /// Memory = 3 components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_XYZ "buffer_store_format_xyz" 6:0x06 [] <- [Addr32 Rsrc SOffset B96] => mem(Buffer, StoreFormat { components: 3, d16: false, hi: false }) Keep Vmem;
    /// Memory = 4 components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_XYZW "buffer_store_format_xyzw" 6:0x07 [] <- [Addr32 Rsrc SOffset B128] => mem(Buffer, StoreFormat { components: 4, d16: false, hi: false }) Keep Vmem;
    /// D = 8 bits of memory, zero-extended.
    BUFFER_LOAD_UBYTE "buffer_load_ubyte" (11:"buffer_load_u8") 6:0x08 9:0x10 10:0x08 11:0x10 [U32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 8, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 8 bits of memory, sign-extended.
    BUFFER_LOAD_SBYTE "buffer_load_sbyte" (11:"buffer_load_i8") 6:0x09 9:0x11 10:0x09 11:0x11 [I32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 8, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, zero-extended.
    BUFFER_LOAD_USHORT "buffer_load_ushort" (11:"buffer_load_u16") 6:0x0a 9:0x12 10:0x0a 11:0x12 [U32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 16, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, sign-extended.
    BUFFER_LOAD_SSHORT "buffer_load_sshort" (11:"buffer_load_i16") 6:0x0b 9:0x13 10:0x0b 11:0x13 [I32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 16, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 1 dword of memory.
    BUFFER_LOAD_DWORD "buffer_load_dword" (11:"buffer_load_b32") 6:0x0c 9:0x14 10:0x0c 11:0x14 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 32, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 2 dwords of memory.
    BUFFER_LOAD_DWORDX2 "buffer_load_dwordx2" (11:"buffer_load_b64") 6:0x0d 9:0x15 10:0x0d 11:0x15 [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 32, signed: false, dwords: 2 }) Keep Vmem;
    /// D = 4 dwords of memory.
    BUFFER_LOAD_DWORDX4 "buffer_load_dwordx4" (11:"buffer_load_b128") 6:0x0e 9:0x17 10:0x0e 11:0x17 [B128] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 32, signed: false, dwords: 4 }) Keep Vmem;
    /// D = 3 dwords of memory.
    BUFFER_LOAD_DWORDX3 "buffer_load_dwordx3" (11:"buffer_load_b96") 6:0x0f 9:0x16 10:0x0f 11:0x16 [B96] <- [Addr32 Rsrc SOffset] => mem(Buffer, Load { bits: 32, signed: false, dwords: 3 }) Keep Vmem;
    /// Memory = data[7:0].
    BUFFER_STORE_BYTE "buffer_store_byte" (11:"buffer_store_b8") 6:0x18 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, Store { bits: 8, dwords: 1 }) Keep Vmem;
    /// Memory = data[23:16].
    BUFFER_STORE_BYTE_D16_HI "buffer_store_byte_d16_hi" (11:"buffer_store_d16_hi_b8") 9:0x19 11:0x24 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreHi { bits: 8 }) Keep Vmem;
    /// Memory = data[15:0].
    BUFFER_STORE_SHORT "buffer_store_short" (11:"buffer_store_b16") 6:0x1a 11:0x19 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, Store { bits: 16, dwords: 1 }) Keep Vmem;
    /// Memory = data[31:16].
    BUFFER_STORE_SHORT_D16_HI "buffer_store_short_d16_hi" (11:"buffer_store_d16_hi_b16") 9:0x1b 11:0x25 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreHi { bits: 16 }) Keep Vmem;
    /// Memory = 1 dword of data.
    BUFFER_STORE_DWORD "buffer_store_dword" (11:"buffer_store_b32") 6:0x1c 11:0x1a [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, Store { bits: 32, dwords: 1 }) Keep Vmem;
    /// Memory = 2 dwords of data.
    BUFFER_STORE_DWORDX2 "buffer_store_dwordx2" (11:"buffer_store_b64") 6:0x1d 11:0x1b [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, Store { bits: 32, dwords: 2 }) Keep Vmem;
    /// Memory = 4 dwords of data.
    BUFFER_STORE_DWORDX4 "buffer_store_dwordx4" (11:"buffer_store_b128") 6:0x1e 9:0x1f 10:0x1e 11:0x1d [] <- [Addr32 Rsrc SOffset B128] => mem(Buffer, Store { bits: 32, dwords: 4 }) Keep Vmem;
    /// Memory = 3 dwords of data.
    BUFFER_STORE_DWORDX3 "buffer_store_dwordx3" (11:"buffer_store_b96") 6:0x1f 9:0x1e 10:0x1f 11:0x1c [] <- [Addr32 Rsrc SOffset B96] => mem(Buffer, Store { bits: 32, dwords: 3 }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, zero-extended.
    BUFFER_LOAD_UBYTE_D16 "buffer_load_ubyte_d16" (11:"buffer_load_d16_u8") 9:0x20 11:0x1e [U16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 8, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, zero-extended.
    BUFFER_LOAD_UBYTE_D16_HI "buffer_load_ubyte_d16_hi" (11:"buffer_load_d16_hi_u8") 9:0x21 [U16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 8, signed: false, hi: true }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, sign-extended.
    BUFFER_LOAD_SBYTE_D16 "buffer_load_sbyte_d16" (11:"buffer_load_d16_i8") 9:0x22 11:0x1f [I16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 8, signed: true, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, sign-extended.
    BUFFER_LOAD_SBYTE_D16_HI "buffer_load_sbyte_d16_hi" (11:"buffer_load_d16_hi_i8") 9:0x23 11:0x22 [I16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 8, signed: true, hi: true }) Keep Vmem;
    /// D[15:0] = 16 bits of memory.
    BUFFER_LOAD_SHORT_D16 "buffer_load_short_d16" (11:"buffer_load_d16_b16") 9:0x24 11:0x20 [U16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 16, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 16 bits of memory.
    BUFFER_LOAD_SHORT_D16_HI "buffer_load_short_d16_hi" (11:"buffer_load_d16_hi_b16") 9:0x25 11:0x23 [U16] <- [Addr32 Rsrc SOffset Old] => mem(Buffer, LoadD16 { bits: 16, signed: false, hi: true }) Keep Vmem;
    /// D[31:16] = one 16-bit component, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_HI_X "buffer_load_format_d16_hi_x" (11:"buffer_load_d16_hi_format_x") 9:0x26 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: true, hi: true }) Keep Vmem;
    /// Memory = data[31:16], converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_HI_X "buffer_store_format_d16_hi_x" (11:"buffer_store_d16_hi_format_x") 9:0x27 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: true, hi: true }) Keep Vmem;
    /// m = data; if it returns, D = m before.
    BUFFER_ATOMIC_SWAP "buffer_atomic_swap" (11:"buffer_atomic_swap_b32") 6:0x30 9:0x40 10:0x30 11:0x33 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Swap, 1) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    BUFFER_ATOMIC_CMPSWAP "buffer_atomic_cmpswap" (11:"buffer_atomic_cmpswap_b32") 6:0x31 9:0x41 10:0x31 11:0x34 [B32] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, CmpSwap, 1) Keep Vmem;
    /// m = m + data; if it returns, D = m before.
    BUFFER_ATOMIC_ADD "buffer_atomic_add" (11:"buffer_atomic_add_u32") 6:0x32 9:0x42 10:0x32 11:0x35 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Add, 1) Keep Vmem;
    /// m = m − data; if it returns, D = m before.
    BUFFER_ATOMIC_SUB "buffer_atomic_sub" (11:"buffer_atomic_sub_u32") 6:0x33 9:0x43 10:0x33 11:0x36 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Sub, 1) Keep Vmem;
    /// m = m ≥ data ? m − data : 0; if it returns, D = m before.
    BUFFER_ATOMIC_CSUB "buffer_atomic_csub" (11:"buffer_atomic_csub_u32" 12:"buffer_atomic_sub_clamp_u32") 10.3:0x34 11:0x37 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, SubClamp, 1) Keep Vmem;
    /// m = min(m, data), signed; if it returns, D = m before.
    BUFFER_ATOMIC_SMIN "buffer_atomic_smin" (11:"buffer_atomic_min_i32") 6:0x35 9:0x44 10:0x35 11:0x38 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, SMin, 1) Keep Vmem;
    /// m = min(m, data), unsigned; if it returns, D = m before.
    BUFFER_ATOMIC_UMIN "buffer_atomic_umin" (11:"buffer_atomic_min_u32") 6:0x36 9:0x45 10:0x36 11:0x39 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, UMin, 1) Keep Vmem;
    /// m = max(m, data), signed; if it returns, D = m before.
    BUFFER_ATOMIC_SMAX "buffer_atomic_smax" (11:"buffer_atomic_max_i32") 6:0x37 9:0x46 10:0x37 11:0x3a [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, SMax, 1) Keep Vmem;
    /// m = max(m, data), unsigned; if it returns, D = m before.
    BUFFER_ATOMIC_UMAX "buffer_atomic_umax" (11:"buffer_atomic_max_u32") 6:0x38 9:0x47 10:0x38 11:0x3b [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, UMax, 1) Keep Vmem;
    /// m = m & data; if it returns, D = m before.
    BUFFER_ATOMIC_AND "buffer_atomic_and" (11:"buffer_atomic_and_b32") 6:0x39 9:0x48 10:0x39 11:0x3c [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, And, 1) Keep Vmem;
    /// m = m | data; if it returns, D = m before.
    BUFFER_ATOMIC_OR "buffer_atomic_or" (11:"buffer_atomic_or_b32") 6:0x3a 9:0x49 10:0x3a 11:0x3d [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Or, 1) Keep Vmem;
    /// m = m ^ data; if it returns, D = m before.
    BUFFER_ATOMIC_XOR "buffer_atomic_xor" (11:"buffer_atomic_xor_b32") 6:0x3b 9:0x4a 10:0x3b 11:0x3e [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Xor, 1) Keep Vmem;
    /// m = m ≥ data ? 0 : m + 1; if it returns, D = m before.
    BUFFER_ATOMIC_INC "buffer_atomic_inc" (11:"buffer_atomic_inc_u32") 6:0x3c 9:0x4b 10:0x3c 11:0x3f [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Inc, 1) Keep Vmem;
    /// m = m = 0 or m > data ? data : m − 1; if it returns, D = m before.
    BUFFER_ATOMIC_DEC "buffer_atomic_dec" (11:"buffer_atomic_dec_u32") 6:0x3d 9:0x4c 10:0x3d 11:0x40 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, Dec, 1) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    BUFFER_ATOMIC_FCMPSWAP "buffer_atomic_fcmpswap" (11:"buffer_atomic_cmpswap_f32") 6:0x3e 9:- 10:0x3e 11:0x50 12:- [B32] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, FCmpSwap, 1) Keep Vmem;
    /// m = min(m, data); if it returns, D = m before.
    BUFFER_ATOMIC_FMIN "buffer_atomic_fmin" (11:"buffer_atomic_min_f32" 12:"buffer_atomic_min_num_f32") 6:0x3f 9:- 10:0x3f 11:0x51 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, FMin, 1) Keep Vmem;
    /// m = max(m, data); if it returns, D = m before.
    BUFFER_ATOMIC_FMAX "buffer_atomic_fmax" (11:"buffer_atomic_max_f32" 12:"buffer_atomic_max_num_f32") 6:0x40 9:- 10:0x40 11:0x52 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, FMax, 1) Keep Vmem;
    /// m = data; if it returns, D = m before.
    BUFFER_ATOMIC_SWAP_X2 "buffer_atomic_swap_x2" (11:"buffer_atomic_swap_b64") 6:0x50 9:0x60 10:0x50 11:0x41 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Swap, 2) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    BUFFER_ATOMIC_CMPSWAP_X2 "buffer_atomic_cmpswap_x2" (11:"buffer_atomic_cmpswap_b64") 6:0x51 9:0x61 10:0x51 11:0x42 [B64] <- [Addr32 Rsrc SOffset B128] => atomic(Buffer, CmpSwap, 2) Keep Vmem;
    /// m = m + data; if it returns, D = m before.
    BUFFER_ATOMIC_ADD_X2 "buffer_atomic_add_x2" (11:"buffer_atomic_add_u64") 6:0x52 9:0x62 10:0x52 11:0x43 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Add, 2) Keep Vmem;
    /// m = m − data; if it returns, D = m before.
    BUFFER_ATOMIC_SUB_X2 "buffer_atomic_sub_x2" (11:"buffer_atomic_sub_u64") 6:0x53 9:0x63 10:0x53 11:0x44 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Sub, 2) Keep Vmem;
    /// m = min(m, data), signed; if it returns, D = m before.
    BUFFER_ATOMIC_SMIN_X2 "buffer_atomic_smin_x2" (11:"buffer_atomic_min_i64") 6:0x55 9:0x64 10:0x55 11:0x45 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, SMin, 2) Keep Vmem;
    /// m = min(m, data), unsigned; if it returns, D = m before.
    BUFFER_ATOMIC_UMIN_X2 "buffer_atomic_umin_x2" (11:"buffer_atomic_min_u64") 6:0x56 9:0x65 10:0x56 11:0x46 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, UMin, 2) Keep Vmem;
    /// m = max(m, data), signed; if it returns, D = m before.
    BUFFER_ATOMIC_SMAX_X2 "buffer_atomic_smax_x2" (11:"buffer_atomic_max_i64") 6:0x57 9:0x66 10:0x57 11:0x47 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, SMax, 2) Keep Vmem;
    /// m = max(m, data), unsigned; if it returns, D = m before.
    BUFFER_ATOMIC_UMAX_X2 "buffer_atomic_umax_x2" (11:"buffer_atomic_max_u64") 6:0x58 9:0x67 10:0x58 11:0x48 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, UMax, 2) Keep Vmem;
    /// m = m & data; if it returns, D = m before.
    BUFFER_ATOMIC_AND_X2 "buffer_atomic_and_x2" (11:"buffer_atomic_and_b64") 6:0x59 9:0x68 10:0x59 11:0x49 [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, And, 2) Keep Vmem;
    /// m = m | data; if it returns, D = m before.
    BUFFER_ATOMIC_OR_X2 "buffer_atomic_or_x2" (11:"buffer_atomic_or_b64") 6:0x5a 9:0x69 10:0x5a 11:0x4a [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Or, 2) Keep Vmem;
    /// m = m ^ data; if it returns, D = m before.
    BUFFER_ATOMIC_XOR_X2 "buffer_atomic_xor_x2" (11:"buffer_atomic_xor_b64") 6:0x5b 9:0x6a 10:0x5b 11:0x4b [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Xor, 2) Keep Vmem;
    /// m = m ≥ data ? 0 : m + 1; if it returns, D = m before.
    BUFFER_ATOMIC_INC_X2 "buffer_atomic_inc_x2" (11:"buffer_atomic_inc_u64") 6:0x5c 9:0x6b 10:0x5c 11:0x4c [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Inc, 2) Keep Vmem;
    /// m = m = 0 or m > data ? data : m − 1; if it returns, D = m before.
    BUFFER_ATOMIC_DEC_X2 "buffer_atomic_dec_x2" (11:"buffer_atomic_dec_u64") 6:0x5d 9:0x6c 10:0x5d 11:0x4d [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, Dec, 2) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    BUFFER_ATOMIC_FCMPSWAP_X2 "buffer_atomic_fcmpswap_x2" 6:0x5e 9:- 10:0x5e 11:- [B64] <- [Addr32 Rsrc SOffset B128] => atomic(Buffer, FCmpSwap, 2) Keep Vmem;
    /// m = min(m, data); if it returns, D = m before.
    BUFFER_ATOMIC_FMIN_X2 "buffer_atomic_fmin_x2" 6:0x5f 9:- 10:0x5f 11:- [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, FMin, 2) Keep Vmem;
    /// m = max(m, data); if it returns, D = m before.
    BUFFER_ATOMIC_FMAX_X2 "buffer_atomic_fmax_x2" 6:0x60 9:- 10:0x60 11:- [B64] <- [Addr32 Rsrc SOffset B64] => atomic(Buffer, FMax, 2) Keep Vmem;
    /// Invalidate the work-group processor's L0 cache.
    BUFFER_GL0_INV "buffer_gl0_inv" 10:0x71 11:0x2b 12:- [] <- [] => mem(Buffer, Invalidate) Keep Vmem, invalidates(L0);
    /// Invalidate the L1 cache.
    BUFFER_GL1_INV "buffer_gl1_inv" 10:0x72 11:0x2c 12:- [] <- [] => mem(Buffer, Invalidate) Keep Vmem, invalidates(L1);
    /// D = 1 16-bit component, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_X "buffer_load_format_d16_x" (11:"buffer_load_d16_format_x") 9:0x08 10:0x80 11:0x08 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: true, hi: false }) Keep Vmem;
    /// D = 2 16-bit components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_XY "buffer_load_format_d16_xy" (11:"buffer_load_d16_format_xy") 9:0x09 10:0x81 11:0x09 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 2, d16: true, hi: false }) Keep Vmem;
    /// D = 3 16-bit components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_XYZ "buffer_load_format_d16_xyz" (11:"buffer_load_d16_format_xyz") 9:0x0a 10:0x82 11:0x0a [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 3, d16: true, hi: false }) Keep Vmem;
    /// D = 4 16-bit components, converted by the buffer's format.
    BUFFER_LOAD_FORMAT_D16_XYZW "buffer_load_format_d16_xyzw" (11:"buffer_load_d16_format_xyzw") 9:0x0b 10:0x83 11:0x0b [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 4, d16: true, hi: false }) Keep Vmem;
    /// Memory = 1 16-bit component, converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_X "buffer_store_format_d16_x" (11:"buffer_store_d16_format_x") 9:0x0c 10:0x84 11:0x0c [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: true, hi: false }) Keep Vmem;
    /// Memory = 2 16-bit components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_XY "buffer_store_format_d16_xy" (11:"buffer_store_d16_format_xy") 9:0x0d 10:0x85 11:0x0d [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 2, d16: true, hi: false }) Keep Vmem;
    /// Memory = 3 16-bit components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_XYZ "buffer_store_format_d16_xyz" (11:"buffer_store_d16_format_xyz") 9:0x0e 10:0x86 11:0x0e [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 3, d16: true, hi: false }) Keep Vmem;
    /// Memory = 4 16-bit components, converted by the buffer's format.
    BUFFER_STORE_FORMAT_D16_XYZW "buffer_store_format_d16_xyzw" (11:"buffer_store_d16_format_xyzw") 9:0x0f 10:0x87 11:0x0f [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 4, d16: true, hi: false }) Keep Vmem;
    /// Memory = a dword of LDS at M0.
    BUFFER_STORE_LDS_DWORD "buffer_store_lds_dword" 9:0x3d 10:- [] <- [Unused Rsrc SOffset] => mem(Buffer, Store { bits: 32, dwords: 1 }) Keep Vmem;
    /// Write back and invalidate the vector cache.
    BUFFER_WBINVL1 "buffer_wbinvl1" 6:0x71 9:0x3e 10:- [] <- [] => mem(Buffer, Invalidate) Keep Vmem, invalidates(L0);
    /// Write back and invalidate the vector cache's lines of system memory.
    BUFFER_WBINVL1_SC "buffer_wbinvl1_sc" 6:0x70 7:- [] <- [] => mem(Buffer, Invalidate) Keep Vmem, invalidates(L0);
    /// Write back and invalidate the vector cache's volatile lines.
    BUFFER_WBINVL1_VOL "buffer_wbinvl1_vol" 7:0x70 9:0x3f 10:- [] <- [] => mem(Buffer, Invalidate) Keep Vmem, invalidates(L0);
    /// m = m + data; if it returns, D = m before.
    BUFFER_ATOMIC_ADD_F32 "buffer_atomic_add_f32" 11:0x56 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, FAdd, 1) Keep Vmem;
    /// m = m ≥ data ? m − data : m; if it returns, D = m before.
    BUFFER_ATOMIC_COND_SUB_U32 "buffer_atomic_cond_sub_u32" 12:0x50 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, CondSub, 1) Keep Vmem;
    /// m = m + data, two f16; if it returns, D = m before.
    BUFFER_ATOMIC_PK_ADD_F16 "buffer_atomic_pk_add_f16" 12:0x59 [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, PkAddF16, 1) Keep Vmem;
    /// m = m + data, two bf16; if it returns, D = m before.
    BUFFER_ATOMIC_PK_ADD_BF16 "buffer_atomic_pk_add_bf16" 12:0x5a [B32] <- [Addr32 Rsrc SOffset B32] => atomic(Buffer, PkAddBf16, 1) Keep Vmem;
    /// LDS at M0 = 8 bits of memory a lane.
    BUFFER_LOAD_LDS_U8 "buffer_load_lds_u8" 11:0x2d 12:- [] <- [Addr32 Rsrc SOffset M0] => todo() Keep Vmem;
    /// LDS at M0 = 8 bits of memory a lane.
    BUFFER_LOAD_LDS_I8 "buffer_load_lds_i8" 11:0x2e 12:- [] <- [Addr32 Rsrc SOffset M0] => todo() Keep Vmem;
    /// LDS at M0 = 16 bits of memory a lane.
    BUFFER_LOAD_LDS_U16 "buffer_load_lds_u16" 11:0x2f 12:- [] <- [Addr32 Rsrc SOffset M0] => todo() Keep Vmem;
    /// LDS at M0 = 16 bits of memory a lane.
    BUFFER_LOAD_LDS_I16 "buffer_load_lds_i16" 11:0x30 12:- [] <- [Addr32 Rsrc SOffset M0] => todo() Keep Vmem;
    /// LDS at M0 = 32 bits of memory a lane.
    BUFFER_LOAD_LDS_B32 "buffer_load_lds_b32" 11:0x31 12:- [] <- [Addr32 Rsrc SOffset M0] => todo() Keep Vmem;
    /// LDS at M0 = component X of memory a lane.
    BUFFER_LOAD_LDS_FORMAT_X "buffer_load_lds_format_x" 11:0x32 12:- [] <- [Addr32 Rsrc SOffset M0] => todo() Keep Vmem;
}
