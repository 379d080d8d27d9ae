//! Generations of the instruction set: the columns of the table, and what each can do, by name.
//!
//! Rows ask for numbers by [`Gen`]; everything else asks for a capability ([`Caps`]), so that a new generation is a column and a
//! line of capabilities, and no comparison of generations anywhere else.

use std::ops::RangeInclusive;

use crate::reg::Src;

/// A generation, oldest first: rows inherit their numbers forward.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Default)]
pub enum Gen {
    /// GCN 1: Southern Islands.
    Gfx600,
    /// GCN 2: Sea Islands, the variant with fast FP64 and FMA.
    Gfx701,
    /// GCN 5: Vega.
    Gfx900,
    /// RDNA 1.
    #[default]
    Gfx1010,
    /// RDNA 2.
    Gfx1030,
    /// RDNA 3.
    Gfx1100,
    /// RDNA 3.5.
    Gfx1150,
    /// RDNA 4.
    Gfx1201,
}

/// Lane permutation in the encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Dpp {
    None,
    /// Rows, and shifts and broadcasts across the wave; a lane without a source that is not enabled reads as disabled.
    Gfx8,
    /// Rows, with row_share, row_xmask and fetch-inactive; DPP8.
    Gfx10,
    /// As Gfx10, of VOPC and VOP3 too.
    Gfx11,
}

/// How an image instruction names the registers of its addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageAddresses {
    /// Registers in a row.
    Tuple,
    /// In a row, or each by itself in up to three dwords behind the instruction.
    Listed,
    /// In a row, or in five fields, four of them in a dword behind the instruction: the last names all that are left, those of
    /// an intersection the parts of its ray.
    Grouped,
    /// In fields of the instruction, five without a sampler and four with one, as those of `Grouped`.
    Fields,
}

/// The bits by which instructions tell caches what they mean ([`crate::cache`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheBits {
    /// GLC and SLC.
    GlcSlc,
    /// DLC too, for the L1 between a compute unit's cache and L2.
    GlcSlcDlc,
    /// The same three, of which GLC passes both and DLC is for what lies behind L2.
    NearFar,
    /// A scope and a temporal hint.
    ScopeHint,
}

impl CacheBits {
    /// The greatest word.
    pub(crate) const fn most(self) -> u8 {
        match self {
            CacheBits::GlcSlc => 3,
            CacheBits::GlcSlcDlc | CacheBits::NearFar => 7,
            CacheBits::ScopeHint => 31,
        }
    }
}

/// Enumerations of buffer formats that are one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unified {
    Gfx10,
    /// Without scaled and normalized ones that nobody used.
    Gfx11,
}

