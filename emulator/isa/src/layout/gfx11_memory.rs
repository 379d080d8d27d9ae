//! Encodings of RDNA 3's memory: scalar, shared, global, through buffers, of images; and exports.

use super::Field::*;
use super::OperandCode::*;
use super::OperandField::*;
use super::memory::{ds, export, lds_dir};
use super::{Bits, Layout, fields, layout};
use crate::cache::{DLC, GLC, SLC};
use crate::instr::Flags;

macro_rules! flat {
    ($format:ident, $segment:literal, $($hi:literal $lo:literal $field:expr;)*) => {
        layout!($format Base 2, [(Bits(31, 26), 0x37), (Bits(17, 16), $segment)], fields! {
            13 13 Cache(DLC); 14 14 Cache(GLC); 15 15 Cache(SLC); 24 18 Op;
            39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 54 48 At(Saddr, SgprOrOff(124)); 63 56 At(Dst, Vgpr);
            $($hi $lo $field;)*
        })
    };
}
/// What MUBUF and MTBUF have in the same places.
macro_rules! buffer {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        11 0 Imm { signed: false }; 12 12 Cache(SLC); 13 13 Cache(DLC); 14 14 Cache(GLC);
        39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4)); 53 53 Flag(Flags::TFE);
        54 54 Flag(Flags::OFFEN); 55 55 Flag(Flags::IDXEN); 63 56 At(Src2, Scalar); $($hi $lo $field;)*
    } };
}

#[rustfmt::skip]
pub(super) const ENCODINGS: &[Layout] = &[
    layout!(Smem Base 2, [(Bits(31, 26), 0x3d)], fields! {
        25 18 Op; 5 0 At(Addr, Aligned(2)); 12 6 At(Dst, Sgpr); 13 13 Cache(DLC); 14 14 Cache(GLC);
        12 6 Probe; 52 32 Imm { signed: true }; 63 57 At(Saddr, SgprOrOff(124));
    }),
    ds! { 25 18; 17 17 Flag(Flags::GDS); },
    lds_dir!(),
    flat!(Flat, 0, 11 0 Imm { signed: false };),
    flat!(Scratch, 1, 12 0 Imm { signed: true }; 55 55 HasAddr;),
    flat!(Global, 2, 12 0 Imm { signed: true };),
    layout!(Mubuf Base 2, [(Bits(31, 26), 0x38)], buffer! { 25 18 Op; }),
    layout!(Mtbuf Base 2, [(Bits(31, 26), 0x3a)], buffer! { 18 15 Op; 25 19 Format; }),
    // The dword of non-sequential addresses follows these two.
    layout!(Mimg Base 2, [(Bits(31, 26), 0x3c)], fields! {
        25 18 Op; 0 0 Nsa; 4 2 Dim; 7 7 Flag(Flags::UNORM); 11 8 Dmask; 12 12 Cache(SLC); 13 13 Cache(DLC);
        14 14 Cache(GLC); 15 15 Flag(Flags::R128); 16 16 Flag(Flags::A16); 17 17 Flag(Flags::D16);
        53 53 Flag(Flags::TFE); 54 54 Flag(Flags::LWE);
        39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4)); 62 58 At(Src2, Aligned(4)); }),
    export! { 0x3e; 13 13 Row; },
];
