//! SMEM: scalar memory.

super::insts! { Smem from crate::insts::sopp::NEXT;
    /// D = 1 dword at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORD "s_load_dword" 0x00 [B32] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 1 }) Keep Smem;
    /// D = 2 dwords at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORDX2 "s_load_dwordx2" 0x01 [B64] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 2 }) Keep Smem;
    /// D = 4 dwords at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORDX4 "s_load_dwordx4" 0x02 [B128] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 4 }) Keep Smem;
    /// D = 8 dwords at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORDX8 "s_load_dwordx8" 0x03 [B256] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 8 }) Keep Smem;
    /// D = 16 dwords at base + soffset + offset, each address cut to a dword.
    S_LOAD_DWORDX16 "s_load_dwordx16" 0x04 [B512] <- [Addr64 SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 16 }) Keep Smem;
    /// D = 1 dword of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORD "s_buffer_load_dword" 0x08 [B32] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 1 }) Keep Smem;
    /// D = 2 dwords of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORDX2 "s_buffer_load_dwordx2" 0x09 [B64] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 2 }) Keep Smem;
    /// D = 4 dwords of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORDX4 "s_buffer_load_dwordx4" 0x0a [B128] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 4 }) Keep Smem;
    /// D = 8 dwords of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORDX8 "s_buffer_load_dwordx8" 0x0b [B256] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 8 }) Keep Smem;
    /// D = 16 dwords of a buffer at soffset + offset; out of range reads zero.
    S_BUFFER_LOAD_DWORDX16 "s_buffer_load_dwordx16" 0x0c [B512] <- [Rsrc SOffset] => mem(Scalar, Load { bits: 32, signed: false, dwords: 16 }) Keep Smem;
    /// Invalidate the L1 cache.
    S_GL1_INV "s_gl1_inv" 0x1f [] <- [] => mem(Scalar, Invalidate) Keep Smem;
    /// Invalidate the scalar cache.
    S_DCACHE_INV "s_dcache_inv" 0x20 [] <- [] => mem(Scalar, Invalidate) Keep Smem;
    /// Write back the scalar cache.
    S_DCACHE_WB "s_dcache_wb" 0x21 [] <- [] => mem(Scalar, Invalidate) Keep Smem;
    /// D = the shader clock's count.
    S_MEMTIME "s_memtime" 0x24 [B64] <- [] => mem(Scalar, Clock { realtime: false }) Keep Smem;
    /// D = the constant-rate clock's count.
    S_MEMREALTIME "s_memrealtime" 0x25 [B64] <- [] => mem(Scalar, Clock { realtime: true }) Keep Smem;
    /// D = index of the wave in its work-group.
    S_GET_WAVEID_IN_WORKGROUP "s_get_waveid_in_workgroup" 0x2a [B32] <- [] => mem(Scalar, WaveId) Keep Smem;
}
