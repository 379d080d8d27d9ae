//! Where the bits stand: one list of bit ranges per encoding, which encoder and decoder both walk.

use crate::instr::{Flags, Form};
use crate::reg::Src;
use crate::row::{Format, MemKind, Row, Sem, Space, Ty, WaveOp};

/// An operand's place in an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Dst,
    /// Lane-mask destination (VOP3B, SDWA of VOPC).
    Mask,
    Src0,
    Src1,
    Src2,
    Addr,
    Saddr,
    Data0,
    Data1,
}

/// How an operand is coded in its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// Scalar register, 7 bits.
    Sgpr,
    /// Scalar register, null for none.
    SgprOrOff,
    /// Scalar register or constant, 8 bits.
    Scalar,
    /// Any source, 9 bits.
    Any,
    Vgpr,
    /// A VGPR, or the scalar register that the row writes.
    VgprOrSgpr,
    /// First of an aligned pair or quad of SGPRs, divided by the size.
    Aligned(u16),
    /// 8 bits of a VGPR or of a scalar; which, a [`Field::ScalarBit`] says.
    Sdwa,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    Op,
    At(Place, Code),
    /// Set if the SDWA operand is scalar.
    ScalarBit(Place),
    /// Set if the SDWA comparison has a destination other than VCC.
    MaskBit,
    Imm {
        signed: bool,
    },
    Flag(Flags),
    Neg,
    Abs,
    /// Bit i of a modifier mask, where encodings scatter them.
    NegBit(u8),
    AbsBit(u8),
    SextBit(u8),
    Omod,
    Clamp,
    OpSel,
    /// Bits of op_sel_hi from bit `0` up.
    OpSelHi(u8),
    NegHi,
    DstSel,
    DstUnused,
    SrcSel(u8),
    DppCtrl,
    RowMask,
    BankMask,
    BoundCtrl,
    FetchInactive,
    Dpp8Selects,
}

/// Bits `hi..=lo` of the first two dwords.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits(pub u8, pub u8);

impl Bits {
    pub fn get(self, word: u64) -> u32 {
        (word >> self.1 & self.mask()) as u32
    }
    /// Whether `value` fits.
    pub fn fits(self, value: u32) -> bool {
        u64::from(value) <= self.mask()
    }
    pub fn put(self, word: &mut u64, value: u32) {
        *word |= (u64::from(value) & self.mask()) << self.1;
    }
    fn mask(self) -> u64 {
        (1u64 << (self.0 - self.1 + 1)) - 1
    }
    pub fn width(self) -> u32 {
        u32::from(self.0 - self.1) + 1
    }
}

/// One encoding.
pub(crate) struct Layout {
    pub format: Format,
    pub form: Form,
    pub dwords: usize,
    /// Bits that tell the encoding.
    pub fixed: &'static [(Bits, u32)],
    pub fields: &'static [(Bits, Field)],
    /// Added to a family's opcode in this encoding.
    pub op_base: u16,
}

use Code::*;
use Field::*;
use Place::*;

const SDWA_SRC0: (Bits, u32) = (Bits(8, 0), 249);
const DPP16_SRC0: (Bits, u32) = (Bits(8, 0), 250);
const VOP1: (Bits, u32) = (Bits(31, 25), 0x3f);
const VOPC: (Bits, u32) = (Bits(31, 25), 0x3e);
const VOP2: (Bits, u32) = (Bits(31, 31), 0);
const VOP3: (Bits, u32) = (Bits(31, 26), 0x35);

macro_rules! fields {
    ($($hi:literal $lo:literal $field:expr;)*) => { &[$((Bits($hi, $lo), $field)),*] };
}

