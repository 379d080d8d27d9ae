//! Encodings of RDNA 1 and 2.

use super::Field::*;
use super::OperandCode::*;
use super::OperandField::*;
use super::memory::{ds, export};
use super::vector::{VOP3, interp, interp_short};
use super::{Bits, Layout, fields, layout};
use crate::cache::{DLC, GLC, SLC};
use crate::instr::Flags;

macro_rules! flat {
    ($format:ident, $segment:literal, $($hi:literal $lo:literal $field:expr;)*) => {
        layout!($format Base 2, [(Bits(31, 26), 0x37), (Bits(15, 14), $segment)], fields! {
            $($hi $lo $field;)*
            12 12 Cache(DLC); 13 13 Flag(Flags::LDS); 16 16 Cache(GLC); 17 17 Cache(SLC);
            24 18 Op; 39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 54 48 At(Saddr, SgprOrOff(125)); 63 56 At(Dst, Vgpr);
        })
    };
}

#[rustfmt::skip]
pub(super) const ENCODINGS: &[Layout] = &[
    layout!(Smem Base 2, [(Bits(31, 26), 0x3d)], fields! {
        25 18 Op; 5 0 At(Addr, Aligned(2)); 12 6 At(Dst, Sgpr); 14 14 Cache(DLC); 16 16 Cache(GLC);
        12 6 Probe; 52 32 Imm { signed: true }; 63 57 At(Saddr, SgprOrOff(125));
    }),
    layout!(Vop3 Base 2, [VOP3], interp!()),
    layout!(Vintrp E64 2, [VOP3], 0x200, interp!()),
    interp_short!(0x32),
    ds! { 25 18; 17 17 Flag(Flags::GDS); },
    flat!(Flat, 0, 10 0 Imm { signed: false };),
    flat!(Scratch, 1, 11 0 Imm { signed: true };),
    flat!(Global, 2, 11 0 Imm { signed: true };),
    layout!(Mubuf Base 2, [(Bits(31, 26), 0x38)], fields! {
        25 18 Op; 11 0 Imm { signed: false }; 12 12 Flag(Flags::OFFEN); 13 13 Flag(Flags::IDXEN); 14 14 Cache(GLC);
        15 15 Cache(DLC); 16 16 Flag(Flags::LDS); 54 54 Cache(SLC); 55 55 Flag(Flags::TFE);
        39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4)); 63 56 At(Src2, Scalar); }),
    layout!(Mtbuf Base 2, [(Bits(31, 26), 0x3a)], fields! {
        18 16 OpLow; 53 53 OpHigh(3); 25 19 Format; 11 0 Imm { signed: false }; 12 12 Flag(Flags::OFFEN);
        13 13 Flag(Flags::IDXEN); 14 14 Cache(GLC); 15 15 Cache(DLC); 54 54 Cache(SLC);
        55 55 Flag(Flags::TFE); 39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4));
        63 56 At(Src2, Scalar); }),
    // The dwords of non-sequential addresses follow these two.
    layout!(Mimg Base 2, [(Bits(31, 26), 0x3c)], fields! {
        24 18 OpLow; 0 0 OpHigh(7); 2 1 Nsa; 5 3 Dim; 11 8 Dmask; 7 7 Cache(DLC); 12 12 Flag(Flags::UNORM);
        13 13 Cache(GLC); 15 15 Flag(Flags::R128); 16 16 Flag(Flags::TFE); 17 17 Flag(Flags::LWE);
        25 25 Cache(SLC); 62 62 Flag(Flags::A16); 63 63 Flag(Flags::D16);
        39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4)); 57 53 At(Src2, Aligned(4)); }),
    export! { 0x3e; 10 10 Compressed; 12 12 ValidMask; },
];
