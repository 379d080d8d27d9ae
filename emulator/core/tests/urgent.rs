//! A dispatch that is urgent, beside a heavy one, by the host's clock. In a program of its own, so that no other test is
//! beside it.

mod bench;

use bench::*;
use std::time::{Duration, Instant};
use wavepipe_core::{Config, Policy};
use wavepipe_hw::port::*;

/// A dispatch's time alone, and while the machine is full of heavy work of a queue that weighs sixteen times as much: the
/// least of a few runs, of more while `wanted` does not hold.
fn alone_and_beside(
    threads: usize,
    policy: Option<Policy>,
    wanted: impl Fn(Duration, Duration) -> bool,
) -> (Duration, Duration) {
    let b = Bench::with(Config { threads, policy, timeout: 10 * PATIENCE, ..Config::default() });
    let m = b.memory(64, "counts");
    let burn = b.code(BURN);
    let mut heavy = b.queue_of(pipe::FRONT_END, 0, 1024, 15);
    let urgent = QueueDesc {
        pipe: pipe::FIRST_ACE,
        ring_dwords: 1024,
        global: GlobalPriority::Realtime,
        ..QueueDesc::default()
    };
    let mut urgent = b.queue_as(urgent);
    let job = launch(burn, m, 100_000, 8);
    let mut least = || {
        let begin = Instant::now();
        b.run(&mut urgent, &job);
        begin.elapsed()
    };
    let alone = (0..5).map(|_| least()).min().unwrap();
    let before = b.gpu.statistics().workgroups;
    b.submit_fenced(&mut heavy, &launch(burn, m + 4, 1_000_000, 100_000));
    while b.gpu.statistics().workgroups < before + 10 {
        std::thread::yield_now();
    }
    let mut beside = Duration::MAX;
    for round in 0..60 {
        if round >= 3 && wanted(alone, beside) {
            break;
        }
        beside = beside.min(least());
    }
    assert!(!b.reached(&heavy, Duration::ZERO), "the heavy dispatch ended too early to say anything");
    println!("{threads} threads, {policy:?}: {alone:?} alone, {beside:?} beside a heavy dispatch");
    (alone, beside)
}

/// A busy host only adds to the times, so the least of them count; without tunneling the bound is never met.
#[test]
fn a_realtime_dispatch_takes_the_time_that_it_takes_alone() {
    for threads in [1, 2] {
        let near = |alone, beside| beside < alone + Duration::from_millis(20);
        let (alone, beside) = alone_and_beside(threads, None, near);
        assert!(near(alone, beside), "{beside:?}, alone {alone:?}");
        let (alone, beside) = alone_and_beside(threads, Some(Policy::Share), |_, _| true);
        assert!(beside > 3 * alone, "{beside:?}, alone {alone:?}");
    }
}