/// The second dword of SDWA, without destination bits.
macro_rules! sdwa_sources {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        $($hi $lo $field;)*
        39 32 At(Src0, Sdwa);
        50 48 SrcSel(0); 51 51 SextBit(0); 52 52 NegBit(0); 53 53 AbsBit(0); 55 55 ScalarBit(Src0);
        58 56 SrcSel(1); 59 59 SextBit(1); 60 60 NegBit(1); 61 61 AbsBit(1); 63 63 ScalarBit(Src1);
    } };
}
macro_rules! dpp16 {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        $($hi $lo $field;)*
        39 32 At(Src0, Vgpr); 48 40 DppCtrl; 50 50 FetchInactive; 51 51 BoundCtrl;
        52 52 NegBit(0); 53 53 AbsBit(0); 54 54 NegBit(1); 55 55 AbsBit(1);
        59 56 BankMask; 63 60 RowMask;
    } };
}
macro_rules! dpp8 {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        $($hi $lo $field;)*
        39 32 At(Src0, Vgpr); 63 40 Dpp8Selects;
    } };
}
macro_rules! vop3 {
    ($($hi:literal $lo:literal $field:expr;)*) => { fields! {
        25 16 Op; 7 0 At(Dst, VgprOrSgpr); 15 15 Clamp;
        40 32 At(Src0, Any); 49 41 At(Src1, Any); 58 50 At(Src2, Any); 60 59 Omod; 63 61 Neg;
        $($hi $lo $field;)*
    } };
}
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
                24 18 Op; 39 32 At(Addr, Vgpr); 47 40 At(Data0, Vgpr); 54 48 At(Saddr, SgprOrOff); 63 56 At(Dst, Vgpr);
            },
        }
    };
}
macro_rules! layout {
    ($format:ident $form:ident $dwords:literal, [$($fixed:expr),*], $fields:expr) => { layout!($format $form $dwords, [$($fixed),*], 0, $fields) };
    ($format:ident $form:ident $dwords:literal, [$($fixed:expr),*], $base:literal, $fields:expr) => {
        Layout {
            format: Format::$format, form: Form::$form, dwords: $dwords, op_base: $base,
            fixed: &[$($fixed),*], fields: $fields,
        }
    };
}

