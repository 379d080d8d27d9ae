//! Where the bits stand: one list of bit ranges per encoding, which encoder and decoder both walk. A file for each generation
//! that has encodings of its own.

mod gcn;
mod gfx10;
mod gfx11;
mod gfx11_memory;
mod gfx12_memory;
mod memory;
mod scalar;
mod vector;

use crate::generation::Gen;
use crate::instr::{Dpp16, Dual, Export, Extra, Flags, Form, Image, Instr, Sdwa};
use crate::reg::Src;
use crate::row::{Control, Format, ImageOp, MemKind, Row, Sem, Space, Ty, WaveOp};

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
    /// Scalar register, or this number for none.
    SgprOrOff(u8),
    /// Scalar register or constant, 8 bits.
    Scalar,
    /// Any source, 9 bits.
    Any,
    Vgpr,
    /// A VGPR, or the scalar that names a lane, as the row says.
    VgprOrLane,
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
    /// VINTERP's wait for the export counter.
    WaitExp,
    /// The second half of a VOPD pair: its opcode, its destination without the lowest bit, its operands.
    DualOp,
    DualDst,
    Dual(OperandField, OperandCode),
    /// Register of the address's n-th part, after the first's.
    Address(u8),
    /// Set if a scratch access has a vector address.
    HasAddr,
    /// These bits of the cache word ([`crate::cache`]).
    Cache(u8),
    WaitVdst,
    WaitVsrc,
    Row,
}

/// Bits `hi..=lo` of the first three dwords.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits(pub u8, pub u8);

impl Bits {
    pub fn get(self, word: u128) -> u32 {
        (word >> self.1 & self.mask()) as u32
    }
    /// Whether `value` fits.
    pub fn fits(self, value: u32) -> bool {
        u128::from(value) <= self.mask()
    }
    pub fn put(self, word: &mut u128, value: u32) {
        *word |= (u128::from(value) & self.mask()) << self.1;
    }
    fn mask(self) -> u128 {
        (1u128 << (self.0 - self.1 + 1)) - 1
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

macro_rules! fields {
    ($($hi:literal $lo:literal $field:expr;)*) => { &[$(($crate::layout::Bits($hi, $lo), $field)),*] };
}
use fields;

macro_rules! layout {
    ($format:ident $form:ident $dwords:literal, [$($fixed:expr),*], $fields:expr) => { $crate::layout::layout!($format $form $dwords, [$($fixed),*], 0, $fields) };
    ($format:ident $form:ident $dwords:literal, [$($fixed:expr),*], $base:literal, $fields:expr) => {
        $crate::layout::Layout {
            format: $crate::row::Format::$format, form: $crate::instr::Form::$form, dwords: $dwords, op_base: $base,
            fixed: &[$($fixed),*], fields: $fields,
        }
    };
}
use layout;

/// Of vectors these have the same.
macro_rules! from_rdna3 {
    ($memory:expr) => {
        &[scalar::ENCODINGS, gfx11::PERMUTED, vector::PERMUTED, gfx11::VECTOR, vector::LONG, vector::SHORT, $memory]
    };
}

/// A generation's lists of encodings, in the order in which they are asked.
fn lists(generation: Gen) -> &'static [&'static [Layout]] {
    match generation {
        Gen::Gfx600 => &[scalar::ENCODINGS, gcn::GFX6_ONLY, vector::SHORT, gcn::GFX6],
        Gen::Gfx701 => &[scalar::ENCODINGS, gcn::GFX7_ONLY, vector::SHORT, gcn::GFX6],
        Gen::Gfx900 => &[gcn::GFX9_ONLY, scalar::ENCODINGS, vector::SDWA, gcn::GFX9, gcn::GFX9_LONG, vector::SHORT],
        Gen::Gfx1010 | Gen::Gfx1030 => {
            &[scalar::ENCODINGS, vector::SDWA, vector::PERMUTED, vector::SHORT, vector::LONG, gfx10::ENCODINGS]
        }
        Gen::Gfx1100 | Gen::Gfx1150 => from_rdna3!(gfx11_memory::ENCODINGS),
        Gen::Gfx1201 => from_rdna3!(gfx12_memory::ENCODINGS),
    }
}

/// A generation's encodings; the first whose fixed bits match, and that has the opcode, is the instruction's.
pub(crate) fn encodings(generation: Gen) -> impl Iterator<Item = &'static Layout> {
    lists(generation).iter().copied().flatten()
}

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
    matches!(row.format, Format::Vopc)
        || matches!(row.dst, [Ty::SF32 | Ty::SF16])
        || matches!(row.sem, Sem::Wave(WaveOp::ReadLane | WaveOp::ReadFirstLane))
}

