//! Encodings of RDNA 4's memory: scalar, shared, global, through buffers, of images; and exports.

use super::Field::*;
use super::OperandCode::*;
use super::OperandField::*;
use super::memory::{ds, export, lds_dir};
use super::{Bits, Layout, fields, layout};
use crate::cache::{HINT, SCOPE};
use crate::instr::Flags;

macro_rules! flat {
    ($format:ident, $segment:literal, $($hi:literal $lo:literal $field:expr;)*) => {
        layout!($format Base 3, [(Bits(31, 24), $segment)], fields! {
            6 0 At(Saddr, SgprOrOff(124)); 21 14 Op; 39 32 At(Dst, Vgpr); 51 50 Cache(SCOPE); 54 52 Cache(HINT);
            62 55 At(Data0, Vgpr); 71 64 At(Addr, Vgpr); 95 72 Imm { signed: true }; $($hi $lo $field;)*
        })
    };
}
/// What typed and raw accesses of buffers have in the same places.
macro_rules! buffer {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        6 0 At(Src2, Sgpr); 22 22 Flag(Flags::TFE); 39 32 At(Data0, Vgpr); 47 41 At(Saddr, Sgpr); 51 50 Cache(SCOPE); 54 52 Cache(HINT);
        62 62 Flag(Flags::OFFEN); 63 63 Flag(Flags::IDXEN); 71 64 At(Addr, Vgpr); 95 72 Imm { signed: true };
        $($hi $lo $field;)*
    } };
}
/// What image instructions with and without a sampler have in the same places.
macro_rules! image {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        2 0 Dim; 4 4 Flag(Flags::R128); 5 5 Flag(Flags::D16); 6 6 Flag(Flags::A16); 21 14 Op; 25 22 Dmask;
        39 32 At(Data0, Vgpr); 49 41 At(Saddr, Sgpr); 51 50 Cache(SCOPE); 54 52 Cache(HINT);
        71 64 At(Addr, Vgpr); 79 72 Address(1); 87 80 Address(2); 95 88 Address(3); $($hi $lo $field;)*
    } };
}

#[rustfmt::skip]
pub(super) const ENCODINGS: &[Layout] = &[
    layout!(Smem Base 2, [(Bits(31, 26), 0x3d)], fields! {
        18 13 Op; 5 0 At(Addr, Aligned(2)); 12 6 At(Dst, Sgpr); 10 6 Probe; 22 21 Cache(SCOPE); 24 23 Cache(HINT);
        55 32 Imm { signed: true }; 63 57 At(Saddr, SgprOrOff(124));
    }),
    ds! { 25 18; },
    lds_dir!(23 23 WaitVsrc;),
    flat!(Flat, 0xec,),
    flat!(Scratch, 0xed, 49 49 HasAddr;),
    flat!(Global, 0xee,),
    // Opcodes of typed accesses begin at 0x80; the others have the format that means none.
    layout!(Mubuf Base 3, [(Bits(31, 26), 0x31), (Bits(61, 55), 1)], buffer! { 21 14 Op; }),
    layout!(Mtbuf Base 3, [(Bits(31, 26), 0x31)], buffer! { 21 14 Op; 61 55 Format; }),
    layout!(Mimg Base 3, [(Bits(31, 26), 0x34)], image! { 55 55 Flag(Flags::TFE); 63 56 Address(4); }),
    layout!(Mimg Base 3, [(Bits(31, 26), 0x39)], image! {
        3 3 Flag(Flags::TFE); 13 13 Flag(Flags::UNORM); 40 40 Flag(Flags::LWE); 63 55 At(Src2, Sgpr); }),
    export! { 0x3e; 13 13 Row; },
];
