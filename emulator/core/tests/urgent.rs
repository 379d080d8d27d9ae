//! A dispatch that is urgent, beside a heavy one: how much of the heavy one runs meanwhile, in instructions, so that the host's
//! speed and its other work do not matter. In a program of its own, so that no other test is beside it.

use crate::bench::*;
use wavepipe_core::{Config, Policy};
use wavepipe_hw::pipe;
use wavepipe_hw::port::*;

/// Instructions of an urgent dispatch, and of a heavy one of a queue that weighs sixteen times as much while it lasts: the
/// fewest of some runs, of more while `wanted` does not hold. What the heavy one does between the urgent one's end and the
/// next look at the counters counts too, so a host that is slow to wake this thread adds to it.
fn urgent_and_heavy(threads: usize, policy: Option<Policy>, wanted: impl Fn(u64, u64) -> bool) -> (u64, u64) {
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
    let job = launch(burn, m, 300_000, 8);
    let mut during = || {
        let before = b.gpu.statistics().wave_instructions;
        b.run(&mut urgent, &job);
        b.gpu.statistics().wave_instructions - before
    };
    let own = during();
    assert_eq!(during(), own, "the same instructions each time");
    let before = b.gpu.statistics().workgroups;
    b.submit_fenced(&mut heavy, &launch(burn, m + 4, 1_000_000, 100_000));
    while b.gpu.statistics().workgroups < before + 10 {
        std::thread::yield_now();
    }
    let mut others = u64::MAX;
    for round in 0..60 {
        if round >= 3 && wanted(own, others) {
            break;
        }
        others = others.min(during().saturating_sub(own));
    }
    assert!(!b.reached(&heavy, std::time::Duration::ZERO), "the heavy dispatch ended too early to say anything");
    println!("{threads} threads, {policy:?}: {own} instructions of its own, {others} of others meanwhile");
    (own, others)
}

/// Alone it would take the time of its own instructions; sharing by weight, others run many times as many.
#[test]
fn a_realtime_dispatch_takes_the_time_that_it_takes_alone() {
    for threads in [1, 2] {
        let near = |own: u64, others: u64| others < own / 2;
        let (own, others) = urgent_and_heavy(threads, None, near);
        assert!(near(own, others), "{others} instructions of others, {own} of its own");
        let (own, others) = urgent_and_heavy(threads, Some(Policy::Share), |_, _| true);
        assert!(others > 2 * own, "{others} instructions of others, {own} of its own");
    }
}
