//! Fields that vector encodings of several generations have in the same places.

/// The second dword of DPP16.
macro_rules! dpp16 {
    ($($hi:literal $lo:literal $field:expr;)*) => { $crate::layout::fields! {
        $($hi $lo $field;)*
        39 32 At(Src0, Vgpr); 48 40 DppCtrl; 50 50 FetchInactive; 51 51 BoundCtrl;
        52 52 NegBit(0); 53 53 AbsBit(0); 54 54 NegBit(1); 55 55 AbsBit(1);
        59 56 BankMask; 63 60 RowMask;
    } };
}
/// The second dword of DPP8.
macro_rules! dpp8 {
    ($($hi:literal $lo:literal $field:expr;)*) => { $crate::layout::fields! {
        $($hi $lo $field;)*
        39 32 At(Src0, Vgpr); 63 40 Dpp8Selects;
    } };
}
/// VOP3 from gfx10 on, without what stands in the place of the first source.
macro_rules! vop3_but_src0 {
    ($($hi:literal $lo:literal $field:expr;)*) => { $crate::layout::fields! {
        25 16 Op; 7 0 At(Dst, VgprOrSgpr); 15 15 Clamp;
        49 41 At(Src1, Any); 58 50 At(Src2, Any); 60 59 Omod; 63 61 Neg;
        $($hi $lo $field;)*
    } };
}
macro_rules! vop3 {
    ($($hi:literal $lo:literal $field:expr;)*) => {
        $crate::layout::vector::vop3_but_src0! { 40 32 At(Src0, Any); $($hi $lo $field;)* }
    };
}
/// VOP3P, without what stands in the place of the first source.
macro_rules! vop3p_but_src0 {
    ($($hi:literal $lo:literal $field:expr;)*) => { $crate::layout::fields! {
        22 16 Op; 7 0 At(Dst, Vgpr); 10 8 NegHi; 13 11 OpSel; 14 14 OpSelHi(2); 15 15 Clamp;
        49 41 At(Src1, Any); 58 50 At(Src2, Any); 60 59 OpSelHi(0); 63 61 Neg;
        $($hi $lo $field;)*
    } };
}
macro_rules! vop3p {
    () => {
        $crate::layout::vector::vop3p_but_src0! { 40 32 At(Src0, Any); }
    };
}
pub(super) use {dpp8, dpp16, vop3, vop3_but_src0, vop3p, vop3p_but_src0};
