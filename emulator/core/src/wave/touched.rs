//! What host code changes of a wave: work-groups of a dispatch begin alike but for their ids, so of a wave that begins as the one before
//! it in its place did, only that is made anew. Launching short kernels is to a good part to make registers what they are.

use super::state::FIRST_SCALARS;
use wavepipe_isa::{Instr, Src};

/// Scalars in a block.
const BLOCK: usize = 16;
const BLOCKS: usize = FIRST_SCALARS / BLOCK;

/// Blocks of the scalars that a wave begins with, the vector registers that it is given, and what else there is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Touched(pub u16);

impl Touched {
    pub const GIVEN: u16 = 1 << BLOCKS;
    const OTHERS: u16 = Self::GIVEN << 1;

    /// By an instruction that is executed by its registers alone. SCC is not counted: it is made anew anyway.
    pub fn by(instr: &Instr, lanes: u32) -> Touched {
        let of = |register: Src, dwords: u32| match register {
            Src::SCC => 0,
            r if r.is_vgpr() => u16::from(r.vgpr() < 3) * Self::GIVEN,
            Src(n) if usize::from(n) < FIRST_SCALARS => {
                let last = (usize::from(n) + dwords.max(1) as usize).min(FIRST_SCALARS) - 1;
                (usize::from(n) / BLOCK..=last / BLOCK).fold(0, |all, block| all | 1 << block)
            }
            _ => Self::OTHERS,
        };
        Touched(instr.defs(lanes).fold(0, |all, a| all | of(a.reg, a.dwords)))
    }

    #[inline(always)]
    pub fn add(&mut self, other: Touched) {
        self.0 |= other.0;
    }

    /// Whether vector registers are that the wave was given.
    #[inline(always)]
    pub fn given(self) -> bool {
        self.0 & Self::GIVEN != 0
    }

    /// Whether anything is that [`Touched::put_back`] and the given registers are not.
    #[inline(always)]
    pub fn others(self) -> bool {
        self.0 & Self::OTHERS != 0
    }

    /// Scalars as they were.
    #[inline(always)]
    pub fn put_back(self, scalars: &mut [u32; 256], first: &[u32; FIRST_SCALARS]) {
        let (scalars, _) = scalars.as_chunks_mut::<BLOCK>();
        let (first, _) = first.as_chunks::<BLOCK>();
        for (n, (to, from)) in scalars.iter_mut().zip(first).enumerate() {
            if self.0 >> n & 1 != 0 {
                *to = *from;
            }
        }
    }
}