/// gfx1010's encodings; the first whose fixed bits match, and that has the opcode, is the instruction's.
#[rustfmt::skip]
pub(crate) static GFX10: &[Layout] = &[
    layout!(Sop1 Base 1, [(Bits(31, 23), 0x17d)], fields! { 15 8 Op; 22 16 At(Dst, Sgpr); 7 0 At(Src0, Scalar); }),
    layout!(Sopc Base 1, [(Bits(31, 23), 0x17e)], fields! { 22 16 Op; 7 0 At(Src0, Scalar); 15 8 At(Src1, Scalar); }),
    layout!(Sopp Base 1, [(Bits(31, 23), 0x17f)], fields! { 22 16 Op; 15 0 Imm { signed: true }; }),
    layout!(Sopk Base 1, [(Bits(31, 28), 0xb)], fields! { 27 23 Op; 22 16 At(Dst, Sgpr); 15 0 Imm { signed: true }; }),
    layout!(Sop2 Base 1, [(Bits(31, 30), 0x2)],
        fields! { 29 23 Op; 22 16 At(Dst, Sgpr); 7 0 At(Src0, Scalar); 15 8 At(Src1, Scalar); }),
    layout!(Smem Base 2, [(Bits(31, 26), 0x3d)], fields! {
        25 18 Op; 5 0 At(Addr, Aligned(2)); 12 6 At(Dst, Sgpr); 14 14 Flag(Flags::DLC); 16 16 Flag(Flags::GLC);
        52 32 Imm { signed: true }; 63 57 At(Saddr, SgprOrOff);
    }),
    layout!(Vop1 Sdwa 2, [VOP1, SDWA_SRC0], sdwa_sources! {
        16 9 Op; 24 17 At(Dst, VgprOrSgpr); 42 40 DstSel; 44 43 DstUnused; 45 45 Clamp; 47 46 Omod; }),
    layout!(Vop1 Dpp16 2, [VOP1, DPP16_SRC0], dpp16! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop1 Dpp8 2, [VOP1, (Bits(8, 0), 233)], dpp8! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop1 Dpp8 2, [VOP1, (Bits(8, 0), 234)], dpp8! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); }),
    layout!(Vop1 Base 1, [VOP1], fields! { 16 9 Op; 24 17 At(Dst, VgprOrSgpr); 8 0 At(Src0, Any); }),
    layout!(Vopc Sdwa 2, [VOPC, SDWA_SRC0], sdwa_sources! {
        24 17 Op; 16 9 At(Src1, Sdwa); 46 40 At(Mask, Sgpr); 47 47 MaskBit; }),
    layout!(Vopc Base 1, [VOPC], fields! { 24 17 Op; 8 0 At(Src0, Any); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Sdwa 2, [VOP2, SDWA_SRC0], sdwa_sources! {
        30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Sdwa); 42 40 DstSel; 44 43 DstUnused; 45 45 Clamp; 47 46 Omod; }),
    layout!(Vop2 Dpp16 2, [VOP2, DPP16_SRC0], dpp16! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Dpp8 2, [VOP2, (Bits(8, 0), 233)], dpp8! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Dpp8 2, [VOP2, (Bits(8, 0), 234)], dpp8! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); }),
    layout!(Vop2 Base 1, [VOP2], fields! { 30 25 Op; 24 17 At(Dst, Vgpr); 16 9 At(Src1, Vgpr); 8 0 At(Src0, Any); }),
    layout!(Vopc E64 2, [VOP3], vop3! { 10 8 Abs; 14 11 OpSel; }),
    layout!(Vop2 E64 2, [VOP3], 0x100, vop3! { 10 8 Abs; 14 11 OpSel; }),
    layout!(Vop2 E64 2, [VOP3], 0x100, vop3! { 14 8 At(Mask, Sgpr); }),
    layout!(Vop1 E64 2, [VOP3], 0x180, vop3! { 10 8 Abs; 14 11 OpSel; }),
    layout!(Vop3 Base 2, [VOP3], vop3! { 10 8 Abs; 14 11 OpSel; }),
    layout!(Vop3 Base 2, [VOP3], vop3! { 14 8 At(Mask, Sgpr); }),
    layout!(Vop3p Base 2, [(Bits(31, 23), 0x198)], fields! {
        22 16 Op; 7 0 At(Dst, Vgpr); 10 8 NegHi; 13 11 OpSel; 14 14 OpSelHi(2); 15 15 Clamp;
        40 32 At(Src0, Any); 49 41 At(Src1, Any); 58 50 At(Src2, Any); 60 59 OpSelHi(0); 63 61 Neg; }),
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
];

/// Which slot of an instruction a place holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    Dst(usize),
    Src(usize),
}

/// Whether the operand is in the instruction word of this form: VCC is, in VOP3.
pub(crate) fn encoded(row: &Row, form: Form, ty: Ty) -> bool {
    match ty {
        Ty::Vcc => form == Form::E64 && matches!(row.format, Format::Vop2 | Format::Vopc),
        Ty::Imm16 | Ty::Lit32 | Ty::Unused => false,
        _ => !ty.implicit(),
    }
}

/// Whether the destination in VDST is a scalar register.
pub(crate) fn scalar_dst(row: &Row) -> bool {
    matches!(row.format, Format::Vopc) || matches!(row.sem, Sem::Wave(WaveOp::ReadLane | WaveOp::ReadFirstLane))
}

