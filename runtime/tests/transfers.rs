//! What copies, clears and blits work out on the host.

use wavepipe_runtime::tested::{Axis, color_texel, repeated};
use wavepipe_runtime::{Aspects, Format};

#[test]
fn lines_from_destination_to_source() {
    let at = |a: &Axis, k: u32| (k as f32 + 0.5) * a.scale + a.offset;
    let plain = Axis::new([0, 8], [0, 4]);
    assert_eq!((plain.first, plain.count, at(&plain, 0), at(&plain, 3)), (0, 4, 1.0, 7.0));
    let mirrored = Axis::new([0, 8], [6, 2]);
    assert_eq!((mirrored.first, mirrored.count, at(&mirrored, 0), at(&mirrored, 3)), (2, 4, 7.0, 1.0));
    let both = Axis::new([8, 0], [6, 2]);
    assert_eq!((both.first, at(&both, 0), at(&both, 3)), (2, 1.0, 7.0));
}

#[test]
fn texels_that_repeat_in_a_dword() {
    assert_eq!(repeated(&[7]), Some(0x0707_0707));
    assert_eq!(repeated(&[1, 2]), Some(0x0201_0201));
    assert_eq!(repeated(&[1, 2, 3, 4]), Some(0x0403_0201));
    assert_eq!(repeated(&[1, 2, 3, 4, 1, 2, 3, 4]), Some(0x0403_0201));
    assert_eq!(repeated(&[1, 2, 3, 4, 1, 2, 3, 5]), None);
    assert_eq!(repeated(&[0; 12]), None);
}

#[test]
fn colours_go_where_the_format_has_them() {
    let color = [1f32, 0.0, 0.5, 1.0].map(f32::to_bits);
    assert_eq!(color_texel(Format::R8G8B8A8_UNORM, Aspects::COLOR, color), Some(vec![255, 0, 128, 255]));
    assert_eq!(color_texel(Format::B8G8R8A8_UNORM, Aspects::COLOR, color), Some(vec![128, 0, 255, 255]));
    assert_eq!(color_texel(Format::R5G6B5_UNORM_PACK16, Aspects::COLOR, color), Some(vec![16, 0xf8]));
    assert_eq!(color_texel(Format::BC1_RGB_UNORM_BLOCK, Aspects::COLOR, color), None);
    let depth = [0.25f32.to_bits(), 0, 0, 0];
    assert_eq!(color_texel(Format::D32_SFLOAT_S8_UINT, Aspects::DEPTH, depth), Some(0.25f32.to_le_bytes().into()));
    assert_eq!(color_texel(Format::D32_SFLOAT_S8_UINT, Aspects::STENCIL, [9, 0, 0, 0]), Some(vec![9]));
}
