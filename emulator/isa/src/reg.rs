//! Register and constant operands. An operand's number here is its name inside of wavepipe, whatever the generation: for most
//! it is also the number that encodings have for it ([`crate::Gen`] knows, and only encoder and decoder ask).

/// An operand: 0..=105 SGPRs, the special registers and inline constants below, 256..=511 VGPRs. `Src::NONE` where the
/// instruction has no such operand. A literal's value stands in [`crate::Instr::literal`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Src(pub u16);

impl Src {
    pub const VCC_LO: Src = Src(106);
    pub const VCC_HI: Src = Src(107);
    pub const TTMP0: Src = Src(108);
    pub const TTMP2: Src = Src(110);
    pub const M0: Src = Src(124);
    /// Reads as zero, writes go nowhere.
    pub const NULL: Src = Src(125);
    pub const EXEC_LO: Src = Src(126);
    pub const EXEC_HI: Src = Src(127);
    /// Inline integers: 128 = 0, 129..=192 = 1..=64, 193..=208 = −1..=−16.
    pub const ZERO: Src = Src(128);
    pub const SHARED_BASE: Src = Src(235);
    pub const SHARED_LIMIT: Src = Src(236);
    pub const PRIVATE_BASE: Src = Src(237);
    pub const PRIVATE_LIMIT: Src = Src(238);
    pub const POPS_EXITING_WAVE_ID: Src = Src(239);
    /// Inline floats: 0.5, −0.5, 1, −1, 2, −2, 4, −4, 1/(2π).
    pub const HALF: Src = Src(240);
    pub const ONE: Src = Src(242);
    pub const INV_2PI: Src = Src(248);
    pub const VCCZ: Src = Src(251);
    pub const EXECZ: Src = Src(252);
    pub const SCC: Src = Src(253);
    /// The value at M0 in LDS (first source of a VALU instruction).
    pub const LDS_DIRECT: Src = Src(254);
    pub const LITERAL: Src = Src(255);
    /// Registers that only some generations name as operands.
    pub const FLAT_SCRATCH_LO: Src = Src(512);
    pub const FLAT_SCRATCH_HI: Src = Src(513);
    pub const XNACK_MASK_LO: Src = Src(514);
    pub const XNACK_MASK_HI: Src = Src(515);
    pub const TBA_LO: Src = Src(516);
    pub const TBA_HI: Src = Src(517);
    pub const TMA_LO: Src = Src(518);
    pub const TMA_HI: Src = Src(519);
    /// What bits name that name nothing.
    pub(crate) const UNNAMED: Src = Src(0xfffe);
    pub const NONE: Src = Src(0xffff);

    /// s`n`.
    pub const fn s(n: u32) -> Src {
        Src(n as u16)
    }

    /// v`n`.
    pub const fn v(n: u32) -> Src {
        Src(256 + n as u16)
    }

    pub const fn is_vgpr(self) -> bool {
        self.0 >= 256 && self.0 < 512
    }

    /// Register number of a VGPR.
    pub const fn vgpr(self) -> u32 {
        self.0 as u32 - 256
    }

    /// A register that the scalar unit holds: SGPR, VCC, TTMP, M0, EXEC, and what some generations have besides.
    pub const fn is_sgpr(self) -> bool {
        self.0 < 128 && self.0 != 125 || self.0 >= 512 && self.0 <= 519
    }

    /// The 32-bit value of an inline constant as a 32-bit operand reads it.
    pub const fn inline_value(self) -> Option<u32> {
        Some(match self.0 {
            n @ 128..=192 => n as u32 - 128,
            n @ 193..=208 => (192i32 - n as i32) as u32,
            240 => 0x3f00_0000,
            241 => 0xbf00_0000,
            242 => 0x3f80_0000,
            243 => 0xbf80_0000,
            244 => 0x4000_0000,
            245 => 0xc000_0000,
            246 => 0x4080_0000,
            247 => 0xc080_0000,
            248 => 0x3e22_f983,
            _ => return None,
        })
    }

    /// The 16 bits that an f16 operand reads of an inline constant.
    pub const fn half_value(self) -> Option<u32> {
        const HALVES: [u32; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
        match self.0 {
            n @ 240..=248 => Some(HALVES[n as usize - 240]),
            _ => match self.inline_value() {
                Some(v) => Some(v & 0xffff),
                None => None,
            },
        }
    }

    /// The inline constant that a 32-bit operand reads as `value`, if there is one.
    pub fn inline(value: u32) -> Option<Src> {
        match value as i32 {
            n @ 0..=64 => return Some(Src(128 + n as u16)),
            n @ -16..=-1 => return Some(Src((192 - n) as u16)),
            _ => {}
        }
        (240..=248).map(Src).find(|s| s.inline_value() == Some(value))
    }
}

impl std::fmt::Debug for Src {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Src::NONE => write!(f, "-"),
            s if s.is_vgpr() => write!(f, "v{}", s.vgpr()),
            Src(n) if n < 106 => write!(f, "s{n}"),
            Src(n) => write!(f, "src{n}"),
        }
    }
}
