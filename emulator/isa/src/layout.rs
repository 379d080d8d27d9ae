//! Where the bits stand: one list of bit ranges per encoding, which encoder and decoder both walk.

use crate::instr::{Dpp16, Export, Extra, Flags, Form, Image, Sdwa};
use crate::reg::Src;
use crate::row::{Control, Format, MemKind, Row, Sem, Space, Ty, WaveOp};

/// An operand's place in an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperandField {
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
pub(crate) enum OperandCode {
    /// Scalar register, 7 bits.
    Sgpr,
    /// Scalar register in 8 bits, which can also name what nothing can write.
    ScalarResult,
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
    /// 8 bits of a VGPR or of an interpolation parameter, as the row says.
    Interp,
    /// The same in the 9 bits of any source.
    InterpWide,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    Op,
    /// The opcode's bits below those of `OpHigh`, and from bit `0` up.
    OpLow,
    OpHigh(u8),
    At(OperandField, OperandCode),
    /// Set if the SDWA operand is scalar.
    ScalarBit(OperandField),
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
    /// MTBUF's format.
    Format,
    Dmask,
    Dim,
    /// Dwords of non-sequential addresses.
    Nsa,
    /// EXP's mask of enabled components.
    Enable,
    Target,
    Compressed,
    Done,
    ValidMask,
    Attribute,
    Channel,
    High,
    Probe,
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

use Field::*;
use OperandCode::*;
use OperandField::*;

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
macro_rules! interp {
    () => { fields! {
        25 16 Op; 7 0 At(Dst, Vgpr); 9 9 AbsBit(0); 10 10 AbsBit(1); 15 15 Clamp; 37 32 Attribute; 39 38 Channel; 40 40 High;
        49 41 At(Src0, InterpWide); 58 50 At(Src1, Any); 60 59 Omod; 62 62 NegBit(0); 63 63 NegBit(1);
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
        12 6 Probe; 52 32 Imm { signed: true }; 63 57 At(Saddr, SgprOrOff);
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
    layout!(Vop3 Base 2, [VOP3], interp!()),
    layout!(Vintrp E64 2, [VOP3], 0x200, interp!()),
    layout!(Vintrp Base 1, [(Bits(31, 26), 0x32)], fields! {
        17 16 Op; 25 18 At(Dst, Vgpr); 7 0 At(Src0, Interp); 9 8 Channel; 15 10 Attribute; }),
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

/// SADDR of a scratch access that has neither a scalar nor a vector address.
pub(crate) const NO_ADDRESS: u32 = 0x7f;

/// Which slot of an instruction a place holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperandSlot {
    Dst(usize),
    Src(usize),
}

/// Whether the destination in VDST is a scalar register.
pub(crate) fn scalar_dst(row: &Row) -> bool {
    matches!(row.format, Format::Vopc) || matches!(row.sem, Sem::Wave(WaveOp::ReadLane | WaveOp::ReadFirstLane))
}

/// The slot that a place of the encoding holds, if the row has it.
pub(crate) fn slot(row: &Row, form: Form, place: OperandField) -> Option<OperandSlot> {
    let nth_src = |n: usize| (0..row.src.len()).filter(|&i| form.encodes(row, row.src[i])).nth(n).map(OperandSlot::Src);
    let dst = |n: usize| row.dst.get(n).filter(|&&t| form.encodes(row, t)).map(|_| OperandSlot::Dst(n));
    let first_addr = |n: usize| (n < row.src.len() && form.encodes(row, row.src[n])).then_some(OperandSlot::Src(n));
    match row.format {
        // The destination field of S_CMPK, S_SETREG and S_WAITCNT_* is a source.
        Format::Sopk => match place {
            OperandField::Dst => dst(0).or_else(|| nth_src(0)),
            _ => None,
        },
        Format::Smem => match place {
            OperandField::Dst => first_addr(2).or_else(|| dst(0)),
            OperandField::Addr => first_addr(0),
            OperandField::Saddr => first_addr(1),
            _ => None,
        },
        Format::Ds => match place {
            OperandField::Dst => dst(0),
            // DS_WRITE_ADDTID has data and no address.
            OperandField::Addr if row.sem == Sem::Mem(Space::Lds, MemKind::StoreLane) => None,
            OperandField::Data0 if row.sem == Sem::Mem(Space::Lds, MemKind::StoreLane) => Some(OperandSlot::Src(0)),
            OperandField::Addr => nth_src(0),
            OperandField::Data0 => nth_src(1),
            OperandField::Data1 => nth_src(2),
            _ => None,
        },
        Format::Flat | Format::Global | Format::Scratch => match place {
            OperandField::Dst => dst(0),
            OperandField::Addr => first_addr(0),
            OperandField::Saddr => first_addr(1),
            OperandField::Data0 => first_addr(2),
            _ => None,
        },
        Format::Exp => match place {
            OperandField::Src0 => nth_src(0),
            OperandField::Src1 => nth_src(1),
            OperandField::Src2 => nth_src(2),
            OperandField::Data0 => nth_src(3),
            _ => None,
        },
        Format::Mubuf | Format::Mtbuf | Format::Mimg => match place {
            OperandField::Addr => first_addr(0),
            OperandField::Saddr => first_addr(1),
            OperandField::Src2 => first_addr(2),
            OperandField::Data0 => first_addr(3).or_else(|| dst(0)),
            _ => None,
        },
        Format::Vopc => match place {
            OperandField::Dst => dst(0),
            OperandField::Mask => Some(OperandSlot::Dst(0)),
            OperandField::Src0 => nth_src(0),
            OperandField::Src1 => nth_src(1),
            _ => None,
        },
        _ => match place {
            OperandField::Dst => dst(0),
            OperandField::Mask => dst(1),
            OperandField::Src0 => nth_src(0),
            OperandField::Src1 => nth_src(1),
            OperandField::Src2 => nth_src(2),
            _ => None,
        },
    }
}

/// Flags that the family's encoding has a bit for.
pub(crate) fn flags(format: Format) -> Flags {
    GFX10.iter().filter(|l| l.format == format).flat_map(|l| l.fields).fold(Flags::empty(), |flags, (_, f)| match f {
        Field::Flag(flag) => flags | *flag,
        _ => flags,
    })
}

/// Whether the instruction names an attribute.
pub(crate) fn interpolates(row: &Row) -> bool {
    row.sem == Sem::Control(Control::GraphicsOnly) && row.format != Format::Exp
}

/// Where the data operand stands among the sources of an atomic that gives the value before back into its registers.
pub(crate) fn atomic_data(row: &Row) -> Option<usize> {
    let atomic =
        matches!(row.sem, Sem::Mem(_, MemKind::Atomic { .. } | MemKind::Image(crate::row::ImageOp::Atomic(_))));
    match row.format {
        Format::Smem if atomic => Some(2),
        Format::Mubuf | Format::Mimg if atomic => Some(3),
        _ => None,
    }
}

/// What an instruction of the row holds beside operands when nothing is said of it.
pub(crate) fn default_extra(row: &Row, form: Form) -> Extra {
    match (form, row.format) {
        (Form::Sdwa, _) => Extra::Sdwa(Sdwa { dst_sel: 6, dst_unused: 0, src0_sel: 6, src1_sel: 6, sext: 0 }),
        (Form::Dpp16, _) => {
            Extra::Dpp16(Dpp16 { ctrl: 0xe4, row_mask: 15, bank_mask: 15, bound_ctrl: false, fetch_inactive: false })
        }
        (Form::Dpp8, _) => Extra::Dpp8 { selects: 0, fetch_inactive: false },
        (_, Format::Mtbuf) => Extra::Format(1),
        (_, Format::Mimg) => {
            Extra::Image(Image { dmask: 0, dim: 0, nsa: 0, vaddr: [0; Image::MAX_ADDRESSES], addresses: 0 })
        }
        (_, Format::Exp) => {
            Extra::Export(Export { target: 0, enable: 0, done: false, compressed: false, valid_mask: false })
        }
        _ if interpolates(row) => Extra::Interp { attribute: 0, channel: 0, high: false },
        _ if row.src.contains(&Ty::Probe) => Extra::Probe(0),
        _ => Extra::None,
    }
}

/// Whether a layout is this row's in this form.
pub(crate) fn serves(layout: &Layout, row: &Row, form: Form) -> bool {
    layout.format == row.format
        && layout.form == form
        && match row.format {
            Format::Vop3 if interpolates(row) || layout.fields.iter().any(|(_, f)| *f == Field::Attribute) => {
                interpolates(row) && layout.fields.iter().any(|(_, f)| *f == Field::Attribute)
            }
            Format::Vop2 | Format::Vop3 if layout.dwords == 2 && matches!(form, Form::E64 | Form::Base) => {
                let has_mask = layout.fields.iter().any(|(_, f)| matches!(f, Field::At(OperandField::Mask, _)));
                has_mask == slot(row, form, OperandField::Mask).is_some()
            }
            _ => true,
        }
}

impl OperandCode {
    /// Bits of an operand, if this code can name it; [`OperandCode::operand`] is the other way.
    pub fn bits(self, src: Src) -> Option<u32> {
        let n = u32::from(src.0);
        match self {
            OperandCode::Sgpr => (n < 128).then_some(n),
            OperandCode::ScalarResult => (n < 128 || read_only(n)).then_some(n),
            OperandCode::SgprOrOff if src == Src::NONE => Some(u32::from(Src::NULL.0)),
            OperandCode::SgprOrOff => (n < 128 && src != Src::NULL).then_some(n),
            OperandCode::Scalar => (n < 256 && readable(n)).then_some(n),
            OperandCode::Any => (n < 512 && readable(n)).then_some(n),
            // For a row that writes a scalar register, the encoder asks `ScalarResult`.
            OperandCode::Vgpr | OperandCode::VgprOrSgpr => src.is_vgpr().then(|| src.vgpr()),
            OperandCode::Aligned(by) => (n < 128 && n % u32::from(by) == 0).then_some(n / u32::from(by)),
            OperandCode::Sdwa => {
                if src.is_vgpr() {
                    Some(src.vgpr())
                } else {
                    (n < 255 && readable(n)).then_some(n)
                }
            }
            OperandCode::Interp | OperandCode::InterpWide => match src.0 {
                128..=130 => Some(n - 128),
                256..=511 if self == OperandCode::Interp => Some(src.vgpr()),
                256..=511 => Some(n),
                _ => None,
            },
        }
    }

    /// The operand that bits name; of a slot that may be empty, nothing.
    pub fn operand(self, bits: u32, row: &Row) -> Src {
        let n = bits as u16;
        match self {
            OperandCode::Interp | OperandCode::InterpWide if row.src[0] == Ty::Param => Src(128 + n),
            OperandCode::SgprOrOff if bits == u32::from(Src::NULL.0) => Src::NONE,
            OperandCode::Interp | OperandCode::Vgpr | OperandCode::Sdwa => Src::v(bits),
            OperandCode::VgprOrSgpr if !scalar_dst(row) => Src::v(bits),
            OperandCode::Aligned(by) => Src(n * by),
            _ => Src(n),
        }
    }
}

/// Source numbers of values that have a name and no register: apertures, VCCZ, EXECZ, SCC.
pub(crate) fn read_only(n: u32) -> bool {
    matches!(n, 235..=239 | 251..=253)
}

/// Source numbers that name something.
pub(crate) fn readable(n: u32) -> bool {
    matches!(n, 0..=208 | 235..=248 | 251..=255 | 256..=511)
}
