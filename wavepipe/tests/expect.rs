//! Comparisons at the edges of their tolerances, and the report of one that does not hold.

use wavepipe::bind::ImagePlan;
use wavepipe::contents::Contents;
use wavepipe::data::{Init, Input};
use wavepipe::element::Scalar;
use wavepipe::expect::{Mismatch, Spot, Tolerance, Writer, compare};
use wavepipe::npy::Array;
use wavepipe::view::{Shape, View};
use wavepipe_runtime::compiler::ir::Dim;

fn buffer(shape: &str, numbers: &str) -> Contents {
    let view = View::from(shape.parse::<Shape>().unwrap());
    let input = Input::read(&numbers.parse::<Init>().unwrap(), "".as_ref()).unwrap();
    let bytes = input.fill(&view).unwrap();
    Contents::buffer(view, bytes)
}

fn mismatch(shape: &str, got: &str, wanted: &str, tolerance: Tolerance) -> Option<Box<Mismatch>> {
    compare("y", &buffer(shape, got), &buffer(shape, wanted), tolerance, None).unwrap()
}

/// Type, got, wanted, what holds and what does not.
type Comparison = (&'static str, &'static str, &'static str, &'static [Tolerance], &'static [Tolerance]);

#[test]
fn each_tolerance_has_its_edge() {
    use Tolerance::{Absolute, Exact, Relative, Rmse, Ulp};
    let rows: &[Comparison] = &[
        (
            "f32[1]",
            "1.0000001",
            "1",
            &[Ulp(1), Relative(2e-7), Absolute(2e-7)],
            &[Exact, Ulp(0), Relative(1e-7), Absolute(1e-7)],
        ),
        ("f16[1]", "1.0009765625", "1", &[Ulp(1)], &[Exact]),
        ("f64[1]", "1.0000000000000002", "1", &[Ulp(1)], &[Exact]),
        ("f32[1]", "-0", "0", &[Exact], &[]),
        ("f32[1]", "NaN", "NaN", &[Exact, Ulp(0), Rmse(0.0)], &[]),
        ("f32[1]", "NaN", "1", &[], &[Exact, Ulp(u64::MAX), Absolute(1e30), Rmse(1e30)]),
        ("f32[1]", "inf", "3e38", &[], &[Exact, Absolute(1e38), Relative(1e30)]),
        ("f32[1]", "inf", "inf", &[Exact, Absolute(0.0)], &[]),
        ("i32[1]", "-3", "4", &[Ulp(7), Absolute(7.0), Relative(1.75)], &[Ulp(6), Exact, Absolute(6.5), Relative(1.7)]),
        ("u64[1]", "18446744073709551615", "18446744073709551614", &[Ulp(1)], &[Exact]),
        ("f32[4]", "1,1,1,3", "1,1,1,1", &[Rmse(1.0)], &[Rmse(0.99), Absolute(1.9)]),
    ];
    for (shape, got, wanted, good, bad) in rows {
        for tolerance in *good {
            assert!(mismatch(shape, got, wanted, *tolerance).is_none(), "{got} for {wanted} {tolerance}");
        }
        for tolerance in *bad {
            assert!(mismatch(shape, got, wanted, *tolerance).is_some(), "{got} for {wanted} {tolerance}");
        }
    }
}

#[test]
fn a_report_says_where_what_and_how_far() {
    let mut found = mismatch("vec2[4]", "0,1,2,3,4,5,6,7", "0,1,2,3.5,4,5,6,-7", Tolerance::Ulp(2)).unwrap();
    found.again = Some("wavepipe test y.test.toml".to_owned());
    found.writer = Some(Writer {
        workgroup: [1, 0, 0],
        wave: 2,
        lane: 3,
        invocation: [67, 0, 0],
        source: Some("y.comp:12".into()),
        instruction: "+0x40: buffer_store_dword v1, v0, s[0:3], 0 offen".into(),
    });
    let text = "y: 2 of 8 numbers are not as wanted (vec2[4], within 2 ULP)
  element 1.y, byte 12: got 3, wanted 3.5, 2097152 ULP apart
  element 3.y, byte 28: got 7, wanted -7, 2176843776 ULP apart
  last written by work-group (1, 0, 0), wave 2, lane 3, invocation (67, 0, 0), y.comp:12, `+0x40: buffer_store_dword v1, v0, s[0:3], 0 offen`
  again: wavepipe test y.test.toml";
    assert_eq!(found.to_string(), text);
    let many = mismatch("u32[64]", "iota", "zero", Tolerance::Exact).unwrap();
    assert_eq!((many.differing, many.numbers, many.shown.len()), (63, 64, 5));
    assert!(
        many.to_string().ends_with("…\n  furthest: element 63, byte 252: got 63, wanted 0, 63 ULP apart"),
        "{many}"
    );
}

/// An image of 3x2 texels of four bytes.
fn image(bytes: [u8; 24]) -> Contents {
    let array = Array::new(vec![2, 3, 4], Scalar::U8, bytes.to_vec()).unwrap();
    let texel = "rgba8".parse().unwrap();
    let plan = ImagePlan { texel, dim: Dim::D2, arrayed: false, extent: [3, 2, 1], layers: 1 };
    Contents::image(&plan, plan.fill(&Input::Array(array, "the test".into())).unwrap())
}

#[test]
fn pictures_differ_in_red() {
    let (wanted, mut other) = (image([90; 24]), [90; 24]);
    // Texel (1, 1), green.
    other[4 * 4 + 1] = 93;
    let got = image(other);
    let exact = compare("out", &got, &wanted, Tolerance::Exact, None).unwrap().unwrap();
    assert_eq!(
        (exact.differing, &exact.shown[0].spot, exact.shown[0].byte),
        (1, &Spot::Texel(vec![1, 1], Some(1)), 17)
    );
    assert!(exact.to_string().contains("texel (1, 1).g, byte 17"), "{exact}");
    let near = |channel, pixels| compare("out", &got, &wanted, Tolerance::Picture { channel, pixels }, None).unwrap();
    assert!(near(3, 0).is_none() && near(2, 1).is_none());
    let far = near(2, 0).unwrap();
    assert!(far.to_string().contains("1 of 6 pixels is not as wanted"), "{far}");
    assert!(far.to_string().contains("got [90, 93, 90, 90], wanted [90, 90, 90, 90]"), "{far}");
    for found in [exact, far] {
        let picture = found.picture.unwrap();
        let red: Vec<usize> = (0..6).filter(|n| picture.rgba[4 * n] == 255).collect();
        assert_eq!((picture.width, picture.height, red), (3, 2, vec![4]));
    }
}
