//! What this host does at best, by plain loops: fused multiply-adds with its vectors, and copies.
//!
//! It is a crate because its loops have to be optimised, which the program is not. All `unsafe` is here: functions for host
//! instructions are called where the host has them.

use serde::Serialize;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// The best of several tries counts, since nothing but disturbance makes one worse.
const TRIES: usize = 3;
/// How long a try of the multiply-adds takes, about.
const TRY: Duration = Duration::from_millis(20);

/// A second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Limit {
    pub one_thread: f64,
    pub all_threads: f64,
}

/// A limit of each kind, where a kernel was measured that is held against it.
#[derive(Debug, Serialize)]
pub struct Limits {
    pub threads: usize,
    /// Multiply-adds with each kind of its vectors, the widest first.
    pub vectors: Vec<Peak>,
    /// Of each of the streams that were copied: the largest kernel's.
    pub stream_bytes: usize,
    pub copied_bytes_per_second: Option<Limit>,
}

/// What vectors of a kind do.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Peak {
    /// The host code that is made of them.
    pub host: &'static str,
    pub fmas_per_second: Option<Limit>,
}

impl Limits {
    pub fn new(threads: usize) -> Limits {
        let vectors = all().iter().map(|v| Peak { host: v.host, fmas_per_second: None }).collect();
        Limits { threads, vectors, stream_bytes: 0, copied_bytes_per_second: None }
    }

    /// Measures once more, and keeps the best.
    pub fn fmas(&mut self) {
        for (vectors, peak) in all().iter().zip(&mut self.vectors) {
            let now = Limit { one_thread: fmas(vectors, 1), all_threads: fmas(vectors, self.threads) };
            keep(&mut peak.fmas_per_second, now);
        }
    }

    /// Multiply-adds of the widest vectors, or of those that host code is made for.
    pub fn fmas_of(&self, host: Option<&str>) -> Option<Limit> {
        let named = self.vectors.iter().find(|peak| Some(peak.host) == host);
        named.or(self.vectors.first())?.fmas_per_second
    }

    /// Bytes read and written of copies of streams of `bytes`.
    pub fn copies(&mut self, bytes: usize) {
        self.stream_bytes = bytes;
        let now = Limit { one_thread: copies(1, bytes), all_threads: copies(self.threads, bytes) };
        keep(&mut self.copied_bytes_per_second, now);
    }
}

/// Keeps the better of each number.
pub fn keep(kept: &mut Option<Limit>, now: Limit) {
    let kept = kept.get_or_insert(now);
    kept.one_thread = kept.one_thread.max(now.one_thread);
    kept.all_threads = kept.all_threads.max(now.all_threads);
}

/// A way to multiply and add: chains, each a vector, as many as hide what one takes and fit into the host's registers with two more.
pub struct Vectors {
    /// What host code with such vectors is called.
    host: &'static str,
    lanes: u64,
    pub chains: usize,
    /// So many rounds; the sum of some lanes, so that none is left out.
    pub run: fn(u64) -> f32,
}

pub const CHAINS: usize = 16;

/// The loop with vectors of a host: its feature, lanes, and how numbers are spread, multiplied and added, and looked at.
#[allow(unused_macros)]
macro_rules! vectors {
    ($name:ident, $features:literal, $lanes:literal, $chains:literal, $spread:expr, $fma:expr, $first:expr) => {
        Vectors {
            host: stringify!($name),
            lanes: $lanes,
            chains: $chains,
            run: {
                #[target_feature(enable = $features)]
                fn run(rounds: u64) -> f32 {
                    let (m, c) = ($spread(std::hint::black_box(0.5)), $spread(std::hint::black_box(1.0)));
                    let mut chains: [_; $chains] = std::array::from_fn(|chain| $spread(chain as f32));
                    for _ in 0..rounds {
                        for chain in &mut chains {
                            *chain = $fma(*chain, m, c);
                        }
                    }
                    chains.into_iter().map(|chain| $first(chain)).sum()
                }
                // SAFETY: this is made only where the host has the features.
                |rounds| unsafe { run(rounds) }
            },
        }
    };
}

/// Those that this host has, the widest first.
#[allow(unused_mut)]
pub fn all() -> Vec<Vectors> {
    let mut all = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::*;
        if std::is_x86_feature_detected!("avx512f") {
            all.push(vectors!(avx512, "avx512f", 16, 16, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_cvtss_f32));
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            all.push(vectors!(avx2, "avx2,fma", 8, 12, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_cvtss_f32));
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        use std::arch::aarch64::*;
        if std::arch::is_aarch64_feature_detected!("neon") {
            all.push(vectors!(neon, "neon", 4, 16, vdupq_n_f32, |a, m, c| vfmaq_f32(c, a, m), vgetq_lane_f32::<0>));
        }
    }
    if all.is_empty() {
        all.push(Vectors { host: "none", lanes: 1, chains: CHAINS, run: plain });
    }
    all
}

/// A host without fused multiply-adds multiplies, then adds.
pub fn plain(rounds: u64) -> f32 {
    let (m, c) = (std::hint::black_box(0.5), std::hint::black_box(1.0));
    let mut chains: [f32; CHAINS] = std::array::from_fn(|chain| chain as f32);
    for _ in 0..rounds {
        chains.iter_mut().for_each(|chain| *chain = *chain * m + c);
    }
    chains.into_iter().sum()
}

/// Fused multiply-adds a second of so many threads.
fn fmas(vectors: &Vectors, threads: usize) -> f64 {
    let took = |rounds| {
        let start = Instant::now();
        std::hint::black_box((vectors.run)(rounds));
        start.elapsed()
    };
    let mut rounds = 1 << 10;
    while took(rounds) < TRY {
        rounds *= 2;
    }
    let work = rounds as f64 * (vectors.chains as u64 * vectors.lanes) as f64 * threads as f64;
    best(work, || {
        at_once((0..threads).collect(), |_| {
            std::hint::black_box((vectors.run)(rounds));
        })
    })
}

/// Bytes read and written a second by so many threads, each of which copies a part of a stream.
fn copies(threads: usize, bytes: usize) -> f64 {
    let (from, mut to) = (vec![0x5au8; bytes], vec![0xa5u8; bytes]);
    let part = bytes.div_ceil(threads).max(1);
    best(2.0 * bytes as f64, || {
        at_once(from.chunks(part).zip(to.chunks_mut(part)).collect(), |(from, to)| to.copy_from_slice(from))
    })
}

/// Work a second of the try that took the shortest.
fn best(work: f64, mut attempt: impl FnMut() -> Duration) -> f64 {
    let took = (0..TRIES).map(|_| attempt()).min().unwrap_or_default();
    work / took.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Does it for each part on a thread of its own, all at once: from when the first begins until the last is done.
pub fn at_once<T: Send>(parts: Vec<T>, work: impl Fn(T) + Sync) -> Duration {
    let ready = Barrier::new(parts.len());
    let each = |part| {
        ready.wait();
        let start = Instant::now();
        work(part);
        (start, Instant::now())
    };
    let spans: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
        let each = &each;
        let threads: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || each(part))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let first = spans.iter().map(|(start, _)| *start).min();
    let last = spans.iter().map(|(_, end)| *end).max();
    first.zip(last).map_or(Duration::ZERO, |(first, last)| last - first)
}
