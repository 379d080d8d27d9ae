//! Encodings of GCN 1, 2 and 5. GCN 1 and 2 share one list but for scalar memory's literal and flat memory; GCN 5 has RDNA 1's
//! vector fields under other prefixes, and memory encodings of its own.

use super::Field::*;
use super::OperandCode::*;
use super::OperandField::*;
use super::memory::{ds, export};
use super::vector::{DPP16, VOP1, VOP2, dpp, interp, interp_short, long, vop3, vop3p};
use super::{Bits, Layout, fields, layout};
use crate::cache::{GLC, SLC};
use crate::instr::Flags;

const VOP3: (Bits, u32) = (Bits(31, 26), 0x34);
const VOP3P: (Bits, u32) = (Bits(31, 23), 0x1a7);
const SMRD: (Bits, u32) = (Bits(31, 27), 0x18);
const SMEM: (Bits, u32) = (Bits(31, 26), 0x30);

/// VOP3 of GCN 1 and 2.
macro_rules! vop3_gfx6 {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        25 17 Op; 7 0 At(Dst, VgprOrSgpr);
        40 32 At(Src0, Any); 49 41 At(Src1, Any); 58 50 At(Src2, Any); 60 59 Omod; 63 61 Neg;
        $($hi $lo $field;)*
    } };
}
macro_rules! smem {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        25 18 Op; 5 0 At(Addr, Aligned(2)); 12 6 At(Dst, Sgpr); 12 6 Probe; 16 16 Cache(GLC);
        $($hi $lo $field;)*
    } };
}
macro_rules! smrd {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        26 22 Op; 14 9 At(Addr, Aligned(2)); 21 15 At(Dst, Sgpr); $($hi $lo $field;)*
    } };
}
macro_rules! flat {
    ($format:ident, $segment:literal, $($hi:literal $lo:literal $field:expr;)*) => {
        layout!($format Base 2, [(Bits(31, 26), 0x37), (Bits(15, 14), $segment)], fields! {
            24 18 Op; 16 16 Cache(GLC); 17 17 Cache(SLC);
            39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 63 56 At(Dst, Vgpr); $($hi $lo $field;)*
        })
    };
}
/// Untyped and typed buffer accesses, beside opcode and cache bits.
macro_rules! buffer {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        11 0 Imm { signed: false }; 12 12 Flag(Flags::OFFEN); 13 13 Flag(Flags::IDXEN); 14 14 Cache(GLC);
        55 55 Flag(Flags::TFE); 39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4));
        63 56 At(Src2, Scalar); $($hi $lo $field;)*
    } };
}
macro_rules! image {
    ($($hi:literal $lo:literal $field:expr;)*) => {
        layout!(Mimg Base 2, [(Bits(31, 26), 0x3c)], fields! {
            24 18 Op; 11 8 Dmask; 12 12 Flag(Flags::UNORM); 13 13 Cache(GLC); 14 14 Flag(Flags::DA);
            16 16 Flag(Flags::TFE); 17 17 Flag(Flags::LWE); 25 25 Cache(SLC);
            39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 52 48 At(Saddr, Aligned(4)); 57 53 At(Src2, Aligned(4));
            $($hi $lo $field;)*
        })
    };
}

/// What GCN 1 and 2 have in common.
#[rustfmt::skip]
pub(super) const GFX6: &[Layout] = &[
    layout!(Smem Base 1, [SMRD, (Bits(8, 8), 1)], smrd! { 7 0 Imm { signed: false }; }),
    layout!(Vopc E64 2, [VOP3], vop3_gfx6! { 10 8 Abs; 11 11 Clamp; }),
    layout!(Vop2 E64 2, [VOP3], 0x100, vop3_gfx6! { 10 8 Abs; 11 11 Clamp; }),
    layout!(Vop2 E64 2, [VOP3], 0x100, vop3_gfx6! { 14 8 At(Mask, Sgpr); }),
    layout!(Vop1 E64 2, [VOP3], 0x180, vop3_gfx6! { 10 8 Abs; 11 11 Clamp; }),
    layout!(Vop3 Base 2, [VOP3], vop3_gfx6! { 10 8 Abs; 11 11 Clamp; }),
    layout!(Vop3 Base 2, [VOP3], vop3_gfx6! { 14 8 At(Mask, Sgpr); }),
    interp_short!(0x32),
    ds! { 25 18; 17 17 Flag(Flags::GDS); },
    layout!(Mubuf Base 2, [(Bits(31, 26), 0x38)],
        buffer! { 24 18 Op; 15 15 Flag(Flags::ADDR64); 16 16 Flag(Flags::LDS); 54 54 Cache(SLC); }),
    layout!(Mtbuf Base 2, [(Bits(31, 26), 0x3a)],
        buffer! { 18 16 Op; 15 15 Flag(Flags::ADDR64); 25 19 Format; 54 54 Cache(SLC); }),
    image! { 15 15 Flag(Flags::R128); },
    export! { 0x3e; 10 10 Compressed; 12 12 ValidMask; },
];

