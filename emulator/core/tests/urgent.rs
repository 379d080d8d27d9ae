//! A dispatch that is urgent, beside a heavy one, by the host's clock. In a program of its own, so that no other test is
//! beside it.

mod bench;

use bench::*;
use std::time::{Duration, Instant};
use wavepipe_core::{Config, Policy};
use wavepipe_hw::port::*;

/// Least time of a few runs.
fn least(mut run: impl FnMut()) -> Duration {
    let timed = |_| {
        let begin = Instant::now();
        run();
        begin.elapsed()
    };
    (0..5).map(timed).min().unwrap()
}

/// The machine is full of heavy work of a queue that weighs sixteen times as much.
#[test]
fn a_realtime_dispatch_takes_the_time_that_it_takes_alone() {
    for threads in [1, 2] {
        for policy in [None, Some(Policy::Share)] {
            let b = Bench::with(Config { threads, policy, timeout: PATIENCE, ..Config::default() });
            let m = b.memory(64, "counts");
            let burn = b.code(BURN);
            let mut heavy = b.queue_of(pipe::FRONT_END, 0, 1024, 15);
            let mut urgent = b.queue_as(QueueDesc {
                pipe: pipe::FIRST_ACE,
                ring_dwords: 1024,
                global: GlobalPriority::Realtime,
                ..QueueDesc::default()
            });
            let job = launch(burn, m, 100_000, 8);
            let alone = least(|| b.run(&mut urgent, &job));
            let before = b.gpu.statistics().workgroups;
            b.submit_fenced(&mut heavy, &launch(burn, m + 4, 1_000_000, 10_000));
            while b.gpu.statistics().workgroups < before + 10 {
                std::thread::yield_now();
            }
            let beside = least(|| b.run(&mut urgent, &job));
            println!("{threads} threads, {policy:?}: {alone:?} alone, {beside:?} beside a heavy dispatch");
            assert!(!b.reached(&heavy, Duration::ZERO), "the heavy dispatch ended too early to say anything");
            match policy {
                // A thread comes out of its block at once; the bound is for loaded machines.
                None => assert!(beside < 2 * alone + Duration::from_millis(20), "{beside:?}, alone {alone:?}"),
                _ => assert!(beside > 3 * alone, "{beside:?}, alone {alone:?}"),
            }
        }
    }
}
