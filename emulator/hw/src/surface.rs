//! Where the texels of a linear surface (SW_LINEAR) are: what addrlib computes for gfx10, so that a driver that lays out
//! memory and the texture unit that reads it agree.
//!
//! ```text
//! slice: the whole mip chain, smallest level first       surface: its slices, one after the other
//! row of a level: padded to 256 bytes                     level n: width and height / 2^n, rounded up, in elements
//! ```
//! An element is a texel or a compressed block. A slice is an array layer, a cube face, or a depth slice of a 3D image,
//! which has as many slices in each level as in level 0. Hardware has no multisampled linear surface; here each sample is
//! a slice, those of one layer next to each other.

/// Rows start at multiples of this many bytes.
pub const ROW_ALIGN: u64 = 256;

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
}

/// One level in each slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Level {
    /// Bytes from the slice's start.
    pub offset: u64,
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
        let pitch = (elements(self.width) * u64::from(self.element_bytes)).next_multiple_of(ROW_ALIGN);
        (pitch, elements(self.height))
    }

    /// Level `n`.
    pub fn level(&self, n: u32) -> Level {
        let (pitch, rows) = self.extent(n);
        let smaller = (n + 1..self.levels.max(1)).map(|i| {
            let (pitch, rows) = self.extent(i);
            pitch * rows
        });
        Level { offset: smaller.sum(), pitch, rows }
    }

    /// Bytes from one slice to the next.
    pub fn slice_bytes(&self) -> u64 {
        let l = self.level(0);
        l.offset + l.pitch * l.rows
    }

    /// Bytes in all.
    pub fn bytes(&self) -> u64 {
        self.slice_bytes() * u64::from(self.slices.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mip_chain_by_hand() {
        let s = Surface { width: 100, height: 5, slices: 3, levels: 4, element_bytes: 4, block_side: 1 };
        // 100, 50, 25, 13 texels are 2, 1, 1, 1 units of 256 bytes; 5, 3, 2, 1 rows.
        assert_eq!(s.level(3), Level { offset: 0, pitch: 256, rows: 1 });
        assert_eq!(s.level(2), Level { offset: 256, pitch: 256, rows: 2 });
        assert_eq!(s.level(1), Level { offset: 768, pitch: 256, rows: 3 });
        assert_eq!(s.level(0), Level { offset: 1536, pitch: 512, rows: 5 });
        assert_eq!((s.slice_bytes(), s.bytes()), (4096, 12288));
    }

    #[test]
    fn blocks_and_odd_elements() {
        let bc = Surface { width: 130, height: 9, slices: 1, levels: 2, element_bytes: 16, block_side: 4 };
        // 33 × 3 blocks and 17 × 2 blocks.
        assert_eq!(bc.level(0), Level { offset: 1024, pitch: 768, rows: 3 });
        assert_eq!(bc.level(1), Level { offset: 0, pitch: 512, rows: 2 });
        let rgb = Surface { width: 22, height: 2, slices: 1, levels: 1, element_bytes: 12, block_side: 1 };
        assert_eq!((rgb.level(0).pitch, rgb.bytes()), (512, 1024));
    }

    /// Levels fill a slice without gaps or overlaps.
    #[test]
    fn levels_tile_the_slice() {
        for (width, height, levels) in [(1, 1, 1), (7, 300, 9), (1024, 1, 11), (16384, 16384, 15)] {
            let s = Surface { width, height, slices: 1, levels, element_bytes: 8, block_side: 1 };
            let mut at = 0;
            for n in (0..levels).rev() {
                let l = s.level(n);
                assert_eq!(l.offset, at);
                assert!(l.pitch >= u64::from(width >> n) * 8 && l.rows >= u64::from(height >> n));
                at += l.pitch * l.rows;
            }
            assert_eq!(at, s.slice_bytes());
        }
    }
}
