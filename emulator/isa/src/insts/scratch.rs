//! SCRATCH: vector memory of the lane's own.

super::insts! { Scratch from crate::insts::global::NEXT;
    /// D = 8 bits of memory, zero-extended.
    SCRATCH_LOAD_UBYTE "scratch_load_ubyte" 0x08 [U32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 8, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 8 bits of memory, sign-extended.
    SCRATCH_LOAD_SBYTE "scratch_load_sbyte" 0x09 [I32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 8, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, zero-extended.
    SCRATCH_LOAD_USHORT "scratch_load_ushort" 0x0a [U32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 16, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 16 bits of memory, sign-extended.
    SCRATCH_LOAD_SSHORT "scratch_load_sshort" 0x0b [I32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 16, signed: true, dwords: 1 }) Keep Vmem;
    /// D = 1 dword of memory.
    SCRATCH_LOAD_DWORD "scratch_load_dword" 0x0c [B32] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 32, signed: false, dwords: 1 }) Keep Vmem;
    /// D = 2 dwords of memory.
    SCRATCH_LOAD_DWORDX2 "scratch_load_dwordx2" 0x0d [B64] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 32, signed: false, dwords: 2 }) Keep Vmem;
    /// D = 4 dwords of memory.
    SCRATCH_LOAD_DWORDX4 "scratch_load_dwordx4" 0x0e [B128] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 32, signed: false, dwords: 4 }) Keep Vmem;
    /// D = 3 dwords of memory.
    SCRATCH_LOAD_DWORDX3 "scratch_load_dwordx3" 0x0f [B96] <- [Addr32 SAddr32] => mem(Scratch, Load { bits: 32, signed: false, dwords: 3 }) Keep Vmem;
    /// Memory = data[7:0].
    SCRATCH_STORE_BYTE "scratch_store_byte" 0x18 [] <- [Addr32 SAddr32 B32] => mem(Scratch, Store { bits: 8, dwords: 1 }) Keep Vmem;
    /// Memory = data[23:16].
    SCRATCH_STORE_BYTE_D16_HI "scratch_store_byte_d16_hi" 0x19 [] <- [Addr32 SAddr32 B32] => mem(Scratch, StoreHi { bits: 8 }) Keep Vmem;
    /// Memory = data[15:0].
    SCRATCH_STORE_SHORT "scratch_store_short" 0x1a [] <- [Addr32 SAddr32 B32] => mem(Scratch, Store { bits: 16, dwords: 1 }) Keep Vmem;
    /// Memory = data[31:16].
    SCRATCH_STORE_SHORT_D16_HI "scratch_store_short_d16_hi" 0x1b [] <- [Addr32 SAddr32 B32] => mem(Scratch, StoreHi { bits: 16 }) Keep Vmem;
    /// Memory = 1 dword of data.
    SCRATCH_STORE_DWORD "scratch_store_dword" 0x1c [] <- [Addr32 SAddr32 B32] => mem(Scratch, Store { bits: 32, dwords: 1 }) Keep Vmem;
    /// Memory = 2 dwords of data.
    SCRATCH_STORE_DWORDX2 "scratch_store_dwordx2" 0x1d [] <- [Addr32 SAddr32 B64] => mem(Scratch, Store { bits: 32, dwords: 2 }) Keep Vmem;
    /// Memory = 4 dwords of data.
    SCRATCH_STORE_DWORDX4 "scratch_store_dwordx4" 0x1e [] <- [Addr32 SAddr32 B128] => mem(Scratch, Store { bits: 32, dwords: 4 }) Keep Vmem;
    /// Memory = 3 dwords of data.
    SCRATCH_STORE_DWORDX3 "scratch_store_dwordx3" 0x1f [] <- [Addr32 SAddr32 B96] => mem(Scratch, Store { bits: 32, dwords: 3 }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, zero-extended.
    SCRATCH_LOAD_UBYTE_D16 "scratch_load_ubyte_d16" 0x20 [U16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 8, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, zero-extended.
    SCRATCH_LOAD_UBYTE_D16_HI "scratch_load_ubyte_d16_hi" 0x21 [U16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 8, signed: false, hi: true }) Keep Vmem;
    /// D[15:0] = 8 bits of memory, sign-extended.
    SCRATCH_LOAD_SBYTE_D16 "scratch_load_sbyte_d16" 0x22 [I16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 8, signed: true, hi: false }) Keep Vmem;
    /// D[31:16] = 8 bits of memory, sign-extended.
    SCRATCH_LOAD_SBYTE_D16_HI "scratch_load_sbyte_d16_hi" 0x23 [I16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 8, signed: true, hi: true }) Keep Vmem;
    /// D[15:0] = 16 bits of memory.
    SCRATCH_LOAD_SHORT_D16 "scratch_load_short_d16" 0x24 [U16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 16, signed: false, hi: false }) Keep Vmem;
    /// D[31:16] = 16 bits of memory.
    SCRATCH_LOAD_SHORT_D16_HI "scratch_load_short_d16_hi" 0x25 [U16] <- [Addr32 SAddr32 Old] => mem(Scratch, LoadD16 { bits: 16, signed: false, hi: true }) Keep Vmem;
}
