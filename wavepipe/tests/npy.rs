//! Files of NumPy's format.

use std::path::Path;
use wavepipe::Result;
use wavepipe::element::{Number, Scalar};
use wavepipe::files::{Given, instead};
use wavepipe::npy::{Array, read, write};

/// Reads a file of these bytes.
fn parse(bytes: &[u8]) -> Result<Array> {
    let path = Path::new("a.npy");
    instead(Given::from([(path.to_owned(), bytes.to_vec())]), || read(path))
}

#[test]
fn arrays_are_read_back() {
    let data: Vec<u8> = [1.5f32, -2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    for shape in [&[6][..], &[2, 3], &[1, 2, 3]] {
        let file = write(Scalar::F32, shape, &data);
        assert_eq!(file.len() % 64, 24, "numbers begin at a multiple of 64");
        let array = parse(&file).unwrap();
        assert_eq!((&array.shape[..], array.scalar, array.count()), (shape, Scalar::F32, 6));
        assert_eq!(array.numbers().nth(1), Some(Number::Float(-2.0)));
    }
    let file = String::from_utf8_lossy(&write(Scalar::U8, &[2], &[1, 2])).into_owned();
    assert!(file.contains("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }"), "{file}");
}

#[test]
fn what_is_no_array_is_said() {
    let good = write(Scalar::F64, &[1], &[0; 8]);
    let text = |from: &str, to: &str| {
        let at = good.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        let mut bytes = good.clone();
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        parse(&bytes).unwrap_err().to_string()
    };
    assert!(text("<f8", ">f8").contains("big-endian"));
    assert!(text("<f8", "<c8").contains("<c8"));
    assert!(text("(1,)", "(9,)").contains("8 bytes"));
    assert!(text("False", "True ").contains("columns first"));
    assert!((0..good.len() - 8).all(|n| parse(&good[..n]).is_err()));
}
