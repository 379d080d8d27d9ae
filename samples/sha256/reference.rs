//! SHA-256 of a 32-byte message, after FIPS 180-4.

/// The round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
pub fn constants() -> [u32; 64] {
    let mut primes = (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    std::array::from_fn(|_| fraction(primes.next().unwrap_or(2), 3))
}

/// The initial state: the same of the square roots of the first eight primes.
pub fn initial() -> [u32; 8] {
    [2, 3, 5, 7, 11, 13, 17, 19].map(|prime| fraction(prime, 2))
}

/// The first 32 bits of the fractional part of the `degree`-th root of `n`, in whole numbers.
fn fraction(n: u64, degree: u32) -> u32 {
    // The largest r with r^degree <= n * 2^(32 * degree) is floor(root * 2^32).
    let (mut low, mut high) = (0u128, 1u128 << 37);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if wide_power(middle, degree) <= wide_shift(n, 32 * degree) { low = middle } else { high = middle }
    }
    low as u32
}

/// `r^degree` as (high, low) 64-bit halves above and below bit 64, for r < 2^37.
fn wide_power(r: u128, degree: u32) -> (u128, u128) {
    let square = r * r;
    if degree == 2 {
        return (square >> 64, square & u128::from(u64::MAX));
    }
    let low = (square & u128::from(u64::MAX)) * r;
    ((square >> 64) * r + (low >> 64), low & u128::from(u64::MAX))
}

fn wide_shift(n: u64, bits: u32) -> (u128, u128) {
    (u128::from(n) << (bits - 64), 0)
}

pub fn digest(message: [u32; 8], constants: &[u32; 64]) -> [u32; 8] {
    let mut w = [0u32; 64];
    w[..8].copy_from_slice(&message);
    w[8] = 1 << 31;
    w[15] = 256;
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ w[i - 15] >> 3;
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let start = initial();
    let mut s = start;
    for i in 0..64 {
        let [a, b, c, d, e, f, g, h] = s;
        let sum1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let t1 = [sum1, (e & f) ^ (!e & g), constants[i], w[i]].into_iter().fold(h, u32::wrapping_add);
        let sum0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = sum0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        s = [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g];
    }
    std::array::from_fn(|i| s[i].wrapping_add(start[i]))
}
