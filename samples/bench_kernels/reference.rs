//! What the kernels compute, plainly.

use super::{RING, TABLE};
use wavepipe_samples::{Answer, data};

/// Each chain is a sum: 4096 times what the lane adds. Below 2^24, so a float is it exactly.
pub fn fma_chains<const GROUPS: usize>() -> Answer {
    let item = |i: usize| {
        let (lane, step) = (i & 63, 1 + (i & 7));
        (0..8).map(|chain| lane + chain + 4096 * step).sum::<usize>() as f32
    };
    Answer::floats(&(0..GROUPS * 256).map(item).collect::<Vec<_>>())
}

pub fn hash<const GROUPS: usize>() -> Answer {
    let item = |i: u32| {
        (0..512).fold(i, |h, round| {
            let h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
            let h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
            (h ^ h >> 16).wrapping_add(round)
        })
    };
    Answer::words(&(0..GROUPS as u32 * 256).map(item).collect::<Vec<_>>())
}

pub fn collatz<const GROUPS: usize>() -> Answer {
    let next = |n: &u32| if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
    let item = |i: u32| std::iter::successors(Some(i + 1), |n| Some(next(n))).take_while(|n| *n != 1).count() as u32;
    Answer::words(&(0..GROUPS as u32 * 256).map(item).collect::<Vec<_>>())
}

pub fn lds_loop<const GROUPS: usize>() -> Answer {
    let mut all: Vec<u32> = (0..GROUPS as u32 * 256).collect();
    for group in all.chunks_exact_mut(256) {
        for round in 0..256 {
            let cells: [u32; 256] = (&*group).try_into().expect("256 cells");
            for (at, mine) in group.iter_mut().enumerate() {
                let (left, right) = (cells[(at + 255) % 256], cells[(at + 1) % 256]);
                *mine ^= right.wrapping_mul(5).wrapping_add(left);
                *mine = mine.wrapping_mul(2_654_435_761).wrapping_add(round);
            }
        }
    }
    Answer::words(&all)
}

pub fn gather<const GROUPS: usize>() -> Answer {
    let table = data::noise_words(TABLE);
    let at = |n: u32| table[(n.wrapping_mul(2_654_435_761) >> 12) as usize];
    let item = |i: u32| (0..16).map(|k| at(i * 16 + k)).fold(0, u32::wrapping_add);
    Answer::words(&(0..GROUPS as u32 * 256).map(item).collect::<Vec<_>>())
}

/// A linear congruential generator of full period, whose modulus is a power of two.
fn congruential(word: u32) -> u32 {
    word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

pub fn scatter<const GROUPS: usize>() -> Answer {
    let mut places = vec![0; GROUPS * 256 * 8];
    let mask = places.len() - 1;
    for word in 0..places.len() as u32 {
        places[congruential(word) as usize & mask] = word;
    }
    Answer::words(&places)
}

pub fn stream_copy<const GROUPS: usize>() -> Answer {
    Answer::words(&data::noise_words(GROUPS * 256 * 4))
}

pub fn lds_histogram<const GROUPS: usize>() -> Answer {
    let mut bins = [0u32; 256];
    for byte in data::noise_words(GROUPS * 256 * 16).into_iter().flat_map(u32::to_le_bytes) {
        bins[usize::from(byte)] += 1;
    }
    Answer::words(&bins)
}

/// Whole numbers of [-4, 4): products and sums of them are exact in any order.
pub fn small_floats(count: usize, seed: u32) -> Vec<f32> {
    data::signed_floats(count, seed).into_iter().map(|x| (4.0 * x).floor()).collect()
}

pub fn tiled_matmul<const SIDE: usize>() -> Answer {
    let (a, b) = (small_floats(SIDE * SIDE, 1), small_floats(SIDE * SIDE, 2));
    let mut c = vec![0.0f32; SIDE * SIDE];
    for (row, c) in a.chunks_exact(SIDE).zip(c.chunks_exact_mut(SIDE)) {
        for (a, row) in row.iter().zip(b.chunks_exact(SIDE)) {
            c.iter_mut().zip(row).for_each(|(c, b)| *c += a * b);
        }
    }
    Answer::floats(&c)
}

/// One ring through all words.
pub fn ring() -> Vec<u32> {
    (0..RING as u32).map(|word| congruential(word) & (RING as u32 - 1)).collect()
}

pub fn pointer_chase<const GROUPS: usize>() -> Answer {
    let item = |i: u32| (0..512).fold(i * 1021, |at, _| congruential(at) & (RING as u32 - 1));
    Answer::words(&(0..GROUPS as u32 * 64).map(item).collect::<Vec<_>>())
}
