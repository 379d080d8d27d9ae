//! What generations write for formats: one number, or a data format with a number format.

use wavepipe_isa::Gen;
use wavepipe_isa::format::{FORMATS, Format, Num};
use wavepipe_isa::generation::Unified;
use wavepipe_isa::tested::{DATA, parts};

/// The first number of formats that only images have.
const IMAGES: u16 = 128;
/// A number that no format has, for codes that mean nothing.
const UNKNOWN: u16 = 127;

/// Every format that a generation has comes back from its code, and codes are within their fields.
#[test]
fn codes_are_read_as_they_are_written() {
    for generation in Gen::ALL {
        let split = generation.caps().number_formats.is_some();
        let (buffers, images) = if split { (128, 1024) } else { (128, 512) };
        let mut found = [0; 2];
        for f in FORMATS {
            if let Some(code) = Format::buffer_code(f.number, generation).filter(|_| f.number < IMAGES) {
                assert_eq!(Format::of_buffer_code(code, generation), f.number, "{generation:?} {f:?}");
                assert!(code < buffers);
                found[0] += 1;
            }
            if let Some(code) = Format::image_code(f.number, generation) {
                assert_eq!(Format::of_image_code(code, generation), f.number, "{generation:?} {f:?}");
                assert!(code < images);
                found[1] += 1;
            }
        }
        // Of gfx11's, 14 scaled and packed ones are gone.
        let gone = if generation.caps().unified_formats == Unified::Gfx11 { 14 } else { 0 };
        assert_eq!(found, [78 - gone, FORMATS.len() - gone], "{generation:?}");
    }
}

/// By hand, from the register headers' enumerations: (format, GCN's buffer code, GCN's image code, gfx11's code).
#[test]
fn codes_by_hand() {
    let cases = [
        ("32_UINT", Some(4 | 4 << 4), 4 | 4 << 6, 20),
        ("8_8_8_8_UNORM", Some(10), 10, 42),
        ("10_11_11_FLOAT", Some(6 | 7 << 4), 6 | 7 << 6, 30),
        ("32_32_32_32_FLOAT", Some(14 | 7 << 4), 14 | 7 << 6, 63),
        ("8_8_8_8_SRGB", None, 10 | 9 << 6, 66),
        ("5_9_9_9_FLOAT", None, 34 | 7 << 6, 67),
        ("BC6_SFLOAT", None, 40 | 1 << 6, 120),
    ];
    for (name, buffer, image, gfx11) in cases {
        let n = FORMATS.iter().find(|f| f.name == name).unwrap().number;
        for generation in [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900] {
            if let Some(code) = buffer {
                assert_eq!(Format::buffer_code(n, generation), Some(code), "{name}");
            }
            assert_eq!(Format::image_code(n, generation), Some(image), "{name}");
        }
        assert_eq!(Format::image_code(n, Gen::Gfx1010), Some(n));
        assert_eq!(Format::image_code(n, Gen::Gfx1100), Some(gfx11), "{name}");
    }
    // Data formats with numbers that they have not are no format, but they are something; without a data format there is nothing.
    assert_eq!(Format::of_buffer_code(1 | 7 << 4, Gen::Gfx600), UNKNOWN);
    assert_eq!(Format::of_buffer_code(7 << 4, Gen::Gfx900), 0);
    assert_eq!(Format::of_image_code(22, Gen::Gfx900), UNKNOWN);
    assert!(Format::find(UNKNOWN).is_none());
}

/// The names that both enumerations have agree with what is computed from bits and meanings.
#[test]
fn parts_are_those_of_the_names() {
    let numbers = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "", "FLOAT", "", "SRGB"];
    for f in FORMATS.iter().filter(|f| f.number != 0 && !matches!(f.num, Num::Block(_))) {
        let (data, number) = parts(f).unwrap();
        assert_eq!(f.name, format!("{}_{}", DATA[usize::from(data)].0, numbers[usize::from(number)]));
        assert!(f.number >= 128 || data < 15, "{f:?}");
    }
    let block = |name: &str| parts(FORMATS.iter().find(|f| f.name == name).unwrap());
    assert_eq!((block("BC1_SRGB"), block("BC7_UNORM")), (Some((35, 9)), Some((41, 0))));
    assert_eq!((block("BC6_UFLOAT"), block("BC6_SFLOAT")), (Some((40, 0)), Some((40, 1))));
    assert_eq!(block("INVALID"), Some((0, 0)));
}