/// The slot that a place of the encoding holds, if the row has it.
pub(crate) fn slot(row: &Row, form: Form, place: Place) -> Option<Slot> {
    let nth_src = |n: usize| (0..row.src.len()).filter(|&i| encoded(row, form, row.src[i])).nth(n).map(Slot::Src);
    let dst = |n: usize| row.dst.get(n).filter(|&&t| encoded(row, form, t)).map(|_| Slot::Dst(n));
    let first_addr = |n: usize| (n < row.src.len() && !row.src[n].implicit()).then_some(Slot::Src(n));
    match row.format {
        // The destination field of S_CMPK, S_SETREG and S_WAITCNT_* is a source.
        Format::Sopk => match place {
            Place::Dst => dst(0).or_else(|| nth_src(0)),
            _ => None,
        },
        Format::Smem => match place {
            Place::Dst => dst(0),
            Place::Addr => first_addr(0),
            Place::Saddr => first_addr(1),
            _ => None,
        },
        Format::Ds => match place {
            Place::Dst => dst(0),
            // DS_WRITE_ADDTID has data and no address.
            Place::Addr if row.sem == Sem::Mem(Space::Lds, MemKind::StoreLane) => None,
            Place::Data0 if row.sem == Sem::Mem(Space::Lds, MemKind::StoreLane) => Some(Slot::Src(0)),
            Place::Addr => nth_src(0),
            Place::Data0 => nth_src(1),
            Place::Data1 => nth_src(2),
            _ => None,
        },
        Format::Flat | Format::Global | Format::Scratch => match place {
            Place::Dst => dst(0),
            Place::Addr => first_addr(0),
            Place::Saddr => first_addr(1),
            Place::Data0 => first_addr(2),
            _ => None,
        },
        Format::Mubuf | Format::Mtbuf => match place {
            Place::Addr => first_addr(0),
            Place::Saddr => first_addr(1),
            Place::Src2 => first_addr(2),
            Place::Data0 => first_addr(3).or_else(|| dst(0)),
            _ => None,
        },
        Format::Vopc => match place {
            Place::Dst => dst(0),
            Place::Mask => Some(Slot::Dst(0)),
            Place::Src0 => nth_src(0),
            Place::Src1 => nth_src(1),
            _ => None,
        },
        _ => match place {
            Place::Dst => dst(0),
            Place::Mask => dst(1),
            Place::Src0 => nth_src(0),
            Place::Src1 => nth_src(1),
            Place::Src2 => nth_src(2),
            _ => None,
        },
    }
}

/// Whether a layout is this row's in this form.
pub(crate) fn serves(layout: &Layout, row: &Row, form: Form) -> bool {
    layout.format == row.format
        && layout.form == form
        && match row.format {
            Format::Vop2 | Format::Vop3 if layout.dwords == 2 && matches!(form, Form::E64 | Form::Base) => {
                let has_mask = layout.fields.iter().any(|(_, f)| matches!(f, Field::At(Place::Mask, _)));
                has_mask == slot(row, form, Place::Mask).is_some()
            }
            _ => true,
        }
}

impl Code {
    /// Bits of an operand, if this code can name it.
    pub fn bits(self, src: Src) -> Option<u32> {
        let n = u32::from(src.0);
        match self {
            Code::Sgpr => (n < 128).then_some(n),
            Code::SgprOrOff if src == Src::NONE => Some(u32::from(Src::NULL.0)),
            Code::SgprOrOff => (n < 128 && src != Src::NULL).then_some(n),
            Code::Scalar => (n < 256 && readable(n)).then_some(n),
            Code::Any => (n < 512 && readable(n)).then_some(n),
            Code::Vgpr => src.is_vgpr().then(|| src.vgpr()),
            Code::VgprOrSgpr => {
                if src.is_vgpr() {
                    Some(src.vgpr())
                } else {
                    (n < 128).then_some(n)
                }
            }
            Code::Aligned(by) => (n < 128 && n % u32::from(by) == 0).then_some(n / u32::from(by)),
            Code::Sdwa => {
                if src.is_vgpr() {
                    Some(src.vgpr())
                } else {
                    (n < 255 && readable(n)).then_some(n)
                }
            }
        }
    }
}

/// Source numbers that name something.
pub(crate) fn readable(n: u32) -> bool {
    matches!(n, 0..=208 | 235..=248 | 251..=255 | 256..=511)
}