/// What a generation can do.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// LLVM's name of the generation, "gfx1010".
    pub target: &'static str,
    pub wave32: bool,
    /// SGPRs that programs allocate: s0 up to one below this.
    pub sgprs: u16,
    /// Scalar operand number of ttmp0, and how many trap temporaries there are.
    pub ttmp: (u16, u16),
    /// Literals and scalar registers that a VALU instruction may read.
    pub constant_bus: usize,
    /// 64-bit shifts have one port to the constant bus, whatever others have.
    pub narrow_wide_shifts: bool,
    /// VOP3 and VOP3P take a literal.
    pub vop3_literal: bool,
    /// Scalar operand number of M0; NULL, where there is one, has the other of 124 and 125.
    pub m0: u16,
    pub null: bool,
    /// Scalar operand numbers of FLAT_SCRATCH, XNACK_MASK, and of TBA with TMA behind it, while they have some.
    pub flat_scratch: Option<u16>,
    pub xnack_mask: Option<u16>,
    pub tba: Option<u16>,
    /// 1/(2π) as an inline constant.
    pub inv_2pi: bool,
    /// Apertures of shared and private memory as scalar sources.
    pub apertures: bool,
    /// VCCZ and EXECZ as sources.
    pub zero_flags: bool,
    /// A VALU source that reads LDS at M0.
    pub lds_direct: bool,
    /// Sub-dword addressing, with scalar operands; no row that accumulates has it.
    pub sdwa: bool,
    pub dpp: Dpp,
    /// DS_BPERMUTE_B32 reaches all lanes of a wave64, not the 32 of its half alone.
    pub bpermute64: bool,
    /// Lane permutation in VOP3 takes a scalar as second source.
    pub dpp_scalar: bool,
    /// Two moves of a VOPD pair may read one VGPR bank.
    pub dual_moves_share_banks: bool,
    /// 16-bit operations at home in VOP1 and VOP2 name halves of registers.
    pub true16: bool,
    /// DIM in image instructions; without it the address's size follows from DA and the opcode.
    pub image_dim: bool,
    /// A hardware register that counts cycles.
    pub shader_cycles: bool,
    /// FRACT may give one, and FREXP anything for infinities and NaNs (LLVM's hasFractBug).
    pub fract_bug: bool,
    /// A store of less than a dword through L1 may damage what lies beside it (Mesa's ac_get_hw_cache_flags).
    pub narrow_store_bug: bool,
    /// IMAGE_GATHER4 takes integers as if the nearest was asked for: its texels lie half a texel further (Mesa's lower_gather4_integer).
    pub integer_gather_bug: bool,
    /// DIV_SCALE's mask is right (LLVM's hasUsableDivScaleConditionOutput).
    pub div_scale_mask: bool,
    /// Sine and cosine take any number of revolutions; without it 256 each way (LLVM's hasTrigReducedRange).
    pub any_revolutions: bool,
    /// Clamp holds integer results too.
    pub integer_clamp: bool,
    /// Results of 16 bits clear the other half of their register, in VOP1 and VOP2; else they keep it.
    pub clears_high16: bool,
    /// Lanes permuted by DS_PERMUTE and DS_BPERMUTE are those of the wave; else those of its 32 lanes.
    pub wave_permute: bool,
    /// Scalar memory takes a literal offset, of dwords.
    pub smem_literal: bool,
    /// Scalar memory's constant and literal offsets count dwords, and no bytes.
    pub smem_dwords: bool,
    /// Buffers are read and written three dwords at a time; LLVM assembles that for all (hasDwordx3LoadStores).
    pub buffer_triples: bool,
    /// DS instructions end at M0: what lies there or behind it reads zero and is not written.
    pub lds_needs_m0: bool,
    /// Names of the number formats that MTBUF names beside a data format; none where one number stands for both.
    pub number_formats: Option<&'static [&'static str; 8]>,
    pub image_addresses: ImageAddresses,
    /// A scratch access may have a scalar and a vector address together.
    pub scratch_sum: bool,
    pub cache_bits: CacheBits,
    /// Scalar memory adds a signed constant of 24 bits, to a buffer's address too, and its text has the constant always.
    pub smem_offset24: bool,
    /// Messages have eight bits, and no operations.
    pub wide_messages: bool,
    /// LDS-direct loads name reads of vector registers to wait for.
    pub wait_vsrc: bool,
    pub unified_formats: Unified,
}

/// Number formats by number, of GCN 1 and 2, and of GCN 5.
const NUMBERS_GFX6: &[&str; 8] = &["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SNORM_OGL", "FLOAT"];
const NUMBERS_GFX9: &[&str; 8] = &["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"];

