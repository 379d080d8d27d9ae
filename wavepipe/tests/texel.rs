//! Formats of texels: what both languages call them, and what their components mean.

use wavepipe::element::Number;
use wavepipe::texel::{Coding, Texel};
use wavepipe_runtime::{Aspects, FormatFeatures, isa};

#[test]
fn both_languages_name_the_same_formats() {
    for (glsl, wgsl, number) in [
        ("rgba8", "rgba8unorm", 37),
        ("rgba8_snorm", "rgba8snorm", 38),
        ("r32f", "r32float", 100),
        ("rg16ui", "rg16uint", 81),
        ("rgba32i", "rgba32sint", 108),
    ] {
        let texel: Texel = glsl.parse().unwrap();
        assert_eq!((texel, texel.format().0), (wgsl.parse().unwrap(), number));
        assert_eq!(texel.to_string(), glsl);
    }
    for none in ["rgb8", "r32", "r64ui", "8", "rgba8x"] {
        assert!(none.parse::<Texel>().is_err(), "{none}");
    }
}

#[test]
fn every_format_is_one_of_the_device_with_its_size() {
    use Coding::{Float, Sint, Snorm, Uint, Unorm};
    let mut formats = 0;
    for (bits, coding) in [8, 16, 32].into_iter().flat_map(|b| [Unorm, Snorm, Uint, Sint, Float].map(|c| (b, c))) {
        for lanes in [1, 2, 4] {
            let texel = Texel { lanes, bits, coding };
            // There are no floats of 8 bits, and no fractions of 32.
            if texel.to_string().parse::<Texel>().is_err() {
                continue;
            }
            formats += 1;
            assert_eq!(texel.format().bytes(Aspects::COLOR) as usize, texel.bytes(), "{texel}");
            for isa in isa::Gen::ALL {
                let features = texel.format().image_features(isa);
                assert!(features.contains(FormatFeatures::STORAGE_IMAGE), "{texel}, {isa:?}");
            }
        }
    }
    assert_eq!(formats, 12 * 3);
}

#[test]
fn components_survive() {
    for (format, number) in [("r8", 0.2), ("r16_snorm", -0.5), ("r16f", 0.25), ("r32f", 1e10)] {
        let texel: Texel = format.parse().unwrap();
        let mut bytes = Vec::new();
        texel.encode(Number::Float(number), &mut bytes).unwrap();
        assert!((texel.decode(&bytes).float() - number).abs() <= 2e-3, "{format}");
    }
    assert!("r8ui".parse::<Texel>().unwrap().encode(Number::Int(256), &mut Vec::new()).is_err());
}
