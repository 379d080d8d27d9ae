//! Types of operands.

/// Type of an operand: how many registers it takes, and how its bits are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Ty {
    B32,
    U32,
    I32,
    F32,
    B64,
    U64,
    I64,
    F64,
    B96,
    B128,
    B256,
    B512,
    B1024,
    B16,
    U16,
    I16,
    F16,
    /// 2 × f16 or 2 × 16-bit integer.
    PkF16,
    PkU16,
    /// Two f32 in two registers.
    PkF32,
    /// A lane mask: one SGPR in wave32, two in wave64.
    Mask,
    /// 32-bit address or offset in a VGPR.
    Addr32,
    /// 64-bit address.
    Addr64,
    /// V# in four SGPRs.
    Rsrc,
    /// T# in eight SGPRs, or four with R128.
    Image,
    /// S# in four SGPRs.
    Sampler,
    /// Image addresses: the registers that [`crate::instr::Image::vaddr`] lists; the slot repeats the first.
    ImageAddr,
    /// Image data: as many registers as DMASK, D16 and TFE make (a gather always has four components).
    ImageData,
    /// SGPR, inline constant or M0 added to the address; `NONE` = none (SMEM only).
    SOffset,
    /// SGPR pair with the base address; `NONE` = off, and then the vector address has 64 bits, else 32.
    SAddr64,
    /// SGPR with the offset; `NONE` = off. Before RDNA 3, scratch takes it or the vector offset, not both.
    SAddr32,
    /// P10, P20 or P0 of an attribute: inline 0, 1 or 2.
    Param,
    /// The 7-bit field of S_ATC_PROBE, in [`crate::instr::Extra::Probe`].
    Probe,
    /// The 5-bit field of S_PREFETCH_*, in [`crate::instr::Extra::Probe`]; in its row's text the constant offset is an operand.
    Length,
    /// A named barrier: an inline constant, or M0.
    Barrier,
    /// A slot of the family that this row leaves at `NONE`.
    Unused,
    /// f32, or the half of an f16 pair that op_sel names if op_sel_hi is set (v_fma_mix).
    Mix,
    /// f16 in the upper half of a destination.
    F16Hi,
    /// The literal that the row always has; its slot holds [`crate::Src::LITERAL`].
    Lit32,
    /// A half of one of v0 … v127, named in the text, or 16 bits of a scalar. Which half, op_sel says.
    Half,
    /// A byte of a register, which op_sel names.
    Byte,
    /// bf16, or 16 bits of which a sign may be changed; a literal has no float's spelling.
    Bf16,
    PkBf16,
    /// A result in an SGPR.
    SF32,
    SF16,
    /// A matrix that the lanes of a wave hold together, in so many registers of each in wave32, and half as many in wave64.
    Matrix1,
    Matrix2,
    Matrix4,
    Matrix8,
    /// As Matrix8, with 1/(2π) in the spelling of 64 bits.
    Matrix8Wide,
    /// Which half of a sparse matrix there is: so many bits of a register, which the index key names; in wave32 there are
    /// twice as many for Sparse8 and Sparse32 than in wave64.
    Sparse8,
    Sparse16,
    Sparse32,
    /// The destination's value before: not encoded, its slot repeats `dst[0]`.
    Old,
    /// 16-bit immediate, branch target, or other field in [`crate::Instr::imm`].
    Imm16,
    /// Implicit registers.
    Scc,
    Vcc,
    Exec,
    M0,
}

impl Ty {
    /// Dwords of registers, by wave size where that matters (`lanes` 32 or 64). Of image operands the least; what the
    /// instruction's own fields make of them, [`crate::legal`] tells.
    pub const fn dwords(self, lanes: u32) -> u32 {
        match self {
            Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 | Ty::PkF32 | Ty::Addr64 | Ty::SAddr64 => 2,
            Ty::B96 => 3,
            Ty::B128 | Ty::Rsrc | Ty::Sampler => 4,
            Ty::B256 | Ty::Image => 8,
            Ty::B512 => 16,
            Ty::B1024 => 32,
            Ty::Mask | Ty::Vcc | Ty::Exec => lanes / 32,
            Ty::Matrix2 => 64 / lanes,
            Ty::Matrix4 => 128 / lanes,
            Ty::Matrix8 | Ty::Matrix8Wide => 256 / lanes,
            Ty::Imm16 | Ty::Probe | Ty::Length | Ty::Scc | Ty::Lit32 | Ty::Unused => 0,
            _ => 1,
        }
    }

    /// Not encoded in the instruction word. `Vcc` is, in the VOP3 form of VOP2 and VOPC rows.
    pub const fn implicit(self) -> bool {
        matches!(self, Ty::Scc | Ty::Vcc | Ty::Exec | Ty::M0 | Ty::Old)
    }
}
