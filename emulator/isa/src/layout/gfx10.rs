//! Encodings of RDNA 1 and 2.

use super::Field::*;
use super::OperandCode::*;
use super::OperandField::*;
use super::vector::{VOP1, VOP2, dpp8, dpp16, interp, vop3, vop3p};
use super::{Bits, Layout, fields, layout};
use crate::instr::{Flags, Form};
use crate::row::Format;

const DPP16_SRC0: (Bits, u32) = (Bits(8, 0), 250);
const VOP3: (Bits, u32) = (Bits(31, 26), 0x35);

macro_rules! flat {
    ($format:ident, $segment:literal, $($hi:literal $lo:literal $field:expr;)*) => {
        Layout {
            format: Format::$format,
            form: Form::Base,
            dwords: 2,
            op_base: 0,
            fixed: &[(Bits(31, 26), 0x37), (Bits(15, 14), $segment)],
            fields: fields! {
                $($hi $lo $field;)*
                12 12 Flag(Flags::DLC); 13 13 Flag(Flags::LDS); 16 16 Flag(Flags::GLC); 17 17 Flag(Flags::SLC);
                24 18 Op; 39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 54 48 At(Saddr, SgprOrOff(125)); 63 56 At(Dst, Vgpr);
            },
        }
    };
}

/// Lane permutation: the first source tells.
#[rustfmt::skip]
pub(super) const PERMUTED: &[Layout] = &[
    layout!(Vop1 Dpp16 2, [VOP1, DPP16_SRC0], dpp16! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop1 Dpp8 2, [VOP1, (Bits(8, 0), 233)], dpp8! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop1 Dpp8 2, [VOP1, (Bits(8, 0), 234)], dpp8! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop2 Dpp16 2, [VOP2, DPP16_SRC0], dpp16! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Dpp8 2, [VOP2, (Bits(8, 0), 233)], dpp8! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Dpp8 2, [VOP2, (Bits(8, 0), 234)], dpp8! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
];

#[rustfmt::skip]
pub(super) const ENCODINGS: &[Layout] = &[
    layout!(Smem Base 2, [(Bits(31, 26), 0x3d)], fields! {
        25 18 Op; 5 0 At(Addr, Aligned(2)); 12 6 At(Dst, Sgpr); 14 14 Flag(Flags::DLC); 16 16 Flag(Flags::GLC);
        12 6 Probe; 52 32 Imm { signed: true }; 63 57 At(Saddr, SgprOrOff(125));
    }),
    layout!(Vopc E64 2, [VOP3], vop3! { 10 8 Abs; 14 11 OpSel; }),
    layout!(Vop2 E64 2, [VOP3], 0x100, vop3! { 10 8 Abs; 14 11 OpSel; }),
    layout!(Vop2 E64 2, [VOP3], 0x100, vop3! { 14 8 At(Mask, Sgpr); }),
    layout!(Vop1 E64 2, [VOP3], 0x180, vop3! { 10 8 Abs; 14 11 OpSel; }),
    layout!(Vop3 Base 2, [VOP3], vop3! { 10 8 Abs; 14 11 OpSel; }),
    layout!(Vop3 Base 2, [VOP3], vop3! { 14 8 At(Mask, Sgpr); }),
    layout!(Vop3 Base 2, [VOP3], interp!()),
    layout!(Vintrp E64 2, [VOP3], 0x200, interp!()),
    layout!(Vintrp Base 1, [(Bits(31, 26), 0x32)], fields! {
        17 16 Op; 25 18 At(Dst, Vgpr); 7 0 At(Src0, Interp); 9 8 Channel; 15 10 Attribute; }),
    layout!(Vop3p Base 2, [(Bits(31, 23), 0x198)], vop3p!()),
    layout!(Ds Base 2, [(Bits(31, 26), 0x36)], fields! {
        25 18 Op; 15 0 Imm { signed: false }; 17 17 Flag(Flags::GDS);
        39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 55 48 At(Data1, Vgpr); 63 56 At(Dst, Vgpr); }),
    flat!(Flat, 0, 10 0 Imm { signed: false };),
    flat!(Scratch, 1, 11 0 Imm { signed: true };),
    flat!(Global, 2, 11 0 Imm { signed: true };),
    layout!(Mubuf Base 2, [(Bits(31, 26), 0x38)], fields! {
        25 18 Op; 11 0 Imm { signed: false }; 12 12 Flag(Flags::OFFEN); 13 13 Flag(Flags::IDXEN); 14 14 Flag(Flags::GLC);
        15 15 Flag(Flags::DLC); 16 16 Flag(Flags::LDS); 54 54 Flag(Flags::SLC); 55 55 Flag(Flags::TFE);
        39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4)); 63 56 At(Src2, Scalar); }),
    layout!(Mtbuf Base 2, [(Bits(31, 26), 0x3a)], fields! {
        18 16 OpLow; 53 53 OpHigh(3); 25 19 Format; 11 0 Imm { signed: false }; 12 12 Flag(Flags::OFFEN);
        13 13 Flag(Flags::IDXEN); 14 14 Flag(Flags::GLC); 15 15 Flag(Flags::DLC); 54 54 Flag(Flags::SLC);
        55 55 Flag(Flags::TFE); 39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4));
        63 56 At(Src2, Scalar); }),
    // The dwords of non-sequential addresses follow these two.
    layout!(Mimg Base 2, [(Bits(31, 26), 0x3c)], fields! {
        24 18 OpLow; 0 0 OpHigh(7); 2 1 Nsa; 5 3 Dim; 11 8 Dmask; 7 7 Flag(Flags::DLC); 12 12 Flag(Flags::UNORM);
        13 13 Flag(Flags::GLC); 15 15 Flag(Flags::R128); 16 16 Flag(Flags::TFE); 17 17 Flag(Flags::LWE);
        25 25 Flag(Flags::SLC); 62 62 Flag(Flags::A16); 63 63 Flag(Flags::D16);
        39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4)); 57 53 At(Src2, Aligned(4)); }),
    layout!(Exp Base 2, [(Bits(31, 26), 0x3e)], fields! {
        3 0 Enable; 9 4 Target; 10 10 Compressed; 11 11 Done; 12 12 ValidMask;
        39 32 At(Src0, Vgpr); 47 40 At(Src1, Vgpr); 55 48 At(Src2, Vgpr); 63 56 At(Data0, Vgpr); }),
];
