//! What host code changes of a wave: work-groups of a dispatch begin alike but for their ids, so of a wave that begins as the one before
//! it in its place did, only that is made anew. Launching short kernels is to a good part to make registers what they are.

use super::state::FIRST_SCALARS;
use wavepipe_isa::{Instr, Src};

/// Scalars in a block.
const BLOCK: usize = 16;
const BLOCKS: usize = FIRST_SCALARS / BLOCK;

/// Blocks of the scalars that a wave begins with, the vector registers that it is given, and what else there is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Touched(u16);

impl Touched {
    const GIVEN: u16 = 1 << BLOCKS;
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

#[cfg(test)]
mod tests {
    use super::*;
    use wavepipe_isa::{Gen, asm, decode};

    fn by(text: &str, lanes: u32) -> Touched {
        on(Gen::Gfx1010, text, lanes)
    }

    fn on(isa: Gen, text: &str, lanes: u32) -> Touched {
        let words = asm::assemble(text, isa, lanes).unwrap();
        Touched::by(&decode::decode(&words, isa).unwrap().0, lanes)
    }

    #[test]
    fn registers_are_touched_where_they_are_written() {
        assert_eq!(by("s_mov_b32 s15, s40", 32), Touched(1));
        assert_eq!(by("s_mov_b64 s[16:17], s[40:41]", 32), Touched(2));
        assert_eq!(by("s_load_dwordx8 s[12:19], s[40:41], 0", 32), Touched(3));
        assert_eq!(by("v_cmp_lt_u32 vcc, v0, v1", 64), Touched(1 << 6));
        assert_eq!(by("v_cmpx_lt_u32 v0, v1", 32), Touched(1 << 7));
        assert_eq!(by("s_and_saveexec_b64 s[30:31], vcc", 64), Touched(1 << 1 | 1 << 7));
        assert_eq!(by("s_cmp_eq_u32 s1, s2", 32), Touched(0));
        assert!(on(Gen::Gfx900, "s_mov_b32 flat_scratch_lo, s1", 64).others());
        assert_eq!(by("v_mov_b32 v2, v7", 32), Touched(Touched::GIVEN));
        assert_eq!(by("v_mov_b32 v3, v0", 32), Touched(0));
        assert_eq!(by("buffer_store_dword v0, v1, s[8:11], 0 offen", 32), Touched(0));
    }
}
