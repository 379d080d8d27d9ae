//! Floats of 16 bits as the interpreter of SPIR-V has them, by way of the host's f64.

use wavepipe_tests::tested::{nearest, value};

#[test]
fn halves_round_to_nearest_even() {
    let half = |x: u16| value(16, x.into());
    let to_half = |x: f64| nearest(16, x) as u16;
    for x in 0..=u16::MAX {
        let v = half(x);
        assert!(v.is_nan() || to_half(v) == x, "{x:#x}");
        let above = half(x.wrapping_add(1));
        if x & 0x7fff < 0x7bff {
            let middle = (v + above) / 2.0;
            assert_eq!(to_half(middle), x + (x & 1), "{x:#x}");
            assert_eq!(to_half((v + middle) / 2.0), x);
            assert_eq!(to_half((above + middle) / 2.0), x + 1);
        }
    }
    assert_eq!((to_half(65519.9), to_half(-65520.0)), (0x7bff, 0xfc00));
}
