//! Where an operation finds its sources and its result.

use crate::registers::{LaneRow, Loc, Registers, Rows, source};

/// Executes a body on a wave's registers. It never ends a block, so it returns `false`.
///
/// The last argument is not used: with it a wave's operation (registers first, operands first, surroundings) has the same signature.
///
/// Unsafe to call because it may use host instructions beyond the baseline (the [`Level`](crate::Level) it was found for must be
/// this host's), and because it trusts the rows and scalars that its operands name.
pub type BodyFn = unsafe fn(&mut Registers, &Operands, *mut ()) -> bool;

/// Operands of an operation. Field use by kind:
///
/// | kind | src | s | dst | dst2 |
/// |---|---|---|---|---|
/// | vector | rows or constants | SGPR pair of source i at 2i (broadcast if bit i of `splat`), carry-in at 6 | row, or SGPR of a compare | SGPR of the carry-out |
/// | scalar | – | pair of source i at 2i | SGPR | second SGPR |
/// | memory | address, data, data2 rows | 0: descriptor or base, 2: offset | first data row or SGPR | – |
#[derive(Clone, Copy)]
pub struct Operands {
    pub src: [Loc; 3],
    pub dst: u32,
    pub dst2: u32,
    pub s: [u8; 8],
    /// Bit i: source i is a constant of the block.
    pub constant: u8,
    /// Bit i: source i is an SGPR (pair) to broadcast.
    pub splat: u8,
    /// Bit i: source i is 64 bits wide; bit 3: so is the destination.
    pub wide: u8,
}

impl Operands {
    /// Returns word `word` of source `k` in half `half`; rows of a pair are `halves` apart.
    #[inline(always)]
    pub fn source<'a>(&self, v: &'a Rows, k: usize, word: usize, half: usize, halves: usize) -> &'a LaneRow {
        source(v, self.src[k], self.constant >> k & 1 != 0, word * halves + half)
    }

    /// Broadcasts the SGPR sources into their temporary rows. Part of the caller's code, so that a row is written as
    /// wide as it is read back at once.
    #[inline(always)]
    pub fn broadcast(&self, w: &mut Registers) {
        if self.splat == 0 {
            return;
        }
        for k in 0..3 {
            if self.splat >> k & 1 == 0 {
                continue;
            }
            let first = self.src[k].index();
            for word in 0..1 + usize::from(self.wide >> k & 1) {
                let row = LaneRow::splat(w.scalar(self.s[2 * k + word]));
                for half in 0..w.halves {
                    *w.v.get_mut(first + word * w.halves + half) = row;
                }
            }
        }
    }
}
