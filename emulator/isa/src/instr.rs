//! One decoded instruction: a row, a form, operands and modifiers.

use crate::cache::Cache;
use crate::insts::Op;
use crate::reg::Src;
use crate::row::{Format, Row, Ty};

/// Which encoding of its row an instruction uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default, PartialOrd, Ord)]
pub enum Form {
    /// The family's own encoding (32-bit VOP1/VOP2/VOPC, and every family that has only one).
    #[default]
    Base,
    /// VOP3 encoding of a VOP1, VOP2 or VOPC row.
    E64,
    Sdwa,
    Dpp16,
    Dpp8,
    /// The VOP3 encoding with lane permutation; of VOP3 and VOP3P rows too.
    E64Dpp16,
    E64Dpp8,
}

bitflags::bitflags! {
    /// Bits of memory and other encodings that are on or off.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    pub struct Flags: u32 {
        const OFFEN = 1 << 0;
        const IDXEN = 1 << 1;
        const LDS = 1 << 2;
        const TFE = 1 << 3;
        const GDS = 1 << 4;
        const LWE = 1 << 5;
        const UNORM = 1 << 6;
        const R128 = 1 << 7;
        /// 16-bit image addresses.
        const A16 = 1 << 8;
        /// 16-bit image data.
        const D16 = 1 << 9;
        /// Of an image: an array (GCN, which has no DIM).
        const DA = 1 << 10;
        /// Of a buffer: a 64-bit address in VGPRs (GCN 1 and 2).
        const ADDR64 = 1 << 11;
        /// Of GCN 5's SMEM: a constant beside the scalar offset, be it zero.
        const IMM = 1 << 12;
    }
}

impl Flags {
    /// A buffer access with any of them has a vector address.
    pub const ADDRESSED: Flags = Flags::OFFEN.union(Flags::IDXEN).union(Flags::ADDR64);
}

/// Source and result modifiers of VOP3 (bit i of a mask = source i) and VOP3P.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct Mods {
    pub neg: u8,
    pub abs: u8,
    /// 0, ×2, ×4, ÷2
    pub omod: u8,
    pub clamp: bool,
    pub op_sel: u8,
    pub op_sel_hi: u8,
    pub neg_hi: u8,
}

/// DPP16 control.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Dpp16 {
    /// 9 bits: quad_perm, row_shl …, row_share, row_xmask.
    pub ctrl: u16,
    pub row_mask: u8,
    pub bank_mask: u8,
    pub bound_ctrl: bool,
    pub fetch_inactive: bool,
}

/// SDWA selects; each 0..=6: byte0..3, word0, word1, dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Sdwa {
    pub dst_sel: u8,
    /// 0 pad, 1 sign-extend, 2 preserve
    pub dst_unused: u8,
    pub src0_sel: u8,
    pub src1_sel: u8,
    pub sext: u8,
}

/// What the MIMG encoding holds besides operands and flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Image {
    pub dmask: u8,
    /// DIM: 0 1D, 1 2D, 2 3D, 3 cube, 4 1D array, 5 2D array, 6 2D MSAA, 7 2D MSAA array.
    pub dim: u8,
    /// Dwords of non-sequential addresses, 0..=3; where addresses have fields of the instruction, whether there are several.
    pub nsa: u8,
    /// Address registers v`n`, the first [`Image::addresses`] of them; without NSA they follow each other.
    pub vaddr: [u8; Image::MAX_ADDRESSES],
    /// How many of `vaddr` count.
    pub addresses: u8,
}

impl Image {
    /// One in the second dword, four in each dword of non-sequential addresses.
    pub const MAX_ADDRESSES: usize = 13;
}

/// EXP's fields, of all generations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Export {
    /// 0..7 colour, 8 depth, 9 null, 12..16 position, 20 primitive, 21..22 a colour's second source, 32..63 parameter.
    pub target: u8,
    pub enable: u8,
    pub done: bool,
    pub compressed: bool,
    pub valid_mask: bool,
    /// ROW_EN: M0 has the row of a mesh.
    pub row: bool,
}

/// The second operation of a VOPD pair; its literal is the first one's. Slots follow its row as [`Instr`]'s do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Dual {
    pub op: Op,
    pub dst: Src,
    pub src: [Src; 3],
}

