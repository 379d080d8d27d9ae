//! Where the texels of linear surfaces are.

use wavepipe_hw::surface::*;
use wavepipe_isa::Gen;

#[test]
fn a_mip_chain_by_hand() {
    let s = Surface {
        width: 100,
        height: 5,
        slices: 3,
        levels: 4,
        element_bytes: 4,
        block_side: 1,
        arrangement: Arrangement::default(),
    };
    // 100, 50, 25, 13 texels are 2, 1, 1, 1 units of 256 bytes; 5, 3, 2, 1 rows.
    assert_eq!(s.level(3), Level { offset: 0, slice: 4096, pitch: 256, rows: 1 });
    assert_eq!(s.level(2), Level { offset: 256, slice: 4096, pitch: 256, rows: 2 });
    assert_eq!(s.level(1), Level { offset: 768, slice: 4096, pitch: 256, rows: 3 });
    assert_eq!(s.level(0), Level { offset: 1536, slice: 4096, pitch: 512, rows: 5 });
    assert_eq!((s.level(0).slice, s.bytes()), (4096, 12288));
}

#[test]
fn blocks_and_odd_elements() {
    let bc = Surface {
        width: 130,
        height: 9,
        slices: 1,
        levels: 2,
        element_bytes: 16,
        block_side: 4,
        arrangement: Arrangement::default(),
    };
    // 33 × 3 blocks and 17 × 2 blocks.
    assert_eq!(bc.level(0), Level { offset: 1024, slice: 4096 - 768, pitch: 768, rows: 3 });
    assert_eq!(bc.level(1), Level { offset: 0, slice: 4096 - 768, pitch: 512, rows: 2 });
    let rgb = Surface {
        width: 22,
        height: 2,
        slices: 1,
        levels: 1,
        element_bytes: 12,
        block_side: 1,
        arrangement: Arrangement::default(),
    };
    assert_eq!((rgb.level(0).pitch, rgb.bytes()), (512, 1024));
}

/// Levels fill a slice without gaps or overlaps.
#[test]
fn levels_tile_the_slice() {
    for (width, height, levels) in [(1, 1, 1), (7, 300, 9), (1024, 1, 11), (16384, 16384, 15)] {
        let s = Surface {
            width,
            height,
            slices: 1,
            levels,
            element_bytes: 8,
            block_side: 1,
            arrangement: Arrangement::default(),
        };
        let mut at = 0;
        for n in (0..levels).rev() {
            let l = s.level(n);
            assert_eq!(l.offset, at);
            assert!(l.pitch >= u64::from(width >> n) * 8 && l.rows >= u64::from(height >> n));
            at += l.pitch * l.rows;
        }
        assert_eq!(at, s.level(0).slice);
    }
}

#[test]
fn levels_by_hand_where_each_has_its_slices() {
    let arrangement = Arrangement::of(Gen::Gfx600);
    let s = Surface { width: 100, height: 5, slices: 3, levels: 4, element_bytes: 4, block_side: 1, arrangement };
    assert_eq!(s.level(0), Level { offset: 0, slice: 2560, pitch: 512, rows: 5 });
    assert_eq!(s.level(1), Level { offset: 7680, slice: 768, pitch: 256, rows: 3 });
    assert_eq!(s.level(3), Level { offset: 7680 + 2304 + 1536, slice: 256, pitch: 256, rows: 1 });
    assert_eq!(s.bytes(), 12288);
    // Levels that are not there change nothing.
    assert_eq!(Surface { levels: 1, ..s }.level(1), s.level(1));
    let rgb = Surface { width: 22, element_bytes: 12, levels: 1, ..s };
    assert_eq!(rgb.level(0).pitch, 768);
    assert_eq!(Surface { arrangement: Arrangement::of(Gen::Gfx900), ..rgb }.level(0).pitch, 768);
    assert_eq!(Surface { arrangement: Arrangement::of(Gen::Gfx900), ..s }.level(3).offset, 0);
}
