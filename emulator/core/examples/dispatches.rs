//! What a dispatch costs besides its instructions, by host threads: `cargo run --release -p wavepipe-core --example dispatches`.
//! Prints the median time from the doorbell of an empty dispatch to its fence, with the GPU's threads still looking for work and
//! after they fell asleep, and the small dispatches a second that one queue and four queues get through.

#[path = "../tests/bench/mod.rs"]
mod bench;

use bench::{Bench, END, PATIENCE, launch};
use std::time::{Duration, Instant};
use wavepipe_core::Config;

const SMALL: u64 = 100_000;
/// Dispatches between two fences.
const BATCH: u64 = 32;

fn main() {
    println!("threads  back to back  after a pause  one queue   four queues");
    for threads in [1, 2, 4] {
        let b = Bench::with(Config { threads, timeout: PATIENCE, ..Config::default() });
        let empty = launch(b.code(END), 0, 0, 1);
        let mut queues: Vec<_> = (0..4).map(|pipe| b.queue(pipe, 0)).collect();
        let mut median = |pause: Duration, runs: usize| {
            let mut times: Vec<Duration> = (0..runs)
                .map(|_| {
                    std::thread::sleep(pause);
                    let begin = Instant::now();
                    b.run(&mut queues[0], &empty);
                    begin.elapsed()
                })
                .collect();
            times.sort();
            times[runs / 2]
        };
        let (near, far) = (median(Duration::ZERO, 2000), median(Duration::from_millis(2), 300));
        let batch: Vec<_> = (0..BATCH).flat_map(|_| empty.clone()).collect();
        let mut rate = |n: usize| {
            let begin = Instant::now();
            for _ in 0..SMALL / BATCH / n as u64 {
                queues[..n].iter_mut().for_each(|q| b.submit_fenced(q, &batch));
                queues[..n].iter().for_each(|q| b.wait(q));
            }
            SMALL as f64 / begin.elapsed().as_secs_f64()
        };
        let (one, four) = (rate(1), rate(4));
        println!("{threads:7} {near:13.1?} {far:14.1?} {:8.0} k/s {:10.0} k/s", one / 1e3, four / 1e3);
    }
}
