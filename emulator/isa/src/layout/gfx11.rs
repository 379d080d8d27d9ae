//! Encodings of RDNA 3 and 4.

use super::Field::*;
use super::OperandCode::*;
use super::OperandField::*;
use super::vector::{DPP8, DPP8_FI, DPP16, VOP3, VOP3P, VOPC, dpp8, dpp16, vop3_but_src0, vop3p_but_src0};
use super::{Bits, Layout, fields, layout};

const WIDE_DPP16: (Bits, u32) = (Bits(40, 32), 250);
const WIDE_DPP8: (Bits, u32) = (Bits(40, 32), 233);
const WIDE_DPP8_FI: (Bits, u32) = (Bits(40, 32), 234);

/// Families' 64-bit encodings under lane permutation, whose dword is the third.
macro_rules! permuted {
    ($($format:ident $base:literal $prefix:ident $vop3:ident { $($hi:literal $lo:literal $field:expr;)* })*) => { &[$(
        layout!($format E64Dpp16 3, [$prefix, WIDE_DPP16], $base, $vop3! { $($hi $lo $field;)*
            71 64 At(Src0, Vgpr); 80 72 DppCtrl; 82 82 FetchInactive; 83 83 BoundCtrl; 91 88 BankMask; 95 92 RowMask; }),
        layout!($format E64Dpp8 3, [$prefix, WIDE_DPP8], $base, $vop3! { $($hi $lo $field;)*
            71 64 At(Src0, Vgpr); 95 72 Dpp8Selects; }),
        layout!($format E64Dpp8 3, [$prefix, WIDE_DPP8_FI], $base, $vop3! { $($hi $lo $field;)*
            71 64 At(Src0, Vgpr); 95 72 Dpp8Selects; }),
    )*] };
}

/// Before all others: the first source tells.
#[rustfmt::skip]
pub(super) const PERMUTED: &[Layout] = permuted! {
    Vopc 0 VOP3 vop3_but_src0 { 10 8 Abs; 14 11 OpSel; }
    Vop2 0x100 VOP3 vop3_but_src0 { 10 8 Abs; 14 11 OpSel; }
    Vop2 0x100 VOP3 vop3_but_src0 { 14 8 At(Mask, Sgpr); }
    Vop1 0x180 VOP3 vop3_but_src0 { 10 8 Abs; 14 11 OpSel; }
    Vop3 0 VOP3 vop3_but_src0 { 10 8 Abs; 14 11 OpSel; }
    Vop3 0 VOP3 vop3_but_src0 { 14 8 At(Mask, Sgpr); }
    Vop3p 0 VOP3P vop3p_but_src0 {}
};

#[rustfmt::skip]
pub(super) const VECTOR: &[Layout] = &[
    layout!(Vopc Dpp16 2, [VOPC, DPP16], dpp16! { 24 17 Op; 16 9 At(Src1, Vgpr); }),
    layout!(Vopc Dpp8 2, [VOPC, DPP8], dpp8! { 24 17 Op; 16 9 At(Src1, Vgpr); }),
    layout!(Vopc Dpp8 2, [VOPC, DPP8_FI], dpp8! { 24 17 Op; 16 9 At(Src1, Vgpr); }),
    layout!(Vinterp Base 2, [(Bits(31, 23), 0x19a)], fields! {
        22 16 Op; 7 0 At(Dst, Vgpr); 10 8 WaitExp; 14 11 OpSel; 15 15 Clamp;
        40 32 At(Src0, Any); 49 41 At(Src1, Any); 58 50 At(Src2, Any); 63 61 Neg; }),
    layout!(Vopd Base 2, [(Bits(31, 26), 0x32)], fields! {
        25 22 Op; 63 56 At(Dst, Vgpr); 8 0 At(Src0, Any); 16 9 At(Src1, Vgpr);
        21 17 DualOp; 55 49 DualDst; 40 32 Dual(Src0, Any); 48 41 Dual(Src1, Vgpr); }),
];