impl Export {
    /// Whether source `n` is exported: compressed, each of the first two is two components.
    pub(crate) fn takes(&self, n: usize) -> bool {
        match self.compressed {
            true => n < 2 && self.enable >> (2 * n) & 3 != 0,
            false => self.enable >> n & 1 != 0,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Extra {
    #[default]
    None,
    Dpp16(Dpp16),
    /// 8 × 3-bit selects, lane 0 in the low bits, and fetch-inactive.
    Dpp8 {
        selects: u32,
        fetch_inactive: bool,
    },
    Sdwa(Sdwa),
    Image(Image),
    /// MTBUF's 7-bit unified format, as the generation numbers it ([`crate::format`]).
    Format(u8),
    Export(Export),
    /// The bits of S_ATC_PROBE or S_PREFETCH_* where others name their data.
    Probe(u8),
    /// VINTRP's attribute 0..=63 and channel 0..=3; `high`: V_INTERP's op_sel-like HIGH bit of the 16-bit forms.
    Interp {
        attribute: u8,
        channel: u8,
        high: bool,
    },
    /// VINTERP's wait_exp, 0..=7: the export counter to wait for.
    WaitExp(u8),
    Dual(Dual),
    /// LDSDIR's attribute and channel, and which results and reads of vector registers it waits for.
    LdsDir {
        attribute: u8,
        channel: u8,
        wait_vdst: u8,
        wait_vsrc: bool,
    },
}

/// Operand slots follow the row's explicit operands in the row's order: `dst[i]` is row destination i, `src[i]` row source
/// i. Slots of a register tuple hold its first register. Conventions of the memory families:
///
/// | family | dst | src |
/// |---|---|---|
/// | SMEM | sdata (loads, returning atomics) | sbase, soffset (NONE if only the immediate), sdata (stores, atomics) |
/// | MUBUF, MTBUF | vdata (loads, returning atomics) | vaddr (NONE without OFFEN, IDXEN and ADDR64), srsrc, soffset, vdata (stores, atomics) |
/// | MIMG | vdata (loads, samples, returning atomics) | vaddr, T#, S# (NONE if none), vdata (stores, atomics) |
/// | DS | vdst | addr, data0, data1 |
/// | FLAT, GLOBAL, SCRATCH | vdst | vaddr, saddr (NONE = off), vdata |
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Instr {
    pub op: Op,
    pub form: Form,
    pub dst: [Src; 2],
    pub src: [Src; 4],
    /// Value of the literal, if a source is [`Src::LITERAL`] (or the row has a mandatory one, as v_madmk).
    pub literal: u32,
    /// SIMM16 (sign-extended), the offset of a memory access (of scalar memory on GCN 1 and 2 in dwords, else in bytes), or DS offset0 | offset1 << 8.
    pub imm: i32,
    pub mods: Mods,
    pub flags: Flags,
    pub cache: Cache,
    pub extra: Extra,
}

impl Instr {
    /// An instruction with no operands and no modifiers set.
    pub const fn new(op: Op) -> Instr {
        Instr {
            op,
            form: Form::Base,
            dst: [Src::NONE; 2],
            src: [Src::NONE; 4],
            literal: 0,
            imm: 0,
            mods: Mods { neg: 0, abs: 0, omod: 0, clamp: false, op_sel: 0, op_sel_hi: 0, neg_hi: 0 },
            flags: Flags::empty(),
            cache: Cache::DEFAULT,
            extra: Extra::None,
        }
    }
}

impl Instr {
    /// The second half of a VOPD pair, as an instruction by itself.
    pub fn second(&self) -> Option<Instr> {
        let Extra::Dual(d) = self.extra else { return None };
        let [a, b, c] = d.src;
        Some(Instr { dst: [d.dst, Src::NONE], src: [a, b, c, Src::NONE], literal: self.literal, ..Instr::new(d.op) })
    }

    pub(crate) fn set_second(&mut self, second: &Instr) {
        let [a, b, c, _] = second.src;
        self.extra = Extra::Dual(Dual { op: second.op, dst: second.dst[0], src: [a, b, c] });
    }

    /// Fills the slots that the encoding implies: VCC, SCC, EXEC, M0, the old destination, the row's literal.
    /// Builders that leave them at `NONE` may call it; the decoder always does.
    pub fn imply(&mut self) {
        let row = self.op.row();
        let vcc_free = self.form.encodes(row, Ty::Vcc);
        let old = self.dst[0];
        let fixed = |ty: Ty| match ty {
            Ty::Scc => Some(Src::SCC),
            Ty::Vcc if !vcc_free => Some(Src::VCC_LO),
            Ty::Exec => Some(Src::EXEC_LO),
            Ty::M0 => Some(Src::M0),
            Ty::Lit32 => Some(Src::LITERAL),
            Ty::Old => Some(old),
            _ => None,
        };
        if let Some(mut second) = self.second() {
            second.imply();
            self.set_second(&second);
        }
        let sdwa_mask = self.form == Form::Sdwa && row.format == Format::Vopc && self.dst[0] != Src::NONE;
        for (i, &ty) in row.src.iter().enumerate().take(4) {
            if let Some(src) = fixed(ty) {
                self.src[i] = src;
            }
        }
        for (i, &ty) in row.dst.iter().enumerate().take(2) {
            if let (Some(src), false) = (fixed(ty), sdwa_mask && ty == Ty::Vcc) {
                self.dst[i] = src;
            }
        }
    }
}

impl Form {
    /// Whether a VOP1, VOP2 or VOPC row stands in VOP3's encoding.
    pub const fn is_wide(self) -> bool {
        matches!(self, Form::E64 | Form::E64Dpp16 | Form::E64Dpp8)
    }

    /// Whether lanes are permuted.
    pub const fn permutes(self) -> bool {
        matches!(self, Form::Dpp16 | Form::Dpp8 | Form::E64Dpp16 | Form::E64Dpp8)
    }

    /// A bit for each source in the instruction word.
    pub(crate) fn sources(self, row: &Row) -> u8 {
        (1 << row.src.iter().filter(|ty| self.encodes(row, **ty)).count()) - 1
    }

    /// Whether an operand is in the instruction word of this form: VCC is, in VOP3.
    pub(crate) fn encodes(self, row: &Row, ty: Ty) -> bool {
        match ty {
            Ty::Vcc => self.is_wide() && matches!(row.format, Format::Vop2 | Format::Vopc),
            Ty::Imm16 | Ty::Lit32 | Ty::Probe | Ty::Length | Ty::Unused => false,
            _ => !ty.implicit(),
        }
    }
}