/// Whether the second source is the number of a lane.
fn names_lane(row: &Row) -> bool {
    matches!(row.sem, Sem::Wave(WaveOp::ReadLane | WaveOp::WriteLane))
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
            OperandField::Addr => first_addr(0),
            OperandField::Data0 => first_addr(1),
            OperandField::Data1 => first_addr(2),
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

/// The operand in a slot.
pub(crate) fn operand(instr: &Instr, slot: OperandSlot) -> Src {
    match slot {
        OperandSlot::Dst(i) => instr.dst[i],
        OperandSlot::Src(i) => instr.src[i],
    }
}

/// The bit of op_sel that names the half of a register in a slot, if a half stands there.
pub(crate) fn half(row: &Row, slot: OperandSlot) -> Option<u8> {
    match slot {
        OperandSlot::Dst(n) => (row.dst.get(n) == Some(&Ty::Half)).then_some(8),
        OperandSlot::Src(n) => (row.src.get(n) == Some(&Ty::Half)).then_some(1 << n),
    }
}

/// Flags that the row's encoding has a bit for.
pub(crate) fn flags(row: &Row, generation: Gen) -> Flags {
    let serving = |l: &&Layout| l.format == row.format && serves(l, row, row.format, l.form);
    encodings(generation).filter(serving).flat_map(|l| l.fields).fold(Flags::empty(), |flags, (_, f)| match f {
        Field::Flag(flag) => flags | *flag,
        _ => flags,
    })
}

/// Bits of the cache word that a field of this width for `mask` holds.
pub(crate) fn cache_bits(bits: Bits, mask: u8) -> u8 {
    (((1u32 << bits.width()) - 1) << mask.trailing_zeros()) as u8 & mask
}

/// Bits of the cache word that the row's encoding has.
pub(crate) fn cache_word(row: &Row, generation: Gen) -> u8 {
    let serving = |l: &&Layout| l.format == row.format && serves(l, row, row.format, l.form);
    encodings(generation).filter(serving).flat_map(|l| l.fields).fold(0, |word, &(bits, field)| match field {
        Field::Cache(mask) => word | cache_bits(bits, mask),
        _ => word,
    })
}

/// Whether the instruction names an attribute.
pub(crate) fn interpolates(row: &Row) -> bool {
    let others = matches!(row.format, Format::Exp | Format::Vinterp | Format::LdsDir);
    row.sem == Sem::Control(Control::GraphicsOnly) && !others
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
        (Form::Dpp16 | Form::E64Dpp16, _) => {
            Extra::Dpp16(Dpp16 { ctrl: 0xe4, row_mask: 15, bank_mask: 15, bound_ctrl: false, fetch_inactive: false })
        }
        (Form::Dpp8 | Form::E64Dpp8, _) => Extra::Dpp8 { selects: 0, fetch_inactive: false },
        (_, Format::Mtbuf) => Extra::Format(1),
        (_, Format::Mimg) => {
            let rays = matches!(row.sem, Sem::Mem(_, MemKind::Image(ImageOp::IntersectRay { .. })));
            Extra::Image(Image {
                dmask: if rays { 0xf } else { 0 },
                dim: 0,
                nsa: 0,
                vaddr: [0; Image::MAX_ADDRESSES],
                addresses: 0,
            })
        }
        (_, Format::Exp) => Extra::Export(Export {
            target: 0,
            enable: 0,
            done: false,
            compressed: false,
            valid_mask: false,
            row: false,
        }),
        (_, Format::Vinterp) => Extra::WaitExp(0),
        (_, Format::Vopd) => {
            Extra::Dual(Dual { op: crate::insts::V_DUAL_MOV_B32, dst: Src::NONE, src: [Src::NONE; 3] })
        }
        _ if interpolates(row) => Extra::Interp { attribute: 0, channel: 0, high: false },
        (_, Format::LdsDir) => Extra::LdsDir { attribute: 0, channel: 0, wait_vdst: 0, wait_vsrc: false },
        _ if row.src.contains(&Ty::Probe) || row.src.contains(&Ty::Length) => Extra::Probe(0),
        _ => Extra::None,
    }
}

/// Whether a layout is this row's in this form, where it stands in this family.
pub(crate) fn serves(layout: &Layout, row: &Row, format: Format, form: Form) -> bool {
    layout.format == format
        && layout.form == form
        && match format {
            Format::Vop3 if interpolates(row) || layout.has(|f| *f == Field::Attribute) => {
                interpolates(row) && layout.has(|f| *f == Field::Attribute)
            }
            // A constant stands where others have a source.
            Format::Sop1 | Format::Sopc => layout.has_imm() == row.src.contains(&Ty::Imm16),
            // From gfx12 on, what goes through a sampler's pipe has an encoding of its own.
            Format::Mimg if layout.has(|f| matches!(f, Field::Address(_))) => {
                let sampled = matches!(row.sem, Sem::Mem(_, MemKind::Image(op)) if op.sampled());
                sampled == layout.has(|f| matches!(f, Field::Flag(Flags::LWE)))
            }
            Format::Vop2 | Format::Vop3 if layout.dwords >= 2 && (form.is_wide() || form == Form::Base) => {
                layout.has(|f| matches!(f, Field::At(OperandField::Mask, _)))
                    == slot(row, form, OperandField::Mask).is_some()
            }
            _ => true,
        }
}