const GFX6: Caps = Caps {
    target: "gfx600",
    wave32: false,
    sgprs: 104,
    ttmp: (112, 12),
    constant_bus: 1,
    narrow_wide_shifts: false,
    vop3_literal: false,
    m0: 124,
    null: false,
    flat_scratch: None,
    xnack_mask: None,
    tba: Some(108),
    inv_2pi: false,
    apertures: false,
    zero_flags: true,
    lds_direct: true,
    sdwa: false,
    dpp: Dpp::None,
    bpermute64: false,
    dpp_scalar: false,
    dual_moves_share_banks: false,
    true16: false,
    image_dim: false,
    shader_cycles: false,
    fract_bug: true,
    narrow_store_bug: true,
    integer_gather_bug: true,
    div_scale_mask: false,
    any_revolutions: false,
    integer_clamp: false,
    clears_high16: true,
    wave_permute: false,
    smem_literal: false,
    smem_dwords: true,
    buffer_triples: false,
    lds_needs_m0: true,
    number_formats: Some(NUMBERS_GFX6),
    image_addresses: ImageAddresses::Tuple,
    scratch_sum: false,
    cache_bits: CacheBits::GlcSlc,
    smem_offset24: false,
    wide_messages: false,
    wait_vsrc: false,
    unified_formats: Unified::Gfx10,
};
const GFX7: Caps = Caps {
    target: "gfx701",
    flat_scratch: Some(104),
    smem_literal: true,
    buffer_triples: true,
    fract_bug: false,
    narrow_store_bug: false,
    div_scale_mask: true,
    ..GFX6
};
const GFX9: Caps = Caps {
    target: "gfx900",
    sgprs: 102,
    ttmp: (108, 16),
    flat_scratch: Some(102),
    xnack_mask: Some(104),
    tba: None,
    integer_gather_bug: false,
    inv_2pi: true,
    apertures: true,
    sdwa: true,
    dpp: Dpp::Gfx8,
    any_revolutions: true,
    bpermute64: true,
    integer_clamp: true,
    wave_permute: true,
    smem_literal: false,
    smem_dwords: false,
    lds_needs_m0: false,
    number_formats: Some(NUMBERS_GFX9),
    ..GFX7
};
const GFX10: Caps = Caps {
    target: "gfx1010",
    wave32: true,
    sgprs: 106,
    constant_bus: 2,
    narrow_wide_shifts: true,
    vop3_literal: true,
    null: true,
    flat_scratch: None,
    xnack_mask: None,
    dpp: Dpp::Gfx10,
    bpermute64: false,
    image_dim: true,
    number_formats: None,
    cache_bits: CacheBits::GlcSlcDlc,
    image_addresses: ImageAddresses::Listed,
    clears_high16: false,
    wave_permute: false,
    ..GFX9
};
const GFX10_3: Caps = Caps { target: "gfx1030", shader_cycles: true, ..GFX10 };
const GFX11: Caps = Caps {
    target: "gfx1100",
    m0: 125,
    zero_flags: false,
    lds_direct: false,
    sdwa: false,
    dpp: Dpp::Gfx11,
    true16: true,
    image_addresses: ImageAddresses::Grouped,
    scratch_sum: true,
    cache_bits: CacheBits::NearFar,
    wide_messages: true,
    unified_formats: Unified::Gfx11,
    ..GFX10_3
};
const GFX11_5: Caps = Caps { target: "gfx1150", dpp_scalar: true, ..GFX11 };
const GFX12: Caps = Caps {
    target: "gfx1201",
    dual_moves_share_banks: true,
    cache_bits: CacheBits::ScopeHint,
    image_addresses: ImageAddresses::Fields,
    smem_offset24: true,
    wait_vsrc: true,
    ..GFX11_5
};

impl Gen {
    /// Oldest first, so that each stands at its own number.
    pub const ALL: [Gen; 8] =
        [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900, Gen::Gfx1010, Gen::Gfx1030, Gen::Gfx1100, Gen::Gfx1150, Gen::Gfx1201];
    pub const COUNT: usize = Gen::ALL.len();
    pub const FIRST: Gen = Gen::ALL[0];
    pub const LAST: Gen = Gen::ALL[Gen::COUNT - 1];

