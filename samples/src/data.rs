//! Inputs: the same on every machine and in every run.

/// The `i`-th word of a fixed noise (PCG's RXS-M-XS output permutation of a Weyl sequence).
pub fn noise(i: u32) -> u32 {
    let state = i.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// The `i`-th number of the noise in [-1, 1).
pub fn signed(i: u32) -> f32 {
    (noise(i) >> 8) as f32 * (1.0 / 8_388_608.0) - 1.0
}

pub fn noise_words(count: usize) -> Vec<u32> {
    (0..count as u32).map(noise).collect()
}

/// `count` numbers in [-1, 1), a different row of them per `seed`.
pub fn signed_floats(count: usize, seed: u32) -> Vec<f32> {
    let start = seed.wrapping_mul(0x9e37_79b9);
    (0..count as u32).map(|i| signed(start.wrapping_add(i))).collect()
}
