//! Numbers in memory: their scalars, the shapes that they lie in, and what fills them.

use std::path::Path;
use wavepipe::data::{Init, fill};
use wavepipe::element::{Number, Scalar};
use wavepipe::view::{Shape, View};

#[test]
fn numbers_survive_memory() {
    for (scalar, text) in
        [(Scalar::I8, "-3"), (Scalar::U64, "18446744073709551615"), (Scalar::F32, "0.1"), (Scalar::F16, "0.5")]
    {
        let mut bytes = Vec::new();
        scalar.put(scalar.parse(text).unwrap(), &mut bytes);
        assert_eq!(scalar.text(&bytes), text);
    }
    assert!(Scalar::U8.parse("256").is_err());
    assert_eq!(Scalar::U32.parse("0xff").unwrap(), Number::Int(255));
}

#[test]
fn shapes_and_products() {
    let bytes = |text: &str| View::from(text.parse::<Shape>().unwrap()).bytes;
    let s: Shape = "vec4[16*4]".parse().unwrap();
    assert_eq!((s.count, bytes("vec4[16*4]")), (64, 1024));
    assert_eq!(bytes("f16x2[3]"), 12);
    assert!("f33[4]".parse::<Shape>().is_err());
    assert!("f32[0]".parse::<Shape>().is_err());
    assert!("f64[1000000*1000000]".parse::<Shape>().is_err());
}

#[test]
fn random_is_repeatable_and_in_range() {
    let shape = "f32[1000]".parse().unwrap();
    let a = fill(shape, &Init::Rand, Path::new(".")).unwrap();
    assert_eq!(a, fill(shape, &Init::Rand, Path::new(".")).unwrap());
    let floats: Vec<f32> = a.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
    assert!(floats.iter().all(|f| (0.0..1.0).contains(f)));
    assert!((floats.iter().sum::<f32>() / 1000.0 - 0.5).abs() < 0.05);
}

#[test]
fn a_number_is_a_number_and_a_name_a_file() {
    assert_eq!("5".parse::<Init>().unwrap(), Init::Values(vec!["5".into()]));
    assert_eq!(
        "-1,0x10, 2.5,inf".parse::<Init>().unwrap(),
        Init::Values(["-1", "0x10", "2.5", "inf"].map(Into::into).into())
    );
    assert_eq!("./5".parse::<Init>().unwrap(), Init::File("./5".into()));
    assert!("1,2,x".parse::<Init>().is_err());
}
