//! Texels of the format that has a shorter way.

use wavepipe_core::tested::texels::{UNORM8, unorm8};
use wavepipe_isa::format::{Format, TEXEL};

/// The short way and the format's own conversion agree.
#[test]
fn the_plain_format_is_not_special() {
    let format = Format::find(56).unwrap();
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.5 / 255.0, 1.5 / 255.0, 254.5 / 255.0, 1e-40];
    let steps = (0..=5100).map(|i| i as f32 / 5000.0 - 0.01);
    for n in 0..=255 {
        let mut texel = [0; TEXEL];
        texel[0] = n;
        assert_eq!(UNORM8[usize::from(n)], format.decode(&texel)[0]);
    }
    for v in special.into_iter().chain(steps) {
        assert_eq!(unorm8(v), u32::from(format.encode([v.to_bits(), 0, 0, 0])[0]), "{v}");
    }
}