/// GCN 1's alone.
#[rustfmt::skip]
pub(super) const GFX6_ONLY: &[Layout] = &[
    layout!(Smem Base 1, [SMRD, (Bits(8, 8), 0)], smrd! { 7 0 At(Saddr, Sgpr); }),
];

/// GCN 2's alone: a literal offset, and flat memory.
#[rustfmt::skip]
pub(super) const GFX7_ONLY: &[Layout] = &[
    layout!(Smem Base 1, [SMRD, (Bits(8, 8), 0)], smrd! { 7 0 At(Saddr, Scalar); }),
    flat!(Flat, 0, 55 55 Flag(Flags::TFE);),
];

/// GCN 5's alone.
#[rustfmt::skip]
pub(super) const GFX9_ONLY: &[Layout] = &[
    // S_SET_GPR_IDX_ON.
    layout!(Sopc Base 1, [(Bits(31, 23), 0x17e), (Bits(15, 12), 0)], fields! {
        22 16 Op; 7 0 At(Src0, Scalar); 11 8 Imm { signed: false }; }),
];

/// GCN 5's VOP3 and VOP3P.
#[rustfmt::skip]
pub(super) const GFX9_LONG: &[Layout] = long!(VOP3 VOP3P, 0x140);

#[rustfmt::skip]
pub(super) const GFX9: &[Layout] = &[
    // A constant, a scalar register, or both.
    layout!(Smem Base 2, [SMEM, (Bits(17, 17), 1), (Bits(14, 14), 0)], smem! { 52 32 Imm { signed: true }; }),
    layout!(Smem Base 2, [SMEM, (Bits(17, 17), 0), (Bits(14, 14), 0)], smem! { 38 32 At(Saddr, Sgpr); }),
    layout!(Smem Base 2, [SMEM, (Bits(14, 14), 1)],
        smem! { 17 17 Flag(Flags::IMM); 52 32 Imm { signed: true }; 63 57 At(Saddr, Sgpr); }),
    layout!(Vop1 Dpp16 2, [VOP1, DPP16], dpp! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop2 Dpp16 2, [VOP2, DPP16], dpp! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
    layout!(Vop3 Base 2, [VOP3], interp!()),
    layout!(Vintrp E64 2, [VOP3], 0x270, interp!()),
    interp_short!(0x35),
    ds! { 24 17; 16 16 Flag(Flags::GDS); },
    flat!(Flat, 0, 11 0 Imm { signed: false }; 13 13 Flag(Flags::LDS);),
    flat!(Scratch, 1, 12 0 Imm { signed: true }; 13 13 Flag(Flags::LDS); 54 48 At(Saddr, SgprOrOff(127));),
    flat!(Global, 2, 12 0 Imm { signed: true }; 13 13 Flag(Flags::LDS); 54 48 At(Saddr, SgprOrOff(127));),
    layout!(Mubuf Base 2, [(Bits(31, 26), 0x38)],
        buffer! { 24 18 Op; 16 16 Flag(Flags::LDS); 17 17 Cache(SLC); }),
    layout!(Mtbuf Base 2, [(Bits(31, 26), 0x3a)], buffer! { 18 15 Op; 25 19 Format; 54 54 Cache(SLC); }),
    image! { 15 15 Flag(Flags::A16); 63 63 Flag(Flags::D16); },
    export! { 0x31; 10 10 Compressed; 12 12 ValidMask; },
];
