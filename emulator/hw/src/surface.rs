//! Where the texels of a linear surface (SW_LINEAR) are: what addrlib computes for gfx10, so that a driver that lays out
//! memory and the texture unit that reads it agree.
//!
//! ```text
//! slice: the whole mip chain, smallest level first       surface: its slices, one after the other
//! row of a level: padded to 256 bytes                     level n: width and height / 2^n, rounded up, in elements
//! ```
//! Where a T# does not know the surface's levels, its levels follow each other instead, the largest first, each with all of its
//! slices; where it has a pitch, rows are whole elements long ([`Arrangement`]).
//!
//! An element is a texel or a compressed block. A slice is an array layer, a cube face, or a depth slice of a 3D image,
//! which has as many slices in each level as in level 0. Hardware has no multisampled linear surface; here each sample is
//! a slice, those of one layer next to each other.

use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// Rows start at multiples of this many bytes.
pub const ROW_ALIGN: u64 = 256;

/// How a generation's surfaces are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Arrangement {
    /// By level, each with all of its slices; else by slice, each with all of its levels.
    pub by_level: bool,
    /// Rows are a whole number of elements long.
    pub whole_rows: bool,
}

/// MAX_MIP and PITCH of T#s.
const ARRANGEMENTS: &[(Gen, Arrangement)] = &[
    (Gen::Gfx600, Arrangement { by_level: true, whole_rows: true }),
    (Gen::Gfx900, Arrangement { by_level: false, whole_rows: true }),
    (Gen::Gfx1010, Arrangement { by_level: false, whole_rows: false }),
];

impl Arrangement {
    pub fn of(isa: Gen) -> Arrangement {
        inherited(ARRANGEMENTS, isa).expect("a column from the first generation on")
    }
}

/// Shape of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Texels of level 0.
    pub width: u32,
    pub height: u32,
    /// Array layers, faces or depth slices, times samples.
    pub slices: u32,
    pub levels: u32,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Texels of an element in each direction: 4 if compressed, else 1.
    pub block_side: u32,
    pub arrangement: Arrangement,
}

/// One level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Level {
    /// Bytes from the surface's start to that of its first slice.
    pub offset: u64,
    /// Bytes from one of its slices to the next.
    pub slice: u64,
    /// Bytes from one row of elements to the next.
    pub pitch: u64,
    /// Rows of elements.
    pub rows: u64,
}

impl Surface {
    fn extent(&self, n: u32) -> (u64, u64) {
        let elements = |texels: u32| {
            let all = u64::from(texels.max(1)).div_ceil(u64::from(self.block_side.max(1)));
            all.div_ceil(1 << n.min(31))
        };
        let element = u64::from(self.element_bytes);
        let align = match self.arrangement.whole_rows {
            // The least multiple of both: elements that are no power of two have three parts.
            true if !element.is_power_of_two() => ROW_ALIGN * 3,
            _ => ROW_ALIGN,
        };
        ((elements(self.width) * element).next_multiple_of(align), elements(self.height))
    }

    /// Bytes of a slice of level `n`.
    fn level_bytes(&self, n: u32) -> u64 {
        let (pitch, rows) = self.extent(n);
        pitch * rows
    }

    /// Level `n`.
    pub fn level(&self, n: u32) -> Level {
        let (pitch, rows) = self.extent(n);
        let slices = u64::from(self.slices.max(1));
        let (offset, slice) = match self.arrangement.by_level {
            true => ((0..n).map(|i| slices * self.level_bytes(i)).sum(), pitch * rows),
            false => ((n + 1..self.levels.max(1)).map(|i| self.level_bytes(i)).sum(), self.slice_bytes()),
        };
        Level { offset, slice, pitch, rows }
    }

    /// Bytes of all levels of a slice.
    fn slice_bytes(&self) -> u64 {
        (0..self.levels.max(1)).map(|n| self.level_bytes(n)).sum()
    }

    /// Bytes in all.
    pub fn bytes(&self) -> u64 {
        self.slice_bytes() * u64::from(self.slices.max(1))
    }
}
