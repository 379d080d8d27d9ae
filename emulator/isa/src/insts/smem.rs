//! SMEM: scalar memory.

super::insts! { Smem from crate::insts::sopp::NEXT;
    /// D = 1 dword at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORD "s_load_dword" (11:"s_load_b32") 6:0x00 [B32] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 1 }) Keep Smem;
    /// D = 2 dwords at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORDX2 "s_load_dwordx2" (11:"s_load_b64") 6:0x01 [B64] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 2 }) Keep Smem;
    /// D = 4 dwords at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORDX4 "s_load_dwordx4" (11:"s_load_b128") 6:0x02 [B128] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 4 }) Keep Smem;
    /// D = 8 dwords at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORDX8 "s_load_dwordx8" (11:"s_load_b256") 6:0x03 [B256] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 8 }) Keep Smem;
    /// D = 16 dwords at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORDX16 "s_load_dwordx16" (11:"s_load_b512") 6:0x04 [B512] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 16 }) Keep Smem;
    /// D = 1 dword of scratch at base + 64 · soffset + offset.
    S_SCRATCH_LOAD_DWORD "s_scratch_load_dword" 9:0x05 10.3:- [B32] <- [Addr64 SOffset] => mem(Scratch, Load { bits: 32, signed: false, dwords: 1 }) Keep Smem;
    /// D = 2 dwords of scratch at base + 64 · soffset + offset.
    S_SCRATCH_LOAD_DWORDX2 "s_scratch_load_dwordx2" 9:0x06 10.3:- [B64] <- [Addr64 SOffset] => mem(Scratch, Load { bits: 32, signed: false, dwords: 2 }) Keep Smem;
    /// D = 4 dwords of scratch at base + 64 · soffset + offset.
    S_SCRATCH_LOAD_DWORDX4 "s_scratch_load_dwordx4" 9:0x07 10.3:- [B128] <- [Addr64 SOffset] => mem(Scratch, Load { bits: 32, signed: false, dwords: 4 }) Keep Smem;
    /// D = 1 dword of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORD "s_buffer_load_dword" (11:"s_buffer_load_b32") 6:0x08 12:0x10 [B32] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 1 }) Keep Smem;
    /// D = 2 dwords of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORDX2 "s_buffer_load_dwordx2" (11:"s_buffer_load_b64") 6:0x09 12:0x11 [B64] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 2 }) Keep Smem;
    /// D = 4 dwords of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORDX4 "s_buffer_load_dwordx4" (11:"s_buffer_load_b128") 6:0x0a 12:0x12 [B128] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 4 }) Keep Smem;
    /// D = 8 dwords of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORDX8 "s_buffer_load_dwordx8" (11:"s_buffer_load_b256") 6:0x0b 12:0x13 [B256] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 8 }) Keep Smem;
    /// D = 16 dwords of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORDX16 "s_buffer_load_dwordx16" (11:"s_buffer_load_b512") 6:0x0c 12:0x14 [B512] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 16 }) Keep Smem;
    /// Memory = 1 dword of data at base + soffset + offset, each address cut to a dword.
    S_STORE_DWORD "s_store_dword" 9:0x10 10.3:- [] <- [Addr64 SOffset B32] => mem(Scalar, Store { bits: 32, dwords: 1 }) Keep Smem;
    /// Memory = 2 dwords of data at base + soffset + offset, each address cut to a dword.
    S_STORE_DWORDX2 "s_store_dwordx2" 9:0x11 10.3:- [] <- [Addr64 SOffset B64] => mem(Scalar, Store { bits: 32, dwords: 2 }) Keep Smem;
    /// Memory = 4 dwords of data at base + soffset + offset, each address cut to a dword.
    S_STORE_DWORDX4 "s_store_dwordx4" 9:0x12 10.3:- [] <- [Addr64 SOffset B128] => mem(Scalar, Store { bits: 32, dwords: 4 }) Keep Smem;
    /// Scratch = 1 dword of data at base + 64 · soffset + offset.
    S_SCRATCH_STORE_DWORD "s_scratch_store_dword" 9:0x15 10.3:- [] <- [Addr64 SOffset B32] => mem(Scratch, Store { bits: 32, dwords: 1 }) Keep Smem;
    /// Scratch = 2 dwords of data at base + 64 · soffset + offset.
    S_SCRATCH_STORE_DWORDX2 "s_scratch_store_dwordx2" 9:0x16 10.3:- [] <- [Addr64 SOffset B64] => mem(Scratch, Store { bits: 32, dwords: 2 }) Keep Smem;
    /// Scratch = 4 dwords of data at base + 64 · soffset + offset.
    S_SCRATCH_STORE_DWORDX4 "s_scratch_store_dwordx4" 9:0x17 10.3:- [] <- [Addr64 SOffset B128] => mem(Scratch, Store { bits: 32, dwords: 4 }) Keep Smem;
    /// Buffer = 1 dword of data at soffset + offset; out of range writes nothing.
    S_BUFFER_STORE_DWORD "s_buffer_store_dword" 9:0x18 10.3:- [] <- [Rsrc SOffset B32] => mem(Scalar, Store { bits: 32, dwords: 1 }) Keep Smem;
    /// Buffer = 2 dwords of data at soffset + offset; out of range writes nothing.
    S_BUFFER_STORE_DWORDX2 "s_buffer_store_dwordx2" 9:0x19 10.3:- [] <- [Rsrc SOffset B64] => mem(Scalar, Store { bits: 32, dwords: 2 }) Keep Smem;
    /// Buffer = 4 dwords of data at soffset + offset; out of range writes nothing.
    S_BUFFER_STORE_DWORDX4 "s_buffer_store_dwordx4" 9:0x1a 10.3:- [] <- [Rsrc SOffset B128] => mem(Scalar, Store { bits: 32, dwords: 4 }) Keep Smem;
    /// Invalidate the L1 cache.
    S_GL1_INV "s_gl1_inv" 10:0x1f 11:0x20 12:- [] <- [] => mem(Scalar, Invalidate) Keep Smem, invalidates(L1);
    /// Invalidate the scalar cache.
    S_DCACHE_INV "s_dcache_inv" 6:0x1f 9:0x20 11:0x21 [] <- [] => mem(Scalar, Invalidate) Keep Smem, invalidates(Scalar);
    /// Write back the scalar cache.
    S_DCACHE_WB "s_dcache_wb" 9:0x21 10.3:- [] <- [] => mem(Scalar, Invalidate) Keep Smem, invalidates(ScalarWriteBack);
    /// D = the shader clock's count.
    S_MEMTIME "s_memtime" 6:0x1e 9:0x24 11:- [B64] <- [] => mem(Scalar, Clock { realtime: false }) Keep Smem;
    /// D = the constant-rate clock's count.
    S_MEMREALTIME "s_memrealtime" 9:0x25 11:- [B64] <- [] => mem(Scalar, Clock { realtime: true }) Keep Smem;
    /// Probe the translation of base + soffset + offset.
    S_ATC_PROBE "s_atc_probe" 9:0x26 11:0x22 [] <- [Addr64 SOffset Probe] => mem(Scalar, Hint) Keep Smem;
    /// Probe the translation of a buffer at soffset + offset.
    S_ATC_PROBE_BUFFER "s_atc_probe_buffer" 9:0x27 11:0x23 [] <- [Rsrc SOffset Probe] => mem(Scalar, Hint) Keep Smem;
    /// Discard a dirty line of the scalar cache.
    S_DCACHE_DISCARD "s_dcache_discard" 9:0x28 10.3:- [] <- [Addr64 SOffset] => mem(Scalar, Hint) Keep Smem;
    /// Discard two dirty lines of the scalar cache.
    S_DCACHE_DISCARD_X2 "s_dcache_discard_x2" 9:0x29 10.3:- [] <- [Addr64 SOffset] => mem(Scalar, Hint) Keep Smem;
    /// D = index of the wave in its work-group.
    S_GET_WAVEID_IN_WORKGROUP "s_get_waveid_in_workgroup" 10:0x2a 10.3:- [B32] <- [] => mem(Scalar, WaveId) Keep Smem;
    /// m = data, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_SWAP "s_buffer_atomic_swap" 9:0x40 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, Swap, 1) Keep Smem;
    /// m = m = data[1] ? data[0] : m, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_CMPSWAP "s_buffer_atomic_cmpswap" 9:0x41 10.3:- [B32] <- [Rsrc SOffset B64] => atomic(Scalar, CmpSwap, 1) Keep Smem;
    /// m = m + data, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_ADD "s_buffer_atomic_add" 9:0x42 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, Add, 1) Keep Smem;
    /// m = m − data, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_SUB "s_buffer_atomic_sub" 9:0x43 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, Sub, 1) Keep Smem;
    /// m = min(m, data), signed, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_SMIN "s_buffer_atomic_smin" 9:0x44 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, SMin, 1) Keep Smem;
    /// m = min(m, data), unsigned, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_UMIN "s_buffer_atomic_umin" 9:0x45 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, UMin, 1) Keep Smem;
    /// m = max(m, data), signed, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_SMAX "s_buffer_atomic_smax" 9:0x46 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, SMax, 1) Keep Smem;
    /// m = max(m, data), unsigned, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_UMAX "s_buffer_atomic_umax" 9:0x47 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, UMax, 1) Keep Smem;
    /// m = m & data, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_AND "s_buffer_atomic_and" 9:0x48 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, And, 1) Keep Smem;
    /// m = m | data, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_OR "s_buffer_atomic_or" 9:0x49 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, Or, 1) Keep Smem;
    /// m = m ^ data, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_XOR "s_buffer_atomic_xor" 9:0x4a 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, Xor, 1) Keep Smem;
    /// m = m ≥ data ? 0 : m + 1, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_INC "s_buffer_atomic_inc" 9:0x4b 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, Inc, 1) Keep Smem;
    /// m = m = 0 or m > data ? data : m − 1, of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_DEC "s_buffer_atomic_dec" 9:0x4c 10.3:- [B32] <- [Rsrc SOffset B32] => atomic(Scalar, Dec, 1) Keep Smem;
    /// m = data, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_SWAP_X2 "s_buffer_atomic_swap_x2" 9:0x60 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, Swap, 2) Keep Smem;
    /// m = m = data[1] ? data[0] : m, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_CMPSWAP_X2 "s_buffer_atomic_cmpswap_x2" 9:0x61 10.3:- [B64] <- [Rsrc SOffset B128] => atomic(Scalar, CmpSwap, 2) Keep Smem;
    /// m = m + data, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_ADD_X2 "s_buffer_atomic_add_x2" 9:0x62 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, Add, 2) Keep Smem;
    /// m = m − data, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_SUB_X2 "s_buffer_atomic_sub_x2" 9:0x63 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, Sub, 2) Keep Smem;
    /// m = min(m, data), signed, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_SMIN_X2 "s_buffer_atomic_smin_x2" 9:0x64 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, SMin, 2) Keep Smem;
    /// m = min(m, data), unsigned, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_UMIN_X2 "s_buffer_atomic_umin_x2" 9:0x65 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, UMin, 2) Keep Smem;
    /// m = max(m, data), signed, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_SMAX_X2 "s_buffer_atomic_smax_x2" 9:0x66 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, SMax, 2) Keep Smem;
    /// m = max(m, data), unsigned, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_UMAX_X2 "s_buffer_atomic_umax_x2" 9:0x67 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, UMax, 2) Keep Smem;
    /// m = m & data, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_AND_X2 "s_buffer_atomic_and_x2" 9:0x68 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, And, 2) Keep Smem;
    /// m = m | data, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_OR_X2 "s_buffer_atomic_or_x2" 9:0x69 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, Or, 2) Keep Smem;
    /// m = m ^ data, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_XOR_X2 "s_buffer_atomic_xor_x2" 9:0x6a 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, Xor, 2) Keep Smem;
    /// m = m ≥ data ? 0 : m + 1, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_INC_X2 "s_buffer_atomic_inc_x2" 9:0x6b 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, Inc, 2) Keep Smem;
    /// m = m = 0 or m > data ? data : m − 1, two dwords of a buffer at soffset + offset; if it returns, D = m before.
    S_BUFFER_ATOMIC_DEC_X2 "s_buffer_atomic_dec_x2" 9:0x6c 10.3:- [B64] <- [Rsrc SOffset B64] => atomic(Scalar, Dec, 2) Keep Smem;
    /// m = data, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_SWAP "s_atomic_swap" 9:0x80 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, Swap, 1) Keep Smem;
    /// m = m = data[1] ? data[0] : m, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_CMPSWAP "s_atomic_cmpswap" 9:0x81 10.3:- [B32] <- [Addr64 SOffset B64] => atomic(Scalar, CmpSwap, 1) Keep Smem;
    /// m = m + data, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_ADD "s_atomic_add" 9:0x82 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, Add, 1) Keep Smem;
    /// m = m − data, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_SUB "s_atomic_sub" 9:0x83 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, Sub, 1) Keep Smem;
    /// m = min(m, data), signed, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_SMIN "s_atomic_smin" 9:0x84 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, SMin, 1) Keep Smem;
    /// m = min(m, data), unsigned, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_UMIN "s_atomic_umin" 9:0x85 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, UMin, 1) Keep Smem;
    /// m = max(m, data), signed, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_SMAX "s_atomic_smax" 9:0x86 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, SMax, 1) Keep Smem;
    /// m = max(m, data), unsigned, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_UMAX "s_atomic_umax" 9:0x87 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, UMax, 1) Keep Smem;
    /// m = m & data, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_AND "s_atomic_and" 9:0x88 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, And, 1) Keep Smem;
    /// m = m | data, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_OR "s_atomic_or" 9:0x89 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, Or, 1) Keep Smem;
    /// m = m ^ data, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_XOR "s_atomic_xor" 9:0x8a 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, Xor, 1) Keep Smem;
    /// m = m ≥ data ? 0 : m + 1, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_INC "s_atomic_inc" 9:0x8b 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, Inc, 1) Keep Smem;
    /// m = m = 0 or m > data ? data : m − 1, at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_DEC "s_atomic_dec" 9:0x8c 10.3:- [B32] <- [Addr64 SOffset B32] => atomic(Scalar, Dec, 1) Keep Smem;
    /// m = data, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_SWAP_X2 "s_atomic_swap_x2" 9:0xa0 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, Swap, 2) Keep Smem;
    /// m = m = data[1] ? data[0] : m, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_CMPSWAP_X2 "s_atomic_cmpswap_x2" 9:0xa1 10.3:- [B64] <- [Addr64 SOffset B128] => atomic(Scalar, CmpSwap, 2) Keep Smem;
    /// m = m + data, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_ADD_X2 "s_atomic_add_x2" 9:0xa2 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, Add, 2) Keep Smem;
    /// m = m − data, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_SUB_X2 "s_atomic_sub_x2" 9:0xa3 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, Sub, 2) Keep Smem;
    /// m = min(m, data), signed, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_SMIN_X2 "s_atomic_smin_x2" 9:0xa4 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, SMin, 2) Keep Smem;
    /// m = min(m, data), unsigned, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_UMIN_X2 "s_atomic_umin_x2" 9:0xa5 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, UMin, 2) Keep Smem;
    /// m = max(m, data), signed, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_SMAX_X2 "s_atomic_smax_x2" 9:0xa6 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, SMax, 2) Keep Smem;
    /// m = max(m, data), unsigned, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_UMAX_X2 "s_atomic_umax_x2" 9:0xa7 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, UMax, 2) Keep Smem;
    /// m = m & data, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_AND_X2 "s_atomic_and_x2" 9:0xa8 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, And, 2) Keep Smem;
    /// m = m | data, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_OR_X2 "s_atomic_or_x2" 9:0xa9 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, Or, 2) Keep Smem;
    /// m = m ^ data, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_XOR_X2 "s_atomic_xor_x2" 9:0xaa 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, Xor, 2) Keep Smem;
    /// m = m ≥ data ? 0 : m + 1, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_INC_X2 "s_atomic_inc_x2" 9:0xab 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, Inc, 2) Keep Smem;
    /// m = m = 0 or m > data ? data : m − 1, two dwords at base + soffset + offset; if it returns, D = m before.
    S_ATOMIC_DEC_X2 "s_atomic_dec_x2" 9:0xac 10.3:- [B64] <- [Addr64 SOffset B64] => atomic(Scalar, Dec, 2) Keep Smem;
    /// Invalidate the volatile lines of the scalar data cache.
    S_DCACHE_INV_VOL "s_dcache_inv_vol" 7:0x1d 9:0x22 10:- [] <- [] => mem(Scalar, Invalidate) Keep Smem, invalidates(Scalar);
    /// Write back the volatile lines of the scalar data cache.
    S_DCACHE_WB_VOL "s_dcache_wb_vol" 9:0x23 10:- [] <- [] => mem(Scalar, Invalidate) Keep Smem, invalidates(ScalarWriteBack);
    /// D = 3 dwords of memory.
    S_LOAD_B96 "s_load_b96" 12:0x05 [B96] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 3 }) Keep Smem;
    /// D = 8 bits of memory, sign-extended.
    S_LOAD_I8 "s_load_i8" 12:0x08 [I32] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 8, signed: true, dwords: 1 }) Keep Smem;
    /// D = 8 bits of memory, zero-extended.
    S_LOAD_U8 "s_load_u8" 12:0x09 [U32] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 8, signed: false, dwords: 1 }) Keep Smem;
    /// D = 16 bits of memory, sign-extended.
    S_LOAD_I16 "s_load_i16" 12:0x0a [I32] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 16, signed: true, dwords: 1 }) Keep Smem;
    /// D = 16 bits of memory, zero-extended.
    S_LOAD_U16 "s_load_u16" 12:0x0b [U32] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 16, signed: false, dwords: 1 }) Keep Smem;
    /// D = 3 dwords of memory.
    S_BUFFER_LOAD_B96 "s_buffer_load_b96" 12:0x15 [B96] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 3 }) Keep Smem;
    /// D = 8 bits of memory, sign-extended.
    S_BUFFER_LOAD_I8 "s_buffer_load_i8" 12:0x18 [I32] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 8, signed: true, dwords: 1 }) Keep Smem;
    /// D = 8 bits of memory, zero-extended.
    S_BUFFER_LOAD_U8 "s_buffer_load_u8" 12:0x19 [U32] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 8, signed: false, dwords: 1 }) Keep Smem;
    /// D = 16 bits of memory, sign-extended.
    S_BUFFER_LOAD_I16 "s_buffer_load_i16" 12:0x1a [I32] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 16, signed: true, dwords: 1 }) Keep Smem;
    /// D = 16 bits of memory, zero-extended.
    S_BUFFER_LOAD_U16 "s_buffer_load_u16" 12:0x1b [U32] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 16, signed: false, dwords: 1 }) Keep Smem;
    /// Loads instructions into a cache, so many chunks of 128 bytes.
    S_PREFETCH_INST "s_prefetch_inst" 12:0x24 [] <- [Addr64 SOffset Length] => mem(Scalar, Hint) Keep Smem;
    /// Loads instructions from the program counter into a cache, so many chunks of 128 bytes.
    S_PREFETCH_INST_PC_REL "s_prefetch_inst_pc_rel" 12:0x25 [] <- [Unused SOffset Length] => mem(Scalar, Hint) Keep Smem;
    /// Loads data into a cache, so many chunks of 128 bytes.
    S_PREFETCH_DATA "s_prefetch_data" 12:0x26 [] <- [Addr64 SOffset Length] => mem(Scalar, Hint) Keep Smem;
    /// Loads a buffer's data into a cache, so many chunks of 128 bytes.
    S_BUFFER_PREFETCH_DATA "s_buffer_prefetch_data" 12:0x27 [] <- [Rsrc SOffset Length] => mem(Scalar, Hint) Keep Smem;
    /// Loads data from the program counter into a cache, so many chunks of 128 bytes.
    S_PREFETCH_DATA_PC_REL "s_prefetch_data_pc_rel" 12:0x28 [] <- [Unused SOffset Length] => mem(Scalar, Hint) Keep Smem;
}
