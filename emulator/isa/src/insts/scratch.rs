//! SCRATCH: vector memory of the lane's own.

super::insts! { Scratch from crate::insts::global::NEXT;
    /// D = 8 bits of memory, zero-extended.
    SCRATCH_LOAD_UBYTE "scratch_load_ubyte" (11:"scratch_load_u8") 9:0x10 10:0x08 11:0x10 [U32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 8, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 8 bits of memory, sign-extended.
    SCRATCH_LOAD_SBYTE "scratch_load_sbyte" (11:"scratch_load_i8") 9:0x11 10:0x09 11:0x11 [I32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 8, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, zero-extended.
    SCRATCH_LOAD_USHORT "scratch_load_ushort" (11:"scratch_load_u16") 9:0x12 10:0x0a 11:0x12 [U32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 16, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, sign-extended.
    SCRATCH_LOAD_SSHORT "scratch_load_sshort" (11:"scratch_load_i16") 9:0x13 10:0x0b 11:0x13 [I32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 16, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 1 dword of memory.
    SCRATCH_LOAD_DWORD "scratch_load_dword" (11:"scratch_load_b32") 9:0x14 10:0x0c 11:0x14 [B32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 32, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 2 dwords of memory.
    SCRATCH_LOAD_DWORDX2 "scratch_load_dwordx2" (11:"scratch_load_b64") 9:0x15 10:0x0d 11:0x15 [B64] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 32, signed: false, dwords: 2 }) Keep Vmem;
    /// D = 4 dwords of memory.
    SCRATCH_LOAD_DWORDX4 "scratch_load_dwordx4" (11:"scratch_load_b128") 9:0x17 10:0x0e 11:0x17 [B128] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 32, signed: false, dwords: 4 }) Keep Vmem;
    /// D = 3 dwords of memory.
    SCRATCH_LOAD_DWORDX3 "scratch_load_dwordx3" (11:"scratch_load_b96") 9:0x16 10:0x0f 11:0x16 [B96] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 32, signed: false, dwords: 3 }) Keep Vmem;
    /// Memory = data[7:0].
    SCRATCH_STORE_BYTE "scratch_store_byte" (11:"scratch_store_b8") 9:0x18 [] <- [Addr32 SAddr32 B32] => mem(Scratch, Store { bits: 8, dwords: 1 }) Keep Vmem;
    /// Memory = data[23:16].
    SCRATCH_STORE_BYTE_D16_HI "scratch_store_byte_d16_hi" (11:"scratch_store_d16_hi_b8") 9:0x19 11:0x24 [] <- [Addr32 SAddr32 B32] => mem(Scratch, StoreHi { bits: 8 }) Keep Vmem;
    /// Memory = data[15:0].
    SCRATCH_STORE_SHORT "scratch_store_short" (11:"scratch_store_b16") 9:0x1a 11:0x19 [] <- [Addr32 SAddr32 B32] => mem(Scratch, Store { bits: 16, dwords: 1 }) Keep Vmem;
    /// Memory = data[31:16].
    SCRATCH_STORE_SHORT_D16_HI "scratch_store_short_d16_hi" (11:"scratch_store_d16_hi_b16") 9:0x1b 11:0x25 [] <- [Addr32 SAddr32 B32] => mem(Scratch, StoreHi { bits: 16 }) Keep Vmem;
    /// Memory = 1 dword of data.
    SCRATCH_STORE_DWORD "scratch_store_dword" (11:"scratch_store_b32") 9:0x1c 11:0x1a [] <- [Addr32 SAddr32 B32] => mem(Scratch, Store { bits: 32, dwords: 1 }) Keep Vmem;
    /// Memory = 2 dwords of data.
    SCRATCH_STORE_DWORDX2 "scratch_store_dwordx2" (11:"scratch_store_b64") 9:0x1d 11:0x1b [] <- [Addr32 SAddr32 B64] => mem(Scratch, Store { bits: 32, dwords: 2 }) Keep Vmem;
    /// Memory = 4 dwords of data.
    SCRATCH_STORE_DWORDX4 "scratch_store_dwordx4" (11:"scratch_store_b128") 9:0x1f 10:0x1e 11:0x1d [] <- [Addr32 SAddr32 B128] => mem(Scratch, Store { bits: 32, dwords: 4 }) Keep Vmem;
    /// Memory = 3 dwords of data.
    SCRATCH_STORE_DWORDX3 "scratch_store_dwordx3" (11:"scratch_store_b96") 9:0x1e 10:0x1f 11:0x1c [] <- [Addr32 SAddr32 B96] => mem(Scratch, Store { bits: 32, dwords: 3 }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, zero-extended.
    SCRATCH_LOAD_UBYTE_D16 "scratch_load_ubyte_d16" (11:"scratch_load_d16_u8") 9:0x20 11:0x1e [U16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 8, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, zero-extended.
    SCRATCH_LOAD_UBYTE_D16_HI "scratch_load_ubyte_d16_hi" (11:"scratch_load_d16_hi_u8") 9:0x21 [U16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 8, signed: false, hi: true }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, sign-extended.
    SCRATCH_LOAD_SBYTE_D16 "scratch_load_sbyte_d16" (11:"scratch_load_d16_i8") 9:0x22 11:0x1f [I16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 8, signed: true, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, sign-extended.
    SCRATCH_LOAD_SBYTE_D16_HI "scratch_load_sbyte_d16_hi" (11:"scratch_load_d16_hi_i8") 9:0x23 11:0x22 [I16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 8, signed: true, hi: true }) Keep Vmem;
    /// D[15:0] = 16 bits of memory.
    SCRATCH_LOAD_SHORT_D16 "scratch_load_short_d16" (11:"scratch_load_d16_b16") 9:0x24 11:0x20 [U16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 16, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 16 bits of memory.
    SCRATCH_LOAD_SHORT_D16_HI "scratch_load_short_d16_hi" (11:"scratch_load_d16_hi_b16") 9:0x25 11:0x23 [U16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 16, signed: false, hi: true }) Keep Vmem;
}