    pub const fn caps(self) -> &'static Caps {
        match self {
            Gen::Gfx600 => &GFX6,
            Gen::Gfx701 => &GFX7,
            Gen::Gfx900 => &GFX9,
            Gen::Gfx1010 => &GFX10,
            Gen::Gfx1030 => &GFX10_3,
            Gen::Gfx1100 => &GFX11,
            Gen::Gfx1150 => &GFX11_5,
            Gen::Gfx1201 => &GFX12,
        }
    }

    /// LLVM's name.
    pub const fn name(self) -> &'static str {
        self.caps().target
    }

    /// The generation with this name of LLVM's.
    pub fn named(name: &str) -> Option<Gen> {
        Gen::ALL.into_iter().find(|g| g.name() == name)
    }

    /// The generation that a row's column is headed by.
    pub(crate) const fn headed(column: &str) -> Gen {
        match column.as_bytes() {
            b"6" => Gen::Gfx600,
            b"7" => Gen::Gfx701,
            b"9" => Gen::Gfx900,
            b"10" => Gen::Gfx1010,
            b"10.3" => Gen::Gfx1030,
            b"11" => Gen::Gfx1100,
            b"11.5" => Gen::Gfx1150,
            b"12" => Gen::Gfx1201,
            _ => panic!("no column of the table"),
        }
    }

    /// The number by which the generation's encodings name an operand; of no operand that it lacks.
    pub(crate) fn number(self, src: Src) -> Option<u32> {
        let caps = self.caps();
        let n = src.0;
        let pair = |first: Option<u16>, of: Src| first.map(|first| first + (n - of.0));
        let number = match src {
            Src(0..=105) => (n < caps.sgprs).then_some(n),
            Src(108..=123) => (n - 108 < caps.ttmp.1).then_some(caps.ttmp.0 + n - 108),
            Src::M0 => Some(caps.m0),
            Src::NULL => caps.null.then_some(124 + 125 - caps.m0),
            Src::POPS_EXITING_WAVE_ID => (caps.apertures && caps.zero_flags).then_some(n),
            Src(235..=238) => caps.apertures.then_some(n),
            Src::INV_2PI => caps.inv_2pi.then_some(n),
            Src::VCCZ | Src::EXECZ => caps.zero_flags.then_some(n),
            Src::LDS_DIRECT => caps.lds_direct.then_some(n),
            Src(106..=107 | 126..=208 | 240..=247 | 253 | 255..=511) => Some(n),
            Src::FLAT_SCRATCH_LO | Src::FLAT_SCRATCH_HI => pair(caps.flat_scratch, Src::FLAT_SCRATCH_LO),
            Src::XNACK_MASK_LO | Src::XNACK_MASK_HI => pair(caps.xnack_mask, Src::XNACK_MASK_LO),
            Src::TBA_LO | Src::TBA_HI | Src::TMA_LO | Src::TMA_HI => pair(caps.tba, Src::TBA_LO),
            _ => None,
        };
        number.map(u32::from)
    }

    /// What an encoding's number names, the inverse of [`Gen::number`].
    pub(crate) fn operand(self, number: u32) -> Option<Src> {
        // Nearly every number is its own operand's; the others are few.
        let same = Src(number as u16);
        if self.number(same) == Some(number) {
            return Some(same);
        }
        (102..=125).chain(Src::FLAT_SCRATCH_LO.0..=Src::TMA_HI.0).map(Src).find(|&src| self.number(src) == Some(number))
    }
}

/// What a column says of a generation: each entry holds from its generation on, until the next.
pub const fn inherited<T: Copy>(column: &[(Gen, T)], generation: Gen) -> Option<T> {
    let mut n = column.len();
    while n > 0 {
        n -= 1;
        if column[n].0 as u8 <= generation as u8 {
            return Some(column[n].1);
        }
    }
    None
}

/// A number's name, and the generations on which it has it.
pub(crate) type Named = (u32, &'static str, RangeInclusive<Gen>);

/// The name of a number on a generation.
pub(crate) fn name_of(names: &[Named], number: u32, generation: Gen) -> Option<&'static str> {
    names.iter().find(|(n, _, on)| *n == number && on.contains(&generation)).map(|(_, name, _)| *name)
}

/// The number of a name on a generation.
pub(crate) fn number_of(names: &[Named], name: &str, generation: Gen) -> Option<u32> {
    names.iter().find(|(_, n, on)| *n == name && on.contains(&generation)).map(|(n, ..)| *n)
}
