//! SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators"): the random numbers of tests.

/// The next of a state, for which any seed will do.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
