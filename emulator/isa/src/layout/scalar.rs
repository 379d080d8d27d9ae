//! Encodings of the scalar unit, which no generation has moved.

use super::Field::*;
use super::OperandCode::*;
use super::OperandField::*;
use super::{Bits, Layout, fields, layout};

#[rustfmt::skip]
pub(super) const ENCODINGS: &[Layout] = &[
    layout!(Sop1 Base 1, [(Bits(31, 23), 0x17d)], fields! { 15 8 Op; 22 16 At(Dst, Sgpr); 7 0 At(Src0, Scalar); }),
    layout!(Sop1 Base 1, [(Bits(31, 23), 0x17d)], fields! { 15 8 Op; 22 16 At(Dst, Sgpr); 7 0 Imm { signed: false }; }),
    layout!(Sopc Base 1, [(Bits(31, 23), 0x17e)], fields! { 22 16 Op; 7 0 At(Src0, Scalar); 15 8 At(Src1, Scalar); }),
    layout!(Sopp Base 1, [(Bits(31, 23), 0x17f)], fields! { 22 16 Op; 15 0 Imm { signed: true }; }),
    layout!(Sopk Base 1, [(Bits(31, 28), 0xb)], fields! { 27 23 Op; 22 16 At(Dst, Sgpr); 15 0 Imm { signed: true }; }),
    layout!(Sop2 Base 1, [(Bits(31, 30), 0x2)],
        fields! { 29 23 Op; 22 16 At(Dst, Sgpr); 7 0 At(Src0, Scalar); 15 8 At(Src1, Scalar); }),
];
