//! MTBUF: vector memory through a buffer descriptor, with the format in the instruction.

super::insts! { Mtbuf from crate::insts::mubuf::NEXT;
    /// D = 1 component, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_X "tbuffer_load_format_x" 0x00 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: false, hi: false }) Keep Vmem;
    /// D = 2 components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_XY "tbuffer_load_format_xy" 0x01 [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 2, d16: false, hi: false }) Keep Vmem;
    /// D = 3 components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_XYZ "tbuffer_load_format_xyz" 0x02 [B96] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 3, d16: false, hi: false }) Keep Vmem;
    /// D = 4 components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_XYZW "tbuffer_load_format_xyzw" 0x03 [B128] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 4, d16: false, hi: false }) Keep Vmem;
    /// Memory = 1 component, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_X "tbuffer_store_format_x" 0x04 [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: false, hi: false }) Keep Vmem;
    /// Memory = 2 components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_XY "tbuffer_store_format_xy" 0x05 [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 2, d16: false, hi: false }) Keep Vmem;
    /// Memory = 3 components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_XYZ "tbuffer_store_format_xyz" 0x06 [] <- [Addr32 Rsrc SOffset B96] => mem(Buffer, StoreFormat { components: 3, d16: false, hi: false }) Keep Vmem;
    /// Memory = 4 components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_XYZW "tbuffer_store_format_xyzw" 0x07 [] <- [Addr32 Rsrc SOffset B128] => mem(Buffer, StoreFormat { components: 4, d16: false, hi: false }) Keep Vmem;
    /// D = 1 16-bit component, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_D16_X "tbuffer_load_format_d16_x" 0x08 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 1, d16: true, hi: false }) Keep Vmem;
    /// D = 2 16-bit components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_D16_XY "tbuffer_load_format_d16_xy" 0x09 [B32] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 2, d16: true, hi: false }) Keep Vmem;
    /// D = 3 16-bit components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_D16_XYZ "tbuffer_load_format_d16_xyz" 0x0a [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 3, d16: true, hi: false }) Keep Vmem;
    /// D = 4 16-bit components, converted by the instruction's format.
    TBUFFER_LOAD_FORMAT_D16_XYZW "tbuffer_load_format_d16_xyzw" 0x0b [B64] <- [Addr32 Rsrc SOffset] => mem(Buffer, LoadFormat { components: 4, d16: true, hi: false }) Keep Vmem;
    /// Memory = 1 16-bit component, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_D16_X "tbuffer_store_format_d16_x" 0x0c [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 1, d16: true, hi: false }) Keep Vmem;
    /// Memory = 2 16-bit components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_D16_XY "tbuffer_store_format_d16_xy" 0x0d [] <- [Addr32 Rsrc SOffset B32] => mem(Buffer, StoreFormat { components: 2, d16: true, hi: false }) Keep Vmem;
    /// Memory = 3 16-bit components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_D16_XYZ "tbuffer_store_format_d16_xyz" 0x0e [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 3, d16: true, hi: false }) Keep Vmem;
    /// Memory = 4 16-bit components, converted by the instruction's format.
    TBUFFER_STORE_FORMAT_D16_XYZW "tbuffer_store_format_d16_xyzw" 0x0f [] <- [Addr32 Rsrc SOffset B64] => mem(Buffer, StoreFormat { components: 4, d16: true, hi: false }) Keep Vmem;
}
