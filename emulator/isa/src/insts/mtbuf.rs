//! MTBUF: vector memory through a buffer descriptor, with the format in the instruction.

super::insts! { Mtbuf from crate::insts::mubuf::NEXT;
    /// D = 1 component, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_X "tbuffer_load_format_x" 6:0x00 12:0x80 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: false, hi: false }) Keep Vmem;
    /// D = 2 components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_XY "tbuffer_load_format_xy" 6:0x01 12:0x81 [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 2, d16: false, hi: false }) Keep Vmem;
    /// D = 3 components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_XYZ "tbuffer_load_format_xyz" 6:0x02 12:0x82 [B96] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 3, d16: false, hi: false }) Keep Vmem;
    /// D = 4 components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_XYZW "tbuffer_load_format_xyzw" 6:0x03 12:0x83 [B128] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 4, d16: false, hi: false }) Keep Vmem;
    /// Memory = 1 component, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_X "tbuffer_store_format_x" 6:0x04 12:0x84 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: false, hi: false }) Keep Vmem;
    /// Memory = 2 components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_XY "tbuffer_store_format_xy" 6:0x05 12:0x85 [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 2, d16: false, hi: false }) Keep Vmem;
    /// Memory = 3 components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_XYZ "tbuffer_store_format_xyz" 6:0x06 12:0x86 [] <- [Addr32 Rsrc SOffset B96] => mem(Buffer, StoreFormat { components: 3, d16: false, hi: false }) Keep Vmem;
    /// Memory = 4 components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_XYZW "tbuffer_store_format_xyzw" 6:0x07 12:0x87 [] <- [Addr32 Rsrc SOffset B128] => mem(Buffer, StoreFormat { components: 4, d16: false, hi: false }) Keep Vmem;
    /// D = 1 16-bit component, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_D16_X "tbuffer_load_format_d16_x" (11:"tbuffer_load_d16_format_x") 9:0x08 12:0x88 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: true, hi: false }) Keep Vmem;
    /// D = 2 16-bit components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_D16_XY "tbuffer_load_format_d16_xy" (11:"tbuffer_load_d16_format_xy") 9:0x09 12:0x89 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 2, d16: true, hi: false }) Keep Vmem;
    /// D = 3 16-bit components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_D16_XYZ "tbuffer_load_format_d16_xyz" (11:"tbuffer_load_d16_format_xyz") 9:0x0a 12:0x8a [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 3, d16: true, hi: false }) Keep Vmem;
    /// D = 4 16-bit components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_D16_XYZW "tbuffer_load_format_d16_xyzw" (11:"tbuffer_load_d16_format_xyzw") 9:0x0b 12:0x8b [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 4, d16: true, hi: false }) Keep Vmem;
    /// Memory = 1 16-bit component, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_D16_X "tbuffer_store_format_d16_x" (11:"tbuffer_store_d16_format_x") 9:0x0c 12:0x8c [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: true, hi: false }) Keep Vmem;
    /// Memory = 2 16-bit components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_D16_XY "tbuffer_store_format_d16_xy" (11:"tbuffer_store_d16_format_xy") 9:0x0d 12:0x8d [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 2, d16: true, hi: false }) Keep Vmem;
    /// Memory = 3 16-bit components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_D16_XYZ "tbuffer_store_format_d16_xyz" (11:"tbuffer_store_d16_format_xyz") 9:0x0e 12:0x8e [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 3, d16: true, hi: false }) Keep Vmem;
    /// Memory = 4 16-bit components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_D16_XYZW "tbuffer_store_format_d16_xyzw" (11:"tbuffer_store_d16_format_xyzw") 9:0x0f 12:0x8f [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 4, d16: true, hi: false }) Keep Vmem;
}
