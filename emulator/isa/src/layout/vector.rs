//! Vector encodings that several generations have, and fields that several have in the same places.

use super::Field::*;
use super::OperandCode::*;
use super::OperandField::*;
use super::{Bits, Layout, fields, layout};

pub(super) const VOP1: (Bits, u32) = (Bits(31, 25), 0x3f);
pub(super) const VOPC: (Bits, u32) = (Bits(31, 25), 0x3e);
pub(super) const VOP2: (Bits, u32) = (Bits(31, 31), 0);
const SDWA_SRC0: (Bits, u32) = (Bits(8, 0), 249);
pub(super) const DPP16: (Bits, u32) = (Bits(8, 0), 250);
pub(super) const DPP8: (Bits, u32) = (Bits(8, 0), 233);
pub(super) const DPP8_FI: (Bits, u32) = (Bits(8, 0), 234);
/// VOP3 and VOP3P, from gfx10 on.
pub(super) const VOP3: (Bits, u32) = (Bits(31, 26), 0x35);
pub(super) const VOP3P: (Bits, u32) = (Bits(31, 23), 0x198);

/// The second dword of SDWA, without destination bits.
macro_rules! sdwa_sources {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        $($hi $lo $field;)*
        39 32 At(Src0, Sdwa);
        50 48 SrcSel(0); 51 51 SextBit(0); 52 52 NegBit(0); 53 53 AbsBit(0); 55 55 ScalarBit(Src0);
        58 56 SrcSel(1); 59 59 SextBit(1); 60 60 NegBit(1); 61 61 AbsBit(1); 63 63 ScalarBit(Src1);
    } };
}
/// The second dword of GCN 5's DPP.
macro_rules! dpp {
    ($($hi:literal $lo:literal $field:expr;)*) => { $crate::layout::fields! {
        $($hi $lo $field;)*
        39 32 At(Src0, Vgpr); 48 40 DppCtrl; 51 51 BoundCtrl;
        52 52 NegBit(0); 53 53 AbsBit(0); 54 54 NegBit(1); 55 55 AbsBit(1);
        59 56 BankMask; 63 60 RowMask;
    } };
}
/// The second dword of DPP16.
macro_rules! dpp16 {
    ($($hi:literal $lo:literal $field:expr;)*) => {
        $crate::layout::vector::dpp! { 50 50 FetchInactive; $($hi $lo $field;)* }
    };
}
/// Interpolation in VOP3's encoding.
macro_rules! interp {
    () => { $crate::layout::fields! {
        25 16 Op; 7 0 At(Dst, Vgpr); 9 9 AbsBit(0); 10 10 AbsBit(1); 15 15 Clamp; 37 32 Attribute; 39 38 Channel; 40 40 High;
        49 41 At(Src0, InterpWide); 58 50 At(Src1, Any); 60 59 Omod; 62 62 NegBit(0); 63 63 NegBit(1);
    } };
}
/// Interpolation's own encoding.
macro_rules! interp_short {
    ($family:literal) => {
        $crate::layout::layout!(Vintrp Base 1, [(Bits(31, 26), $family)], $crate::layout::fields! {
            17 16 Op; 25 18 At(Dst, Vgpr); 7 0 At(Src0, Interp); 9 8 Channel; 15 10 Attribute;
        })
    };
}
/// The second dword of DPP8.
macro_rules! dpp8 {
    ($($hi:literal $lo:literal $field:expr;)*) => { $crate::layout::fields! {
        $($hi $lo $field;)*
        39 32 At(Src0, Vgpr); 63 40 Dpp8Selects;
    } };
}
/// VOP3 from gfx9 on, without what stands in the place of the first source.
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
/// VOP3's encodings of all vector families under a generation's prefixes: comparisons have the lowest opcodes, VOP2's begin at
/// 0x100, VOP1's where the generation says.
macro_rules! long {
    ($vop3:ident $vop3p:ident, $vop1:literal) => { &[
        $crate::layout::layout!(Vopc E64 2, [$vop3], vop3! { 10 8 Abs; 14 11 OpSel; }),
        $crate::layout::layout!(Vop2 E64 2, [$vop3], 0x100, vop3! { 10 8 Abs; 14 11 OpSel; }),
        $crate::layout::layout!(Vop2 E64 2, [$vop3], 0x100, vop3! { 14 8 At(Mask, Sgpr); }),
        $crate::layout::layout!(Vop1 E64 2, [$vop3], $vop1, vop3! { 10 8 Abs; 14 11 OpSel; }),
        $crate::layout::layout!(Vop3 Base 2, [$vop3], vop3! { 10 8 Abs; 14 11 OpSel; }),
        $crate::layout::layout!(Vop3 Base 2, [$vop3], vop3! { 14 8 At(Mask, Sgpr); }),
        $crate::layout::layout!(Vop3p Base 2, [$vop3p], vop3p!()),
    ] };
}
pub(super) use {dpp, dpp8, dpp16, interp, interp_short, long, vop3, vop3_but_src0, vop3p, vop3p_but_src0};

/// The 32-bit encodings; behind those whose first source tells another one.
#[rustfmt::skip]
pub(super) const SHORT: &[Layout] = &[
    layout!(Vop1 Base 1, [VOP1], fields! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); 8 0 At(Src0, Any); }),
    layout!(Vopc Base 1, [VOPC], fields! { 24 17 Op; 8 0 At(Src0, Any); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Base 1, [VOP2], fields! {
        30 25 Op; 24 17 At(Dst, VgprOrSgpr); 16 9 At(Src1, VgprOrLane); 8 0 At(Src0, Any); }),
];

/// Lane permutation of VOP1 and VOP2, from gfx10 on.
#[rustfmt::skip]
pub(super) const PERMUTED: &[Layout] = &[
    layout!(Vop1 Dpp16 2, [VOP1, DPP16], dpp16! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop1 Dpp8 2, [VOP1, DPP8], dpp8! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop1 Dpp8 2, [VOP1, DPP8_FI], dpp8! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop2 Dpp16 2, [VOP2, DPP16], dpp16! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Dpp8 2, [VOP2, DPP8], dpp8! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Dpp8 2, [VOP2, DPP8_FI], dpp8! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
];

/// VOP3 and VOP3P, from gfx10 on.
#[rustfmt::skip]
pub(super) const LONG: &[Layout] = long!(VOP3 VOP3P, 0x180);

/// Sub-dword addressing, of the generations that have it.
#[rustfmt::skip]
pub(super) const SDWA: &[Layout] = &[
    layout!(Vop1 Sdwa 2, [VOP1, SDWA_SRC0], sdwa_sources! {
        16 9 Op; 24 17 At(Dst, VgprOrSgpr); 42 40 DstSel; 44 43 DstUnused; 45 45 Clamp; 47 46 Omod; }),
    layout!(Vopc Sdwa 2, [VOPC, SDWA_SRC0], sdwa_sources! {
        24 17 Op; 16 9 At(Src1, Sdwa); 46 40 At(Mask, Sgpr); 47 47 MaskBit; }),
    layout!(Vop2 Sdwa 2, [VOP2, SDWA_SRC0], sdwa_sources! {
        30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Sdwa); 42 40 DstSel; 44 43 DstUnused; 45 45 Clamp; 47 46 Omod; }),
];
