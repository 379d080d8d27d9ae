//! Encodings of shared memory and of exports that several generations have; each gives what differs.

/// The shared memory's encoding, beside the opcode's bits and the GDS bit.
macro_rules! ds {
    ($op_high:literal $op_low:literal; $($hi:literal $lo:literal $field:expr;)*) => {
        $crate::layout::layout!(Ds Base 2, [(Bits(31, 26), 0x36)], $crate::layout::fields! {
            $op_high $op_low Op; 15 0 Imm { signed: false }; $($hi $lo $field;)*
            39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 55 48 At(Data1, Vgpr); 63 56 At(Dst, Vgpr);
        })
    };
}
/// Reads of LDS that are the vector unit's.
macro_rules! lds_dir {
    ($($hi:literal $lo:literal $field:expr;)*) => {
        $crate::layout::layout!(LdsDir Base 1, [(Bits(31, 24), 0xce)], $crate::layout::fields! {
            21 20 Op; 19 16 WaitVdst; 15 10 Attribute; 9 8 Channel; 7 0 At(Dst, Vgpr); $($hi $lo $field;)* })
    };
}
/// Exports, beside the family's prefix and what a generation has of masks and rows.
macro_rules! export {
    ($family:literal; $($hi:literal $lo:literal $field:expr;)*) => {
        $crate::layout::layout!(Exp Base 2, [(Bits(31, 26), $family)], $crate::layout::fields! {
            3 0 Enable; 9 4 Target; 11 11 Done; $($hi $lo $field;)*
            39 32 At(Src0, Vgpr); 47 40 At(Src1, Vgpr); 55 48 At(Src2, Vgpr); 63 56 At(Data0, Vgpr);
        })
    };
}
pub(super) use {ds, export, lds_dir};
