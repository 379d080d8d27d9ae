//! Kinds of image instructions.

use super::AtomicOp;

/// What an image instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ImageOp {
    /// `mip`: the last address is the level. `packed`: raw texel dwords, no conversion; `signed`: sign-extended (SGN).
    Load {
        mip: bool,
        packed: bool,
        signed: bool,
    },
    Store {
        mip: bool,
        packed: bool,
    },
    Atomic(AtomicOp),
    /// Width, height, depth or layers, levels.
    Resinfo,
    /// Clamped and raw level of detail.
    GetLod,
    Sample(Sampling),
    Gather4(Sampling),
    /// One component of a texel's samples.
    MsaaLoad {
        /// As a gather, four registers whatever DMASK names.
        quad: bool,
    },
    /// A ray against a node of a bounding volume hierarchy, whose pointer has 32 bits or 64.
    IntersectRay {
        wide: bool,
    },
    /// One component of a 4×1 group of texels.
    Gather4h,
}

/// Modifiers of a sample, in the order of the mnemonic; each adds addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Sampling {
    /// _C: a reference value.
    pub compare: bool,
    pub lod: Lod,
    /// _CL: a least level.
    pub clamp: bool,
    /// _O: texel offsets, 6 bits each in one register.
    pub offset: bool,
    /// _G16: derivatives are f16, two to a register.
    pub g16: bool,
}

impl Sampling {
    pub const fn new(lod: Lod) -> Sampling {
        Sampling { compare: false, lod, clamp: false, offset: false, g16: false }
    }
    pub const fn compare(self) -> Sampling {
        Sampling { compare: true, ..self }
    }
    pub const fn clamp(self) -> Sampling {
        Sampling { clamp: true, ..self }
    }
    pub const fn offset(self) -> Sampling {
        Sampling { offset: true, ..self }
    }
    pub const fn g16(self) -> Sampling {
        Sampling { g16: true, ..self }
    }
}

/// Where the level of detail comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Lod {
    /// Differences between the lanes of a quad.
    Implicit,
    /// _B: that, and a bias.
    Bias,
    /// _L: an address.
    Explicit,
    /// _LZ: zero.
    Zero,
    /// _D: derivatives in addresses.
    Derivative,
    /// _CD: coarse derivatives in addresses.
    CoarseDerivative,
}
