//! What debugPrintfEXT prints.

use wavepipe_hw::site::{Argument, ScalarKind};
use wavepipe_runtime::tested::{MAX_FIELD, printf as text};

/// What glibc's printf makes of doubles and ints: `f` or `i`, format, bits, text. Without `%#g` of 999999.5, whose zeros it drops.
const LIBC: &str = include_str!("libc.txt");

fn argument(scalar: ScalarKind, bits: u32, components: u32) -> Argument {
    Argument { scalar, bits, components }
}

#[test]
fn numbers_are_as_libc_prints_them() {
    let mut wrong = Vec::new();
    for line in LIBC.lines() {
        let [kind, format, bits, want, ""] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let bits = u64::from_str_radix(bits, 16).unwrap();
        let got = match kind {
            "f" => text(format, &[argument(ScalarKind::Float, 64, 1)], &[bits as u32, (bits >> 32) as u32]),
            _ => text(format, &[argument(ScalarKind::Int, 32, 1)], &[bits as u32]),
        };
        if got != want {
            wrong.push(format!("{format} of {bits:#x}: `{got}`, libc `{want}`"));
        }
    }
    assert!(LIBC.lines().count() > 500 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn vectors_64_bits_and_percent_signs() {
    let vec4 = argument(ScalarKind::Float, 32, 4);
    let ones = [1.2f32, 2.2, 3.2, 4.2].map(f32::to_bits);
    assert_eq!(text("a vector %1.2v4f.", &[vec4], &ones), "a vector 1.20, 2.20, 3.20, 4.20.");
    let uint64 = argument(ScalarKind::Uint, 64, 1);
    let bits = [0x89ab_cdef, 0x123_4567];
    assert_eq!(
        text("%ul %lu 0x%lx", &[uint64; 3], &bits.repeat(3)),
        "81985529216486895 81985529216486895 0x123456789abcdef"
    );
    assert_eq!(
        text("%v2lx", &[argument(ScalarKind::Uint, 64, 2)], &bits.repeat(2)),
        "123456789abcdef, 123456789abcdef"
    );
    assert_eq!(text("100%% of %d%%", &[argument(ScalarKind::Int, 32, 1)], &[50]), "100% of 50%");
    assert_eq!(text("%u %d", &[argument(ScalarKind::Bool, 32, 1); 2], &[1, 0]), "1 0");
    // As C reads them: the same bits.
    assert_eq!(text("%u", &[argument(ScalarKind::Int, 32, 1)], &[u32::MAX]), "4294967295");
    assert_eq!(text("%d", &[argument(ScalarKind::Uint, 32, 1)], &[u32::MAX]), "-1");
}

#[test]
fn what_does_not_fit_is_said() {
    let (int, float) = (argument(ScalarKind::Int, 32, 1), argument(ScalarKind::Float, 32, 1));
    let half = 1.5f32.to_bits();
    assert_eq!(text("[%d]", &[float], &[half]), "[%!d(float=1.5)]");
    assert_eq!(text("[%f]", &[int], &[7]), "[%!f(int=7)]");
    assert_eq!(text("%d and %5.1f", &[int], &[1]), "1 and %!5.1f(missing)");
    assert_eq!(text("%d", &[int, float], &[1, half]), "1%!(extra float=1.5)");
    assert_eq!(text("%s %d", &[int], &[3]), "%!s(no such conversion) 3");
    assert_eq!(text("%v3f", &[argument(ScalarKind::Float, 32, 2)], &[half; 2]), "%!v3f(vector of 2 float=1.5, 1.5)");
    assert_eq!(text("50%", &[], &[]), "50%!(no conversion)");
    assert_eq!(text("%d", &[argument(ScalarKind::Uint, 32, 0)], &[]), "%!d(no number)");
    // A format cannot ask for a field of any size.
    assert_eq!(text("%999999999d", &[int], &[3]).len(), MAX_FIELD);
}
