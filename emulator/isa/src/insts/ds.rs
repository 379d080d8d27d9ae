//! DS: local data share.

super::insts! { Ds from crate::insts::wmma::NEXT;
    /// m = m + data, at addr + offset.
    DS_ADD_U32 "ds_add_u32" 6:0x00 [] <- [Addr32 B32] => atomic(Lds, Add, 1) Keep Lds;
    /// m = m − data, at addr + offset.
    DS_SUB_U32 "ds_sub_u32" 6:0x01 [] <- [Addr32 B32] => atomic(Lds, Sub, 1) Keep Lds;
    /// m = data − m, at addr + offset.
    DS_RSUB_U32 "ds_rsub_u32" 6:0x02 [] <- [Addr32 B32] => atomic(Lds, Rsub, 1) Keep Lds;
    /// m = m ≥ data ? 0 : m + 1, at addr + offset.
    DS_INC_U32 "ds_inc_u32" 6:0x03 [] <- [Addr32 B32] => atomic(Lds, Inc, 1) Keep Lds;
    /// m = m = 0 or m > data ? data : m − 1, at addr + offset.
    DS_DEC_U32 "ds_dec_u32" 6:0x04 [] <- [Addr32 B32] => atomic(Lds, Dec, 1) Keep Lds;
    /// m = min(m, data), at addr + offset.
    DS_MIN_I32 "ds_min_i32" 6:0x05 [] <- [Addr32 B32] => atomic(Lds, SMin, 1) Keep Lds;
    /// m = max(m, data), at addr + offset.
    DS_MAX_I32 "ds_max_i32" 6:0x06 [] <- [Addr32 B32] => atomic(Lds, SMax, 1) Keep Lds;
    /// m = min(m, data), at addr + offset.
    DS_MIN_U32 "ds_min_u32" 6:0x07 [] <- [Addr32 B32] => atomic(Lds, UMin, 1) Keep Lds;
    /// m = max(m, data), at addr + offset.
    DS_MAX_U32 "ds_max_u32" 6:0x08 [] <- [Addr32 B32] => atomic(Lds, UMax, 1) Keep Lds;
    /// m = m & data, at addr + offset.
    DS_AND_B32 "ds_and_b32" 6:0x09 [] <- [Addr32 B32] => atomic(Lds, And, 1) Keep Lds;
    /// m = m | data, at addr + offset.
    DS_OR_B32 "ds_or_b32" 6:0x0a [] <- [Addr32 B32] => atomic(Lds, Or, 1) Keep Lds;
    /// m = m ^ data, at addr + offset.
    DS_XOR_B32 "ds_xor_b32" 6:0x0b [] <- [Addr32 B32] => atomic(Lds, Xor, 1) Keep Lds;
    /// m = m & ~data0 | data1, at addr + offset.
    DS_MSKOR_B32 "ds_mskor_b32" 6:0x0c [] <- [Addr32 B32 B32] => atomic(Lds, MaskOr, 1) Keep Lds;
    /// m = data, at addr + offset.
    DS_WRITE_B32 "ds_write_b32" (11:"ds_store_b32") 6:0x0d [] <- [Addr32 B32] => mem(Lds, Store { bits: 32, dwords: 1 }) Keep Lds;
    /// m[offset0] = data0, m[offset1] = data1, in steps of 4 bytes from addr.
    DS_WRITE2_B32 "ds_write2_b32" (11:"ds_store_2addr_b32") 6:0x0e [] <- [Addr32 B32 B32] => mem(Lds, Store2 { dwords: 1, st64: false }) Keep Lds;
    /// m[offset0] = data0, m[offset1] = data1, in steps of 256 bytes from addr.
    DS_WRITE2ST64_B32 "ds_write2st64_b32" (11:"ds_store_2addr_stride64_b32") 6:0x0f [] <- [Addr32 B32 B32] => mem(Lds, Store2 { dwords: 1, st64: true }) Keep Lds;
    /// m = m = data0 ? data1 : m, at addr + offset.
    DS_CMPST_B32 "ds_cmpst_b32" 6:0x10 11:- [] <- [Addr32 B32 B32] => atomic(Lds, CmpSwap, 1) Keep Lds;
    /// m = m = data0 ? data1 : m, at addr + offset.
    DS_CMPST_F32 "ds_cmpst_f32" 6:0x11 11:- [] <- [Addr32 B32 B32] => atomic(Lds, FCmpSwap, 1) Keep Lds;
    /// m = min(m, data), at addr + offset.
    DS_MIN_F32 "ds_min_f32" (12:"ds_min_num_f32") 6:0x12 [] <- [Addr32 B32] => atomic(Lds, FMin, 1) Keep Lds;
    /// m = max(m, data), at addr + offset.
    DS_MAX_F32 "ds_max_f32" (12:"ds_max_num_f32") 6:0x13 [] <- [Addr32 B32] => atomic(Lds, FMax, 1) Keep Lds;
    /// Nothing.
    DS_NOP "ds_nop" 7:0x14 [] <- [] => control(Nop) Keep Lds;
    /// m = m + data, at addr + offset.
    DS_ADD_F32 "ds_add_f32" 9:0x15 [] <- [Addr32 F32] => atomic(Lds, FAdd, 1) Keep Lds;
    /// Release every wave that waits at a semaphore.
    DS_GWS_SEMA_RELEASE_ALL "ds_gws_sema_release_all" 7:0x18 9:0x98 10:0x18 12:- [] <- [M0] => mem(Lds, Gws(crate::row::GwsOp::SemaphoreReleaseAll)) Keep Lds;
    /// Set a barrier's or semaphore's count to data of the first live lane.
    DS_GWS_INIT "ds_gws_init" 6:0x19 9:0x99 10:0x19 12:- [] <- [B32 M0] => mem(Lds, Gws(crate::row::GwsOp::Init)) Keep Lds;
    /// Add one to a semaphore, releasing a wave.
    DS_GWS_SEMA_V "ds_gws_sema_v" 6:0x1a 9:0x9a 10:0x1a 12:- [] <- [M0] => mem(Lds, Gws(crate::row::GwsOp::SemaphoreV)) Keep Lds;
    /// Add data of the first live lane to a semaphore, releasing as many waves.
    DS_GWS_SEMA_BR "ds_gws_sema_br" 6:0x1b 9:0x9b 10:0x1b 12:- [] <- [B32 M0] => mem(Lds, Gws(crate::row::GwsOp::SemaphoreBroadcast)) Keep Lds;
    /// Wait until a semaphore is above zero, then take one.
    DS_GWS_SEMA_P "ds_gws_sema_p" 6:0x1c 9:0x9c 10:0x1c 12:- [] <- [M0] => mem(Lds, Gws(crate::row::GwsOp::SemaphoreP)) Keep Lds;
    /// Wait until as many waves are here as the count says; data of the first live lane is the next count.
    DS_GWS_BARRIER "ds_gws_barrier" 6:0x1d 9:0x9d 10:0x1d 12:- [] <- [B32 M0] => mem(Lds, Gws(crate::row::GwsOp::Barrier)) Keep Lds;
    /// m = data[7:0], at addr + offset.
    DS_WRITE_B8 "ds_write_b8" (11:"ds_store_b8") 6:0x1e [] <- [Addr32 B32] => mem(Lds, Store { bits: 8, dwords: 1 }) Keep Lds;
    /// m = data[15:0], at addr + offset.
    DS_WRITE_B16 "ds_write_b16" (11:"ds_store_b16") 6:0x1f [] <- [Addr32 B32] => mem(Lds, Store { bits: 16, dwords: 1 }) Keep Lds;
    /// D = m; m = m + data, at addr + offset.
    DS_ADD_RTN_U32 "ds_add_rtn_u32" 6:0x20 [B32] <- [Addr32 B32] => atomic(Lds, Add, 1) Keep Lds;
    /// D = m; m = m − data, at addr + offset.
    DS_SUB_RTN_U32 "ds_sub_rtn_u32" 6:0x21 [B32] <- [Addr32 B32] => atomic(Lds, Sub, 1) Keep Lds;
    /// D = m; m = data − m, at addr + offset.
    DS_RSUB_RTN_U32 "ds_rsub_rtn_u32" 6:0x22 [B32] <- [Addr32 B32] => atomic(Lds, Rsub, 1) Keep Lds;
    /// D = m; m = m ≥ data ? 0 : m + 1, at addr + offset.
    DS_INC_RTN_U32 "ds_inc_rtn_u32" 6:0x23 [B32] <- [Addr32 B32] => atomic(Lds, Inc, 1) Keep Lds;
    /// D = m; m = m = 0 or m > data ? data : m − 1, at addr + offset.
    DS_DEC_RTN_U32 "ds_dec_rtn_u32" 6:0x24 [B32] <- [Addr32 B32] => atomic(Lds, Dec, 1) Keep Lds;
    /// D = m; m = min(m, data), at addr + offset.
    DS_MIN_RTN_I32 "ds_min_rtn_i32" 6:0x25 [B32] <- [Addr32 B32] => atomic(Lds, SMin, 1) Keep Lds;
    /// D = m; m = max(m, data), at addr + offset.
    DS_MAX_RTN_I32 "ds_max_rtn_i32" 6:0x26 [B32] <- [Addr32 B32] => atomic(Lds, SMax, 1) Keep Lds;
    /// D = m; m = min(m, data), at addr + offset.
    DS_MIN_RTN_U32 "ds_min_rtn_u32" 6:0x27 [B32] <- [Addr32 B32] => atomic(Lds, UMin, 1) Keep Lds;
    /// D = m; m = max(m, data), at addr + offset.
    DS_MAX_RTN_U32 "ds_max_rtn_u32" 6:0x28 [B32] <- [Addr32 B32] => atomic(Lds, UMax, 1) Keep Lds;
    /// D = m; m = m & data, at addr + offset.
    DS_AND_RTN_B32 "ds_and_rtn_b32" 6:0x29 [B32] <- [Addr32 B32] => atomic(Lds, And, 1) Keep Lds;
    /// D = m; m = m | data, at addr + offset.
    DS_OR_RTN_B32 "ds_or_rtn_b32" 6:0x2a [B32] <- [Addr32 B32] => atomic(Lds, Or, 1) Keep Lds;
    /// D = m; m = m ^ data, at addr + offset.
    DS_XOR_RTN_B32 "ds_xor_rtn_b32" 6:0x2b [B32] <- [Addr32 B32] => atomic(Lds, Xor, 1) Keep Lds;
    /// D = m; m = m & ~data0 | data1, at addr + offset.
    DS_MSKOR_RTN_B32 "ds_mskor_rtn_b32" 6:0x2c [B32] <- [Addr32 B32 B32] => atomic(Lds, MaskOr, 1) Keep Lds;
    /// D = m; m = data, at addr + offset.
    DS_WRXCHG_RTN_B32 "ds_wrxchg_rtn_b32" (11:"ds_storexchg_rtn_b32") 6:0x2d [B32] <- [Addr32 B32] => atomic(Lds, Swap, 1) Keep Lds;
    /// D = m[offset0], m[offset1]; these = data0, data1.
    DS_WRXCHG2_RTN_B32 "ds_wrxchg2_rtn_b32" (11:"ds_storexchg_2addr_rtn_b32") 6:0x2e [B64] <- [Addr32 B32 B32] => mem(Lds, Exchange2 { dwords: 1, st64: false }) Keep Lds;
    /// D = m[offset0], m[offset1]; these = data0, data1.
    DS_WRXCHG2ST64_RTN_B32 "ds_wrxchg2st64_rtn_b32" (11:"ds_storexchg_2addr_stride64_rtn_b32") 6:0x2f [B64] <- [Addr32 B32 B32] => mem(Lds, Exchange2 { dwords: 1, st64: true }) Keep Lds;
    /// D = m; m = m = data0 ? data1 : m, at addr + offset.
    DS_CMPST_RTN_B32 "ds_cmpst_rtn_b32" 6:0x30 11:- [B32] <- [Addr32 B32 B32] => atomic(Lds, CmpSwap, 1) Keep Lds;
    /// D = m; m = m = data0 ? data1 : m, at addr + offset.
    DS_CMPST_RTN_F32 "ds_cmpst_rtn_f32" 6:0x31 11:- [B32] <- [Addr32 B32 B32] => atomic(Lds, FCmpSwap, 1) Keep Lds;
    /// D = m; m = min(m, data), at addr + offset.
    DS_MIN_RTN_F32 "ds_min_rtn_f32" (12:"ds_min_num_rtn_f32") 6:0x32 [B32] <- [Addr32 B32] => atomic(Lds, FMin, 1) Keep Lds;
    /// D = m; m = max(m, data), at addr + offset.
    DS_MAX_RTN_F32 "ds_max_rtn_f32" (12:"ds_max_num_rtn_f32") 6:0x33 [B32] <- [Addr32 B32] => atomic(Lds, FMax, 1) Keep Lds;
    /// D = m; m = m ≥ data0 ? m − data0 : m + data1.
    DS_WRAP_RTN_B32 "ds_wrap_rtn_b32" 7:0x34 12:- [B32] <- [Addr32 B32 B32] => atomic(Lds, Wrap, 1) Keep Lds;
    /// D = S0 of the lane that the offset's pattern selects.
    DS_SWIZZLE_B32 "ds_swizzle_b32" 6:0x35 9:0x3d 10:0x35 [B32] <- [B32] => wave(DsSwizzle) Keep Lds;
    /// D = m, at addr + offset.
    DS_READ_B32 "ds_read_b32" (11:"ds_load_b32") 6:0x36 [B32] <- [Addr32] => mem(Lds, Load { bits: 32, signed: false, dwords: 1 }) Keep Lds;
    /// D = m[offset0], m[offset1], in steps of 4 bytes from addr.
    DS_READ2_B32 "ds_read2_b32" (11:"ds_load_2addr_b32") 6:0x37 [B64] <- [Addr32] => mem(Lds, Load2 { dwords: 1, st64: false }) Keep Lds;
    /// D = m[offset0], m[offset1], in steps of 256 bytes from addr.
    DS_READ2ST64_B32 "ds_read2st64_b32" (11:"ds_load_2addr_stride64_b32") 6:0x38 [B64] <- [Addr32] => mem(Lds, Load2 { dwords: 1, st64: true }) Keep Lds;
    /// D = m, sign-extended, at addr + offset.
    DS_READ_I8 "ds_read_i8" (11:"ds_load_i8") 6:0x39 [I32] <- [Addr32] => mem(Lds, Load { bits: 8, signed: true, dwords: 1 }) Keep Lds;
    /// D = m, zero-extended, at addr + offset.
    DS_READ_U8 "ds_read_u8" (11:"ds_load_u8") 6:0x3a [U32] <- [Addr32] => mem(Lds, Load { bits: 8, signed: false, dwords: 1 }) Keep Lds;
    /// D = m, sign-extended, at addr + offset.
    DS_READ_I16 "ds_read_i16" (11:"ds_load_i16") 6:0x3b [I32] <- [Addr32] => mem(Lds, Load { bits: 16, signed: true, dwords: 1 }) Keep Lds;
    /// D = m, zero-extended, at addr + offset.
    DS_READ_U16 "ds_read_u16" (11:"ds_load_u16") 6:0x3c [U32] <- [Addr32] => mem(Lds, Load { bits: 16, signed: false, dwords: 1 }) Keep Lds;
    /// D = m − number of active lanes, once a wave.
    DS_CONSUME "ds_consume" 6:0x3d 9:0xbd 10:0x3d [B32] <- [M0] => mem(Lds, Count { add: false }) Keep Lds;
    /// D = m; m = m + number of active lanes, once a wave.
    DS_APPEND "ds_append" 6:0x3e 9:0xbe 10:0x3e [B32] <- [M0] => mem(Lds, Count { add: true }) Keep Lds;
    /// D = an ordered-append counter; it grows when the wave's turn comes.
    DS_ORDERED_COUNT "ds_ordered_count" 6:0x3f 9:0xbf 10:0x3f 12:- [B32] <- [Addr32 M0] => mem(Lds, OrderedCount) Keep Lds;
    /// m = m + data, at addr + offset.
    DS_ADD_U64 "ds_add_u64" 6:0x40 [] <- [Addr32 B64] => atomic(Lds, Add, 2) Keep Lds;
    /// m = m − data, at addr + offset.
    DS_SUB_U64 "ds_sub_u64" 6:0x41 [] <- [Addr32 B64] => atomic(Lds, Sub, 2) Keep Lds;
    /// m = data − m, at addr + offset.
    DS_RSUB_U64 "ds_rsub_u64" 6:0x42 [] <- [Addr32 B64] => atomic(Lds, Rsub, 2) Keep Lds;
    /// m = m ≥ data ? 0 : m + 1, at addr + offset.
    DS_INC_U64 "ds_inc_u64" 6:0x43 [] <- [Addr32 B64] => atomic(Lds, Inc, 2) Keep Lds;
    /// m = m = 0 or m > data ? data : m − 1, at addr + offset.
    DS_DEC_U64 "ds_dec_u64" 6:0x44 [] <- [Addr32 B64] => atomic(Lds, Dec, 2) Keep Lds;
    /// m = min(m, data), at addr + offset.
    DS_MIN_I64 "ds_min_i64" 6:0x45 [] <- [Addr32 B64] => atomic(Lds, SMin, 2) Keep Lds;
    /// m = max(m, data), at addr + offset.
    DS_MAX_I64 "ds_max_i64" 6:0x46 [] <- [Addr32 B64] => atomic(Lds, SMax, 2) Keep Lds;
    /// m = min(m, data), at addr + offset.
    DS_MIN_U64 "ds_min_u64" 6:0x47 [] <- [Addr32 B64] => atomic(Lds, UMin, 2) Keep Lds;
    /// m = max(m, data), at addr + offset.
    DS_MAX_U64 "ds_max_u64" 6:0x48 [] <- [Addr32 B64] => atomic(Lds, UMax, 2) Keep Lds;
    /// m = m & data, at addr + offset.
    DS_AND_B64 "ds_and_b64" 6:0x49 [] <- [Addr32 B64] => atomic(Lds, And, 2) Keep Lds;
    /// m = m | data, at addr + offset.
    DS_OR_B64 "ds_or_b64" 6:0x4a [] <- [Addr32 B64] => atomic(Lds, Or, 2) Keep Lds;
    /// m = m ^ data, at addr + offset.
    DS_XOR_B64 "ds_xor_b64" 6:0x4b [] <- [Addr32 B64] => atomic(Lds, Xor, 2) Keep Lds;
    /// m = m & ~data0 | data1, at addr + offset.
    DS_MSKOR_B64 "ds_mskor_b64" 6:0x4c [] <- [Addr32 B64 B64] => atomic(Lds, MaskOr, 2) Keep Lds;
    /// m = data, at addr + offset.
    DS_WRITE_B64 "ds_write_b64" (11:"ds_store_b64") 6:0x4d [] <- [Addr32 B64] => mem(Lds, Store { bits: 32, dwords: 2 }) Keep Lds;
    /// m[offset0] = data0, m[offset1] = data1, in steps of 8 bytes from addr.
    DS_WRITE2_B64 "ds_write2_b64" (11:"ds_store_2addr_b64") 6:0x4e [] <- [Addr32 B64 B64] => mem(Lds, Store2 { dwords: 2, st64: false }) Keep Lds;
    /// m[offset0] = data0, m[offset1] = data1, in steps of 512 bytes from addr.
    DS_WRITE2ST64_B64 "ds_write2st64_b64" (11:"ds_store_2addr_stride64_b64") 6:0x4f [] <- [Addr32 B64 B64] => mem(Lds, Store2 { dwords: 2, st64: true }) Keep Lds;
    /// m = m = data0 ? data1 : m, at addr + offset.
    DS_CMPST_B64 "ds_cmpst_b64" 6:0x50 11:- [] <- [Addr32 B64 B64] => atomic(Lds, CmpSwap, 2) Keep Lds;
    /// m = m = data0 ? data1 : m, at addr + offset.
    DS_CMPST_F64 "ds_cmpst_f64" 6:0x51 11:- [] <- [Addr32 B64 B64] => atomic(Lds, FCmpSwap, 2) Keep Lds;
    /// m = min(m, data), at addr + offset.
    DS_MIN_F64 "ds_min_f64" (12:"ds_min_num_f64") 6:0x52 [] <- [Addr32 B64] => atomic(Lds, FMin, 2) Keep Lds;
    /// m = max(m, data), at addr + offset.
    DS_MAX_F64 "ds_max_f64" (12:"ds_max_num_f64") 6:0x53 [] <- [Addr32 B64] => atomic(Lds, FMax, 2) Keep Lds;
    /// D = m; m = m + data, at addr + offset.
    DS_ADD_RTN_F32 "ds_add_rtn_f32" 9:0x35 10:0x55 11:0x79 [F32] <- [Addr32 F32] => atomic(Lds, FAdd, 1) Keep Lds;
    /// D = m; m = m + data, at addr + offset.
    DS_ADD_RTN_U64 "ds_add_rtn_u64" 6:0x60 [B64] <- [Addr32 B64] => atomic(Lds, Add, 2) Keep Lds;
    /// D = m; m = m − data, at addr + offset.
    DS_SUB_RTN_U64 "ds_sub_rtn_u64" 6:0x61 [B64] <- [Addr32 B64] => atomic(Lds, Sub, 2) Keep Lds;
    /// D = m; m = data − m, at addr + offset.
    DS_RSUB_RTN_U64 "ds_rsub_rtn_u64" 6:0x62 [B64] <- [Addr32 B64] => atomic(Lds, Rsub, 2) Keep Lds;
    /// D = m; m = m ≥ data ? 0 : m + 1, at addr + offset.
    DS_INC_RTN_U64 "ds_inc_rtn_u64" 6:0x63 [B64] <- [Addr32 B64] => atomic(Lds, Inc, 2) Keep Lds;
    /// D = m; m = m = 0 or m > data ? data : m − 1, at addr + offset.
    DS_DEC_RTN_U64 "ds_dec_rtn_u64" 6:0x64 [B64] <- [Addr32 B64] => atomic(Lds, Dec, 2) Keep Lds;
    /// D = m; m = min(m, data), at addr + offset.
    DS_MIN_RTN_I64 "ds_min_rtn_i64" 6:0x65 [B64] <- [Addr32 B64] => atomic(Lds, SMin, 2) Keep Lds;
    /// D = m; m = max(m, data), at addr + offset.
    DS_MAX_RTN_I64 "ds_max_rtn_i64" 6:0x66 [B64] <- [Addr32 B64] => atomic(Lds, SMax, 2) Keep Lds;
    /// D = m; m = min(m, data), at addr + offset.
    DS_MIN_RTN_U64 "ds_min_rtn_u64" 6:0x67 [B64] <- [Addr32 B64] => atomic(Lds, UMin, 2) Keep Lds;
    /// D = m; m = max(m, data), at addr + offset.
    DS_MAX_RTN_U64 "ds_max_rtn_u64" 6:0x68 [B64] <- [Addr32 B64] => atomic(Lds, UMax, 2) Keep Lds;
    /// D = m; m = m & data, at addr + offset.
    DS_AND_RTN_B64 "ds_and_rtn_b64" 6:0x69 [B64] <- [Addr32 B64] => atomic(Lds, And, 2) Keep Lds;
    /// D = m; m = m | data, at addr + offset.
    DS_OR_RTN_B64 "ds_or_rtn_b64" 6:0x6a [B64] <- [Addr32 B64] => atomic(Lds, Or, 2) Keep Lds;
    /// D = m; m = m ^ data, at addr + offset.
    DS_XOR_RTN_B64 "ds_xor_rtn_b64" 6:0x6b [B64] <- [Addr32 B64] => atomic(Lds, Xor, 2) Keep Lds;
    /// D = m; m = m & ~data0 | data1, at addr + offset.
    DS_MSKOR_RTN_B64 "ds_mskor_rtn_b64" 6:0x6c [B64] <- [Addr32 B64 B64] => atomic(Lds, MaskOr, 2) Keep Lds;
    /// D = m; m = data, at addr + offset.
    DS_WRXCHG_RTN_B64 "ds_wrxchg_rtn_b64" (11:"ds_storexchg_rtn_b64") 6:0x6d [B64] <- [Addr32 B64] => atomic(Lds, Swap, 2) Keep Lds;
    /// D = m[offset0], m[offset1]; these = data0, data1.
    DS_WRXCHG2_RTN_B64 "ds_wrxchg2_rtn_b64" (11:"ds_storexchg_2addr_rtn_b64") 6:0x6e [B128] <- [Addr32 B64 B64] => mem(Lds, Exchange2 { dwords: 2, st64: false }) Keep Lds;
    /// D = m[offset0], m[offset1]; these = data0, data1.
    DS_WRXCHG2ST64_RTN_B64 "ds_wrxchg2st64_rtn_b64" (11:"ds_storexchg_2addr_stride64_rtn_b64") 6:0x6f [B128] <- [Addr32 B64 B64] => mem(Lds, Exchange2 { dwords: 2, st64: true }) Keep Lds;
    /// D = m; m = m = data0 ? data1 : m, at addr + offset.
    DS_CMPST_RTN_B64 "ds_cmpst_rtn_b64" 6:0x70 11:- [B64] <- [Addr32 B64 B64] => atomic(Lds, CmpSwap, 2) Keep Lds;
    /// D = m; m = m = data0 ? data1 : m, at addr + offset.
    DS_CMPST_RTN_F64 "ds_cmpst_rtn_f64" 6:0x71 11:- [B64] <- [Addr32 B64 B64] => atomic(Lds, FCmpSwap, 2) Keep Lds;
    /// D = m; m = min(m, data), at addr + offset.
    DS_MIN_RTN_F64 "ds_min_rtn_f64" (12:"ds_min_num_rtn_f64") 6:0x72 [B64] <- [Addr32 B64] => atomic(Lds, FMin, 2) Keep Lds;
    /// D = m; m = max(m, data), at addr + offset.
    DS_MAX_RTN_F64 "ds_max_rtn_f64" (12:"ds_max_num_rtn_f64") 6:0x73 [B64] <- [Addr32 B64] => atomic(Lds, FMax, 2) Keep Lds;
    /// D = m, at addr + offset.
    DS_READ_B64 "ds_read_b64" (11:"ds_load_b64") 6:0x76 [B64] <- [Addr32] => mem(Lds, Load { bits: 32, signed: false, dwords: 2 }) Keep Lds;
    /// D = m[offset0], m[offset1], in steps of 8 bytes from addr.
    DS_READ2_B64 "ds_read2_b64" (11:"ds_load_2addr_b64") 6:0x77 [B128] <- [Addr32] => mem(Lds, Load2 { dwords: 2, st64: false }) Keep Lds;
    /// D = m[offset0], m[offset1], in steps of 512 bytes from addr.
    DS_READ2ST64_B64 "ds_read2st64_b64" (11:"ds_load_2addr_stride64_b64") 6:0x78 [B128] <- [Addr32] => mem(Lds, Load2 { dwords: 2, st64: true }) Keep Lds;
    /// D = m; each dword of m = data if data's bit 31 is set.
    DS_CONDXCHG32_RTN_B64 "ds_condxchg32_rtn_b64" 7:0x7e [B64] <- [Addr32 B64] => atomic(Lds, CondSwap, 2) Keep Lds;
    /// m[A] = m[A] + m[B]; A = addr, B = A + 4 · offset.
    DS_ADD_SRC2_U32 "ds_add_src2_u32" 6:0x80 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Add, dwords: 1 }) Keep Lds;
    /// m[A] = m[A] − m[B]; A = addr, B = A + 4 · offset.
    DS_SUB_SRC2_U32 "ds_sub_src2_u32" 6:0x81 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Sub, dwords: 1 }) Keep Lds;
    /// m[A] = m[B] − m[A]; A = addr, B = A + 4 · offset.
    DS_RSUB_SRC2_U32 "ds_rsub_src2_u32" 6:0x82 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Rsub, dwords: 1 }) Keep Lds;
    /// m[A] = m[A] ≥ m[B] ? 0 : m[A] + 1; A = addr, B = A + 4 · offset.
    DS_INC_SRC2_U32 "ds_inc_src2_u32" 6:0x83 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Inc, dwords: 1 }) Keep Lds;
    /// m[A] = m[A] = 0 or m[A] > m[B] ? m[B] : m[A] − 1; A = addr, B = A + 4 · offset.
    DS_DEC_SRC2_U32 "ds_dec_src2_u32" 6:0x84 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Dec, dwords: 1 }) Keep Lds;
    /// m[A] = min(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MIN_SRC2_I32 "ds_min_src2_i32" 6:0x85 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::SMin, dwords: 1 }) Keep Lds;
    /// m[A] = max(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MAX_SRC2_I32 "ds_max_src2_i32" 6:0x86 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::SMax, dwords: 1 }) Keep Lds;
    /// m[A] = min(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MIN_SRC2_U32 "ds_min_src2_u32" 6:0x87 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::UMin, dwords: 1 }) Keep Lds;
    /// m[A] = max(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MAX_SRC2_U32 "ds_max_src2_u32" 6:0x88 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::UMax, dwords: 1 }) Keep Lds;
    /// m[A] = m[A] & m[B]; A = addr, B = A + 4 · offset.
    DS_AND_SRC2_B32 "ds_and_src2_b32" 6:0x89 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::And, dwords: 1 }) Keep Lds;
    /// m[A] = m[A] | m[B]; A = addr, B = A + 4 · offset.
    DS_OR_SRC2_B32 "ds_or_src2_b32" 6:0x8a 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Or, dwords: 1 }) Keep Lds;
    /// m[A] = m[A] ^ m[B]; A = addr, B = A + 4 · offset.
    DS_XOR_SRC2_B32 "ds_xor_src2_b32" 6:0x8b 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Xor, dwords: 1 }) Keep Lds;
    /// m[A] = m[B]; A = addr, B = A + 4 · offset.
    DS_WRITE_SRC2_B32 "ds_write_src2_b32" 6:0x8d 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Swap, dwords: 1 }) Keep Lds;
    /// m[A] = min(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MIN_SRC2_F32 "ds_min_src2_f32" 6:0x92 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::FMin, dwords: 1 }) Keep Lds;
    /// m[A] = max(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MAX_SRC2_F32 "ds_max_src2_f32" 6:0x93 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::FMax, dwords: 1 }) Keep Lds;
    /// m[A] = m[A] + m[B]; A = addr, B = A + 4 · offset.
    DS_ADD_SRC2_F32 "ds_add_src2_f32" 9:0x95 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::FAdd, dwords: 1 }) Keep Lds;
    /// m = data[23:16], at addr + offset.
    DS_WRITE_B8_D16_HI "ds_write_b8_d16_hi" (11:"ds_store_b8_d16_hi") 9:0x54 10:0xa0 [] <- [Addr32 B32] => mem(Lds, StoreHi { bits: 8 }) Keep Lds;
    /// m = data[31:16], at addr + offset.
    DS_WRITE_B16_D16_HI "ds_write_b16_d16_hi" (11:"ds_store_b16_d16_hi") 9:0x55 10:0xa1 [] <- [Addr32 B32] => mem(Lds, StoreHi { bits: 16 }) Keep Lds;
    /// D[15:0] = m, zero-extended, at addr + offset.
    DS_READ_U8_D16 "ds_read_u8_d16" (11:"ds_load_u8_d16") 9:0x56 10:0xa2 [U16] <- [Addr32 Old] => mem(Lds, LoadD16 { bits: 8, signed: false, hi: false }) Keep Lds;
    /// D[31:16] = m, zero-extended, at addr + offset.
    DS_READ_U8_D16_HI "ds_read_u8_d16_hi" (11:"ds_load_u8_d16_hi") 9:0x57 10:0xa3 [U16] <- [Addr32 Old] => mem(Lds, LoadD16 { bits: 8, signed: false, hi: true }) Keep Lds;
    /// D[15:0] = m, sign-extended, at addr + offset.
    DS_READ_I8_D16 "ds_read_i8_d16" (11:"ds_load_i8_d16") 9:0x58 10:0xa4 [I16] <- [Addr32 Old] => mem(Lds, LoadD16 { bits: 8, signed: true, hi: false }) Keep Lds;
    /// D[31:16] = m, sign-extended, at addr + offset.
    DS_READ_I8_D16_HI "ds_read_i8_d16_hi" (11:"ds_load_i8_d16_hi") 9:0x59 10:0xa5 [I16] <- [Addr32 Old] => mem(Lds, LoadD16 { bits: 8, signed: true, hi: true }) Keep Lds;
    /// D[15:0] = m, at addr + offset.
    DS_READ_U16_D16 "ds_read_u16_d16" (11:"ds_load_u16_d16") 9:0x5a 10:0xa6 [U16] <- [Addr32 Old] => mem(Lds, LoadD16 { bits: 16, signed: false, hi: false }) Keep Lds;
    /// D[31:16] = m, at addr + offset.
    DS_READ_U16_D16_HI "ds_read_u16_d16_hi" (11:"ds_load_u16_d16_hi") 9:0x5b 10:0xa7 [U16] <- [Addr32 Old] => mem(Lds, LoadD16 { bits: 16, signed: false, hi: true }) Keep Lds;
    /// m = data, at offset + M0 + 4 · lane.
    DS_WRITE_ADDTID_B32 "ds_write_addtid_b32" (11:"ds_store_addtid_b32") 9:0x1d 10:0xb0 [] <- [B32 M0] => mem(Lds, StoreLane) Keep Lds;
    /// D = m, at offset + M0 + 4 · lane.
    DS_READ_ADDTID_B32 "ds_read_addtid_b32" (11:"ds_load_addtid_b32") 9:0xb6 10:0xb1 [B32] <- [M0] => mem(Lds, LoadLane) Keep Lds;
    /// Lane (addr + offset) / 4 receives data; lanes that nobody addresses, zero.
    DS_PERMUTE_B32 "ds_permute_b32" 9:0x3e 10:0xb2 [B32] <- [Addr32 B32] => wave(DsPermute) Keep Lds;
    /// D = data of lane (addr + offset) / 4, zero if that lane is inactive.
    DS_BPERMUTE_B32 "ds_bpermute_b32" 9:0x3f 10:0xb3 [B32] <- [Addr32 B32] => wave(DsBpermute) Keep Lds;
    /// m[A] = m[A] + m[B]; A = addr, B = A + 4 · offset.
    DS_ADD_SRC2_U64 "ds_add_src2_u64" 6:0xc0 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Add, dwords: 2 }) Keep Lds;
    /// m[A] = m[A] − m[B]; A = addr, B = A + 4 · offset.
    DS_SUB_SRC2_U64 "ds_sub_src2_u64" 6:0xc1 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Sub, dwords: 2 }) Keep Lds;
    /// m[A] = m[B] − m[A]; A = addr, B = A + 4 · offset.
    DS_RSUB_SRC2_U64 "ds_rsub_src2_u64" 6:0xc2 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Rsub, dwords: 2 }) Keep Lds;
    /// m[A] = m[A] ≥ m[B] ? 0 : m[A] + 1; A = addr, B = A + 4 · offset.
    DS_INC_SRC2_U64 "ds_inc_src2_u64" 6:0xc3 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Inc, dwords: 2 }) Keep Lds;
    /// m[A] = m[A] = 0 or m[A] > m[B] ? m[B] : m[A] − 1; A = addr, B = A + 4 · offset.
    DS_DEC_SRC2_U64 "ds_dec_src2_u64" 6:0xc4 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Dec, dwords: 2 }) Keep Lds;
    /// m[A] = min(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MIN_SRC2_I64 "ds_min_src2_i64" 6:0xc5 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::SMin, dwords: 2 }) Keep Lds;
    /// m[A] = max(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MAX_SRC2_I64 "ds_max_src2_i64" 6:0xc6 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::SMax, dwords: 2 }) Keep Lds;
    /// m[A] = min(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MIN_SRC2_U64 "ds_min_src2_u64" 6:0xc7 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::UMin, dwords: 2 }) Keep Lds;
    /// m[A] = max(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MAX_SRC2_U64 "ds_max_src2_u64" 6:0xc8 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::UMax, dwords: 2 }) Keep Lds;
    /// m[A] = m[A] & m[B]; A = addr, B = A + 4 · offset.
    DS_AND_SRC2_B64 "ds_and_src2_b64" 6:0xc9 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::And, dwords: 2 }) Keep Lds;
    /// m[A] = m[A] | m[B]; A = addr, B = A + 4 · offset.
    DS_OR_SRC2_B64 "ds_or_src2_b64" 6:0xca 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Or, dwords: 2 }) Keep Lds;
    /// m[A] = m[A] ^ m[B]; A = addr, B = A + 4 · offset.
    DS_XOR_SRC2_B64 "ds_xor_src2_b64" 6:0xcb 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Xor, dwords: 2 }) Keep Lds;
    /// m[A] = m[B]; A = addr, B = A + 4 · offset.
    DS_WRITE_SRC2_B64 "ds_write_src2_b64" 6:0xcd 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::Swap, dwords: 2 }) Keep Lds;
    /// m[A] = min(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MIN_SRC2_F64 "ds_min_src2_f64" 6:0xd2 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::FMin, dwords: 2 }) Keep Lds;
    /// m[A] = max(m[A], m[B]); A = addr, B = A + 4 · offset.
    DS_MAX_SRC2_F64 "ds_max_src2_f64" 6:0xd3 10.3:- [] <- [Addr32] => mem(Lds, Src2 { op: crate::row::AtomicOp::FMax, dwords: 2 }) Keep Lds;
    /// m = data, three dwords at addr + offset.
    DS_WRITE_B96 "ds_write_b96" (11:"ds_store_b96") 7:0xde [] <- [Addr32 B96] => mem(Lds, Store { bits: 32, dwords: 3 }) Keep Lds;
    /// m = data, four dwords at addr + offset.
    DS_WRITE_B128 "ds_write_b128" (11:"ds_store_b128") 7:0xdf [] <- [Addr32 B128] => mem(Lds, Store { bits: 32, dwords: 4 }) Keep Lds;
    /// D = three dwords at addr + offset.
    DS_READ_B96 "ds_read_b96" (11:"ds_load_b96") 7:0xfe [B96] <- [Addr32] => mem(Lds, Load { bits: 32, signed: false, dwords: 3 }) Keep Lds;
    /// D = four dwords at addr + offset.
    DS_READ_B128 "ds_read_b128" (11:"ds_load_b128") 7:0xff [B128] <- [Addr32] => mem(Lds, Load { bits: 32, signed: false, dwords: 4 }) Keep Lds;
    /// m = m = data1 ? data0 : m.
    DS_CMPSTORE_B32 "ds_cmpstore_b32" 11:0x10 [] <- [Addr32 B32 B32] => todo() Keep Lds;
    /// m = m = data1 ? data0 : m, as floats.
    DS_CMPSTORE_F32 "ds_cmpstore_f32" 11:0x11 12:- [] <- [Addr32 B32 B32] => todo() Keep Lds;
    /// D = m; m = m = data1 ? data0 : m.
    DS_CMPSTORE_RTN_B32 "ds_cmpstore_rtn_b32" 11:0x30 [B32] <- [Addr32 B32 B32] => todo() Keep Lds;
    /// D = m; m = m = data1 ? data0 : m, as floats.
    DS_CMPSTORE_RTN_F32 "ds_cmpstore_rtn_f32" 11:0x31 12:- [B32] <- [Addr32 B32 B32] => todo() Keep Lds;
    /// m = m = data1 ? data0 : m.
    DS_CMPSTORE_B64 "ds_cmpstore_b64" 11:0x50 [] <- [Addr32 B64 B64] => todo() Keep Lds;
    /// m = m = data1 ? data0 : m, as floats.
    DS_CMPSTORE_F64 "ds_cmpstore_f64" 11:0x51 12:- [] <- [Addr32 B64 B64] => todo() Keep Lds;
    /// D = m; m = m = data1 ? data0 : m.
    DS_CMPSTORE_RTN_B64 "ds_cmpstore_rtn_b64" 11:0x70 [B64] <- [Addr32 B64 B64] => todo() Keep Lds;
    /// D = m; m = m = data1 ? data0 : m, as floats.
    DS_CMPSTORE_RTN_F64 "ds_cmpstore_rtn_f64" 11:0x71 12:- [B64] <- [Addr32 B64 B64] => todo() Keep Lds;
    /// D = a register of the geometry engine; it += data.
    DS_ADD_GS_REG_RTN "ds_add_gs_reg_rtn" 11:0x7a 12:- [B64] <- [Unused B32] => todo() Keep Lds;
    /// D = a register of the geometry engine; it −= data.
    DS_SUB_GS_REG_RTN "ds_sub_gs_reg_rtn" 11:0x7b 12:- [B64] <- [Unused B32] => todo() Keep Lds;
    /// Pushes the children of a node that a ray meets on the lane's stack, at an address that moves along; D = the next node.
    DS_BVH_STACK_RTN_B32 "ds_bvh_stack_rtn_b32" 11:0xad 12:- [B32] <- [Addr32 B32 B128] => todo() Keep Lds;
    /// m = m ≥ data ? m − data : m.
    DS_COND_SUB_U32 "ds_cond_sub_u32" 12:0x98 [] <- [Addr32 B32] => atomic(Lds, CondSub, 1) Keep Lds;
    /// D = m; m = m ≥ data ? m − data : m.
    DS_COND_SUB_RTN_U32 "ds_cond_sub_rtn_u32" 12:0xa8 [B32] <- [Addr32 B32] => atomic(Lds, CondSub, 1) Keep Lds;
    /// m = m ≥ data ? m − data : 0.
    DS_SUB_CLAMP_U32 "ds_sub_clamp_u32" 12:0x99 [] <- [Addr32 B32] => atomic(Lds, SubClamp, 1) Keep Lds;
    /// D = m; m = m ≥ data ? m − data : 0.
    DS_SUB_CLAMP_RTN_U32 "ds_sub_clamp_rtn_u32" 12:0xa9 [B32] <- [Addr32 B32] => atomic(Lds, SubClamp, 1) Keep Lds;
    /// m = m + data, two f16.
    DS_PK_ADD_F16 "ds_pk_add_f16" 12:0x9a [] <- [Addr32 B32] => atomic(Lds, PkAddF16, 1) Keep Lds;
    /// D = m; m = m + data, two f16.
    DS_PK_ADD_RTN_F16 "ds_pk_add_rtn_f16" 12:0xaa [B32] <- [Addr32 B32] => atomic(Lds, PkAddF16, 1) Keep Lds;
    /// m = m + data, two bf16.
    DS_PK_ADD_BF16 "ds_pk_add_bf16" 12:0x9b [] <- [Addr32 B32] => atomic(Lds, PkAddBf16, 1) Keep Lds;
    /// D = m; m = m + data, two bf16.
    DS_PK_ADD_RTN_BF16 "ds_pk_add_rtn_bf16" 12:0xab [B32] <- [Addr32 B32] => atomic(Lds, PkAddBf16, 1) Keep Lds;
}
