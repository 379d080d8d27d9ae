//! GLOBAL: vector memory at global addresses.

super::insts! { Global from crate::insts::flat::NEXT;
    /// D = 8 bits of memory, zero-extended.
    GLOBAL_LOAD_UBYTE "global_load_ubyte" (11:"global_load_u8") 9:0x10 10:0x08 11:0x10 [U32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 8, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 8 bits of memory, sign-extended.
    GLOBAL_LOAD_SBYTE "global_load_sbyte" (11:"global_load_i8") 9:0x11 10:0x09 11:0x11 [I32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 8, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, zero-extended.
    GLOBAL_LOAD_USHORT "global_load_ushort" (11:"global_load_u16") 9:0x12 10:0x0a 11:0x12 [U32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 16, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, sign-extended.
    GLOBAL_LOAD_SSHORT "global_load_sshort" (11:"global_load_i16") 9:0x13 10:0x0b 11:0x13 [I32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 16, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 1 dword of memory.
    GLOBAL_LOAD_DWORD "global_load_dword" (11:"global_load_b32") 9:0x14 10:0x0c 11:0x14 [B32] <- [Addr64 SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 2 dwords of memory.
    GLOBAL_LOAD_DWORDX2 "global_load_dwordx2" (11:"global_load_b64") 9:0x15 10:0x0d 11:0x15 [B64] <- [Addr64 SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 2 }) Keep Vmem;
    /// D = 4 dwords of memory.
    GLOBAL_LOAD_DWORDX4 "global_load_dwordx4" (11:"global_load_b128") 9:0x17 10:0x0e 11:0x17 [B128] <- [Addr64 SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 4 }) Keep Vmem;
    /// D = 3 dwords of memory.
    GLOBAL_LOAD_DWORDX3 "global_load_dwordx3" (11:"global_load_b96") 9:0x16 10:0x0f 11:0x16 [B96] <- [Addr64 SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 3 }) Keep Vmem;
    /// Memory = data[7:0].
    GLOBAL_STORE_BYTE "global_store_byte" (11:"global_store_b8") 9:0x18 [] <- [Addr64 SAddr64 B32] => mem(Global, Store { bits: 8, dwords: 1 }) Keep Vmem;
    /// Memory = data[23:16].
    GLOBAL_STORE_BYTE_D16_HI "global_store_byte_d16_hi" (11:"global_store_d16_hi_b8") 9:0x19 11:0x24 [] <- [Addr64 SAddr64 B32] => mem(Global, StoreHi { bits: 8 }) Keep Vmem;
    /// Memory = data[15:0].
    GLOBAL_STORE_SHORT "global_store_short" (11:"global_store_b16") 9:0x1a 11:0x19 [] <- [Addr64 SAddr64 B32] => mem(Global, Store { bits: 16, dwords: 1 }) Keep Vmem;
    /// Memory = data[31:16].
    GLOBAL_STORE_SHORT_D16_HI "global_store_short_d16_hi" (11:"global_store_d16_hi_b16") 9:0x1b 11:0x25 [] <- [Addr64 SAddr64 B32] => mem(Global, StoreHi { bits: 16 }) Keep Vmem;
    /// Memory = 1 dword of data.
    GLOBAL_STORE_DWORD "global_store_dword" (11:"global_store_b32") 9:0x1c 11:0x1a [] <- [Addr64 SAddr64 B32] => mem(Global, Store { bits: 32, dwords: 1 }) Keep Vmem;
    /// D = 1 dword at the scalar address + offset + 4 · lane.
    GLOBAL_LOAD_DWORD_ADDTID "global_load_dword_addtid" (11:"global_load_addtid_b32") 10.3:0x16 11:0x28 [B32] <- [Unused SAddr64] => mem(Global, Load { bits: 32, signed: false, dwords: 1 }) Keep Vmem;
    /// 1 dword at the scalar address + offset + 4 · lane = data.
    GLOBAL_STORE_DWORD_ADDTID "global_store_dword_addtid" (11:"global_store_addtid_b32") 10.3:0x17 11:0x29 [] <- [Unused SAddr64 B32] => mem(Global, Store { bits: 32, dwords: 1 }) Keep Vmem;
    /// Memory = 2 dwords of data.
    GLOBAL_STORE_DWORDX2 "global_store_dwordx2" (11:"global_store_b64") 9:0x1d 11:0x1b [] <- [Addr64 SAddr64 B64] => mem(Global, Store { bits: 32, dwords: 2 }) Keep Vmem;
    /// Memory = 4 dwords of data.
    GLOBAL_STORE_DWORDX4 "global_store_dwordx4" (11:"global_store_b128") 9:0x1f 10:0x1e 11:0x1d [] <- [Addr64 SAddr64 B128] => mem(Global, Store { bits: 32, dwords: 4 }) Keep Vmem;
    /// Memory = 3 dwords of data.
    GLOBAL_STORE_DWORDX3 "global_store_dwordx3" (11:"global_store_b96") 9:0x1e 10:0x1f 11:0x1c [] <- [Addr64 SAddr64 B96] => mem(Global, Store { bits: 32, dwords: 3 }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, zero-extended.
    GLOBAL_LOAD_UBYTE_D16 "global_load_ubyte_d16" (11:"global_load_d16_u8") 9:0x20 11:0x1e [U16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 8, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, zero-extended.
    GLOBAL_LOAD_UBYTE_D16_HI "global_load_ubyte_d16_hi" (11:"global_load_d16_hi_u8") 9:0x21 [U16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 8, signed: false, hi: true }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, sign-extended.
    GLOBAL_LOAD_SBYTE_D16 "global_load_sbyte_d16" (11:"global_load_d16_i8") 9:0x22 11:0x1f [I16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 8, signed: true, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, sign-extended.
    GLOBAL_LOAD_SBYTE_D16_HI "global_load_sbyte_d16_hi" (11:"global_load_d16_hi_i8") 9:0x23 11:0x22 [I16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 8, signed: true, hi: true }) Keep Vmem;
    /// D[15:0] = 16 bits of memory.
    GLOBAL_LOAD_SHORT_D16 "global_load_short_d16" (11:"global_load_d16_b16") 9:0x24 11:0x20 [U16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 16, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 16 bits of memory.
    GLOBAL_LOAD_SHORT_D16_HI "global_load_short_d16_hi" (11:"global_load_d16_hi_b16") 9:0x25 11:0x23 [U16] <- [Addr64 SAddr64 Old] => mem(Global, LoadD16 { bits: 16, signed: false, hi: true }) Keep Vmem;
    /// m = data; if it returns, D = m before.
    GLOBAL_ATOMIC_SWAP "global_atomic_swap" (11:"global_atomic_swap_b32") 9:0x40 10:0x30 11:0x33 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Swap, 1) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    GLOBAL_ATOMIC_CMPSWAP "global_atomic_cmpswap" (11:"global_atomic_cmpswap_b32") 9:0x41 10:0x31 11:0x34 [B32] <- [Addr64 SAddr64 B64] => atomic(Global, CmpSwap, 1) Keep Vmem;
    /// m = m + data; if it returns, D = m before.
    GLOBAL_ATOMIC_ADD "global_atomic_add" (11:"global_atomic_add_u32") 9:0x42 10:0x32 11:0x35 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Add, 1) Keep Vmem;
    /// m = m − data; if it returns, D = m before.
    GLOBAL_ATOMIC_SUB "global_atomic_sub" (11:"global_atomic_sub_u32") 9:0x43 10:0x33 11:0x36 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Sub, 1) Keep Vmem;
    /// m = m ≥ data ? m − data : 0; if it returns, D = m before.
    GLOBAL_ATOMIC_CSUB "global_atomic_csub" (11:"global_atomic_csub_u32" 12:"global_atomic_sub_clamp_u32") 10.3:0x34 11:0x37 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, SubClamp, 1) Keep Vmem;
    /// m = min(m, data), signed; if it returns, D = m before.
    GLOBAL_ATOMIC_SMIN "global_atomic_smin" (11:"global_atomic_min_i32") 9:0x44 10:0x35 11:0x38 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, SMin, 1) Keep Vmem;
    /// m = min(m, data), unsigned; if it returns, D = m before.
    GLOBAL_ATOMIC_UMIN "global_atomic_umin" (11:"global_atomic_min_u32") 9:0x45 10:0x36 11:0x39 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, UMin, 1) Keep Vmem;
    /// m = max(m, data), signed; if it returns, D = m before.
    GLOBAL_ATOMIC_SMAX "global_atomic_smax" (11:"global_atomic_max_i32") 9:0x46 10:0x37 11:0x3a [B32] <- [Addr64 SAddr64 B32] => atomic(Global, SMax, 1) Keep Vmem;
    /// m = max(m, data), unsigned; if it returns, D = m before.
    GLOBAL_ATOMIC_UMAX "global_atomic_umax" (11:"global_atomic_max_u32") 9:0x47 10:0x38 11:0x3b [B32] <- [Addr64 SAddr64 B32] => atomic(Global, UMax, 1) Keep Vmem;
    /// m = m & data; if it returns, D = m before.
    GLOBAL_ATOMIC_AND "global_atomic_and" (11:"global_atomic_and_b32") 9:0x48 10:0x39 11:0x3c [B32] <- [Addr64 SAddr64 B32] => atomic(Global, And, 1) Keep Vmem;
    /// m = m | data; if it returns, D = m before.
    GLOBAL_ATOMIC_OR "global_atomic_or" (11:"global_atomic_or_b32") 9:0x49 10:0x3a 11:0x3d [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Or, 1) Keep Vmem;
    /// m = m ^ data; if it returns, D = m before.
    GLOBAL_ATOMIC_XOR "global_atomic_xor" (11:"global_atomic_xor_b32") 9:0x4a 10:0x3b 11:0x3e [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Xor, 1) Keep Vmem;
    /// m = m ≥ data ? 0 : m + 1; if it returns, D = m before.
    GLOBAL_ATOMIC_INC "global_atomic_inc" (11:"global_atomic_inc_u32") 9:0x4b 10:0x3c 11:0x3f [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Inc, 1) Keep Vmem;
    /// m = m = 0 or m > data ? data : m − 1; if it returns, D = m before.
    GLOBAL_ATOMIC_DEC "global_atomic_dec" (11:"global_atomic_dec_u32") 9:0x4c 10:0x3d 11:0x40 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, Dec, 1) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    GLOBAL_ATOMIC_FCMPSWAP "global_atomic_fcmpswap" (11:"global_atomic_cmpswap_f32") 10:0x3e 11:0x50 12:- [B32] <- [Addr64 SAddr64 B64] => atomic(Global, FCmpSwap, 1) Keep Vmem;
    /// m = min(m, data); if it returns, D = m before.
    GLOBAL_ATOMIC_FMIN "global_atomic_fmin" (11:"global_atomic_min_f32" 12:"global_atomic_min_num_f32") 10:0x3f 11:0x51 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, FMin, 1) Keep Vmem;
    /// m = max(m, data); if it returns, D = m before.
    GLOBAL_ATOMIC_FMAX "global_atomic_fmax" (11:"global_atomic_max_f32" 12:"global_atomic_max_num_f32") 10:0x40 11:0x52 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, FMax, 1) Keep Vmem;
    /// m = data; if it returns, D = m before.
    GLOBAL_ATOMIC_SWAP_X2 "global_atomic_swap_x2" (11:"global_atomic_swap_b64") 9:0x60 10:0x50 11:0x41 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Swap, 2) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    GLOBAL_ATOMIC_CMPSWAP_X2 "global_atomic_cmpswap_x2" (11:"global_atomic_cmpswap_b64") 9:0x61 10:0x51 11:0x42 [B64] <- [Addr64 SAddr64 B128] => atomic(Global, CmpSwap, 2) Keep Vmem;
    /// m = m + data; if it returns, D = m before.
    GLOBAL_ATOMIC_ADD_X2 "global_atomic_add_x2" (11:"global_atomic_add_u64") 9:0x62 10:0x52 11:0x43 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Add, 2) Keep Vmem;
    /// m = m − data; if it returns, D = m before.
    GLOBAL_ATOMIC_SUB_X2 "global_atomic_sub_x2" (11:"global_atomic_sub_u64") 9:0x63 10:0x53 11:0x44 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Sub, 2) Keep Vmem;
    /// m = min(m, data), signed; if it returns, D = m before.
    GLOBAL_ATOMIC_SMIN_X2 "global_atomic_smin_x2" (11:"global_atomic_min_i64") 9:0x64 10:0x55 11:0x45 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, SMin, 2) Keep Vmem;
    /// m = min(m, data), unsigned; if it returns, D = m before.
    GLOBAL_ATOMIC_UMIN_X2 "global_atomic_umin_x2" (11:"global_atomic_min_u64") 9:0x65 10:0x56 11:0x46 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, UMin, 2) Keep Vmem;
    /// m = max(m, data), signed; if it returns, D = m before.
    GLOBAL_ATOMIC_SMAX_X2 "global_atomic_smax_x2" (11:"global_atomic_max_i64") 9:0x66 10:0x57 11:0x47 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, SMax, 2) Keep Vmem;
    /// m = max(m, data), unsigned; if it returns, D = m before.
    GLOBAL_ATOMIC_UMAX_X2 "global_atomic_umax_x2" (11:"global_atomic_max_u64") 9:0x67 10:0x58 11:0x48 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, UMax, 2) Keep Vmem;
    /// m = m & data; if it returns, D = m before.
    GLOBAL_ATOMIC_AND_X2 "global_atomic_and_x2" (11:"global_atomic_and_b64") 9:0x68 10:0x59 11:0x49 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, And, 2) Keep Vmem;
    /// m = m | data; if it returns, D = m before.
    GLOBAL_ATOMIC_OR_X2 "global_atomic_or_x2" (11:"global_atomic_or_b64") 9:0x69 10:0x5a 11:0x4a [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Or, 2) Keep Vmem;
    /// m = m ^ data; if it returns, D = m before.
    GLOBAL_ATOMIC_XOR_X2 "global_atomic_xor_x2" (11:"global_atomic_xor_b64") 9:0x6a 10:0x5b 11:0x4b [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Xor, 2) Keep Vmem;
    /// m = m ≥ data ? 0 : m + 1; if it returns, D = m before.
    GLOBAL_ATOMIC_INC_X2 "global_atomic_inc_x2" (11:"global_atomic_inc_u64") 9:0x6b 10:0x5c 11:0x4c [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Inc, 2) Keep Vmem;
    /// m = m = 0 or m > data ? data : m − 1; if it returns, D = m before.
    GLOBAL_ATOMIC_DEC_X2 "global_atomic_dec_x2" (11:"global_atomic_dec_u64") 9:0x6c 10:0x5d 11:0x4d [B64] <- [Addr64 SAddr64 B64] => atomic(Global, Dec, 2) Keep Vmem;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    GLOBAL_ATOMIC_FCMPSWAP_X2 "global_atomic_fcmpswap_x2" 10:0x5e 11:- [B64] <- [Addr64 SAddr64 B128] => atomic(Global, FCmpSwap, 2) Keep Vmem;
    /// m = min(m, data); if it returns, D = m before.
    GLOBAL_ATOMIC_FMIN_X2 "global_atomic_fmin_x2" 10:0x5f 11:- [B64] <- [Addr64 SAddr64 B64] => atomic(Global, FMin, 2) Keep Vmem;
    /// m = max(m, data); if it returns, D = m before.
    GLOBAL_ATOMIC_FMAX_X2 "global_atomic_fmax_x2" 10:0x60 11:- [B64] <- [Addr64 SAddr64 B64] => atomic(Global, FMax, 2) Keep Vmem;
    /// m = m + data; if it returns, D = m before.
    GLOBAL_ATOMIC_ADD_F32 "global_atomic_add_f32" 11:0x56 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, FAdd, 1) Keep Vmem;
    /// m = m ≥ data ? m − data : m; if it returns, D = m before.
    GLOBAL_ATOMIC_COND_SUB_U32 "global_atomic_cond_sub_u32" 12:0x50 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, CondSub, 1) Keep Vmem;
    /// m = m + data, two f16; if it returns, D = m before.
    GLOBAL_ATOMIC_PK_ADD_F16 "global_atomic_pk_add_f16" 12:0x59 [B32] <- [Addr64 SAddr64 B32] => atomic(Global, PkAddF16, 1) Keep Vmem;
    /// m = m + data, two bf16; if it returns, D = m before.
    GLOBAL_ATOMIC_PK_ADD_BF16 "global_atomic_pk_add_bf16" 12:0x5a [B32] <- [Addr64 SAddr64 B32] => atomic(Global, PkAddBf16, 1) Keep Vmem;
    /// m = m + data, in the order of the work-groups; if it returns, D = m before.
    GLOBAL_ATOMIC_ORDERED_ADD_B64 "global_atomic_ordered_add_b64" 12:0x73 [B64] <- [Addr64 SAddr64 B64] => atomic(Global, OrderedAdd, 2) Keep Vmem;
    /// D = 32 dwords of memory, those that M0 selects.
    GLOBAL_LOAD_BLOCK "global_load_block" 12:0x53 [B1024] <- [Addr64 SAddr64 M0] => todo() Keep Vmem;
    /// Memory = 32 dwords of data, those that M0 selects.
    GLOBAL_STORE_BLOCK "global_store_block" 12:0x54 [] <- [Addr64 SAddr64 B1024 M0] => todo() Keep Vmem;
    /// D = 8 bytes a lane of a matrix of bytes, transposed.
    GLOBAL_LOAD_TR_B64 "global_load_tr_b64" 12:0x58 [B64] <- [Addr64 SAddr64] => todo() Keep Vmem;
    /// D = 16 bytes a lane of a matrix of halves, transposed.
    GLOBAL_LOAD_TR_B128 "global_load_tr_b128" 12:0x57 [B128] <- [Addr64 SAddr64] => todo() Keep Vmem;
    /// Caches up to the scope forget what others may have changed.
    GLOBAL_INV "global_inv" 12:0x2b [] <- [] => mem(Global, Invalidate) Keep Vmem;
    /// Caches up to the scope write back what was changed.
    GLOBAL_WB "global_wb" 12:0x2c [] <- [] => mem(Global, Invalidate) Keep Vmem;
    /// Both.
    GLOBAL_WBINV "global_wbinv" 12:0x4f [] <- [] => mem(Global, Invalidate) Keep Vmem;
}
