//! Functions of three operands' bits, by their numbers.

use wavepipe_jit::tested::x86::{OPERANDS, composed, exchanged};

#[test]
fn functions_are_known_by_their_numbers() {
    // (a & b) ^ (!a & c), by the numbers of and, xor and not.
    let [a, b, c] = OPERANDS;
    assert_eq!((a & b) ^ (!a & c), 0xca);
    assert_eq!(composed(0xca, OPERANDS), 0xca);
    for table in 0..=u8::MAX {
        for with in 1..3 {
            let other = exchanged(table, with);
            for bits in 0..8u8 {
                let [a, b, c] = [bits >> 2 & 1, bits >> 1 & 1, bits & 1];
                let moved = if with == 1 { 4 * b + 2 * a + c } else { 4 * c + 2 * b + a };
                assert_eq!(table >> bits & 1, other >> moved & 1, "{table:#x}, {with}");
            }
        }
    }
}