impl Layout {
    /// The bits of the cache word that stand in an instruction's.
    pub fn cache_word(&self, word: u128) -> u8 {
        self.fields.iter().fold(0, |cache, &(bits, field)| match field {
            Field::Cache(mask) => cache | (bits.get(word) << mask.trailing_zeros()) as u8,
            _ => cache,
        })
    }
}

/// The constants that a family's encoding holds, if the generation has it.
pub(crate) fn offsets(format: Format, generation: Gen) -> Option<std::ops::RangeInclusive<i32>> {
    encodings(generation).filter(|l| l.format == format).flat_map(|l| l.fields).find_map(|(bits, field)| match field {
        Field::Imm { signed: true } => Some(-(1 << (bits.width() - 1))..=(1 << (bits.width() - 1)) - 1),
        Field::Imm { signed: false } => Some(0..=(1 << bits.width()) - 1),
        _ => None,
    })
}

/// Whether scalar memory adds a scalar and a constant offset.
pub(crate) fn adds_offsets(generation: Gen) -> bool {
    let scalar = |l: &Layout| l.has(|f| matches!(f, Field::At(OperandField::Saddr, _)));
    encodings(generation).any(|l| l.format == Format::Smem && l.has_imm() && scalar(l))
}

impl Layout {
    fn has(&self, what: impl Fn(&Field) -> bool) -> bool {
        self.fields.iter().any(|(_, f)| what(f))
    }

    /// Whether it is DPP8 that reads lanes that are not enabled: the encoding says so by its first source.
    pub fn fetches_inactive(&self) -> bool {
        self.fixed.iter().any(|&(bits, value)| bits.width() == 9 && value == 234)
    }

    /// Whether it holds a constant or an offset.
    pub fn has_imm(&self) -> bool {
        self.has(|f| matches!(f, Field::Imm { .. }))
    }

    /// Whether it has bits for a scalar offset, which then is there.
    fn needs_scalar_offset(&self) -> bool {
        self.has(|f| matches!(f, Field::At(OperandField::Saddr, OperandCode::Sgpr | OperandCode::Scalar)))
    }

    /// Whether it has room for the offsets of an SMEM instruction, where generations have an encoding for each kind.
    pub fn has_offsets_of(&self, instr: &Instr) -> bool {
        let row = instr.op.row();
        let optional = |f: &Field| matches!(f, Field::At(OperandField::Saddr, OperandCode::SgprOrOff(_)));
        if self.format != Format::Smem || self.has(optional) {
            return true;
        }
        let scalar = instr.src[1] != Src::NONE || !row.src.contains(&Ty::SOffset);
        scalar == self.needs_scalar_offset() && (!scalar || self.has_imm() == instr.flags.contains(Flags::IMM))
    }
}

impl OperandCode {
    /// Bits of an operand, if this code can name it; [`OperandCode::operand`] is the other way.
    pub fn bits(self, src: Src, generation: Gen) -> Option<u32> {
        if let (OperandCode::SgprOrOff(off), Src::NONE) = (self, src) {
            return Some(off.into());
        }
        let n = generation.number(src)?;
        match self {
            OperandCode::Sgpr => (n < 128).then_some(n),
            OperandCode::ScalarResult => (n < 128 || read_only(src)).then_some(n),
            OperandCode::SgprOrOff(off) => (n < 128 && n != u32::from(off)).then_some(n),
            OperandCode::Scalar => (n < 256).then_some(n),
            OperandCode::Any => Some(n),
            // For a row that writes a scalar register, the encoder asks `ScalarResult`.
            OperandCode::Vgpr | OperandCode::VgprOrSgpr => src.is_vgpr().then(|| src.vgpr()),
            OperandCode::VgprOrLane if !src.is_vgpr() => (n < 256).then_some(n),
            OperandCode::VgprOrLane => Some(src.vgpr()),
            OperandCode::Aligned(by) => (n < 128 && n % u32::from(by) == 0).then_some(n / u32::from(by)),
            OperandCode::Sdwa => {
                if src.is_vgpr() {
                    Some(src.vgpr())
                } else {
                    (n < 255).then_some(n)
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
    pub fn operand(self, bits: u32, row: &Row, generation: Gen) -> Src {
        let n = bits as u16;
        let named = |number: u32| generation.operand(number).unwrap_or(Src::UNNAMED);
        match self {
            OperandCode::Interp | OperandCode::InterpWide if row.src[0] == Ty::Param => Src(128 + n),
            OperandCode::SgprOrOff(off) if bits == u32::from(off) => Src::NONE,
            OperandCode::Interp | OperandCode::Vgpr | OperandCode::Sdwa => Src::v(bits),
            OperandCode::VgprOrSgpr if !scalar_dst(row) => Src::v(bits),
            OperandCode::VgprOrLane if !names_lane(row) => Src::v(bits),
            OperandCode::Aligned(by) => named(u32::from(n * by)),
            _ => named(bits),
        }
    }
}

/// Values that have a name and no register: apertures, VCCZ, EXECZ, SCC.
pub(crate) fn read_only(src: Src) -> bool {
    matches!(src.0, 235..=239 | 251..=253)
}
