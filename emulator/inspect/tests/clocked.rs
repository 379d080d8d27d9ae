//! In the order of the card's clock: what it computes, its cycles both ways, and schedules that cannot be.

use crate::common::{Bench, following, inspected, mixed, mixed_dwords};
use std::sync::Arc;
use wavepipe_core::{Config, Gpu};
use wavepipe_inspect::{Access, Cached, Issue, Reason, Schedule, Turn, Unit};
use wavepipe_timing::engine::{Engine, Options};
use wavepipe_timing::lab::packets;
use wavepipe_timing::trace::Issues;

/// The clock's order of so many work-groups, and the words that they leave there.
fn clocked(groups: u32) -> (Vec<Issue>, Vec<u32>) {
    let (config, issues) = (Config::default(), Issues::default());
    let engine = Engine::with(config.machine.clone(), Options::default(), Some(issues.recorder()));
    let mut bench = Bench::on(Arc::new(Gpu::with_timekeeper(config, Box::new(engine))));
    let (kernel, out, _) = mixed(&bench, groups);
    bench.submit(&packets(&kernel));
    bench.wait();
    let [dispatch] = &issues.take()[..] else { panic!("one was dispatched") };
    assert!(!dispatch.cut);
    let issue = |i: &wavepipe_timing::trace::Issue| Issue {
        turn: Turn { group: i.group, wave: i.wave },
        simd: i.at.simd,
        slot: i.at.slot,
        cycle: i.cycle - dispatch.launched,
        offset: i.pc - dispatch.code_va,
        waited: i.stalled,
        reason: i.reason.name(),
        access: i.access.map(|(met, done)| Access {
            done: done - dispatch.launched,
            caches: vec![Cached { cache: "L2", hits: met.hits[2].into(), misses: met.misses[2].into() }],
        }),
    };
    (dispatch.all.iter().map(issue).collect(), bench.words(out, mixed_dwords(groups)))
}

#[test]
fn the_clocks_order_is_followed_to_the_end() {
    let groups = 5;
    let (issues, words) = clocked(groups);
    // Waves of one SIMD alternate, which they never do otherwise.
    let changes = issues.windows(2).filter(|pair| pair[0].turn != pair[1].turn).count();
    assert!(changes > issues.len() / 2, "{changes} of {}", issues.len());
    let mut i = following(groups, vec![Schedule::new(issues.clone())]);
    for (n, issue) in issues.iter().enumerate() {
        assert_eq!((i.session.turn(), i.session.cycle()), (Some(issue.turn), issue.cycle), "{n}");
        assert!(i.session.schedule().is_some(), "{n}");
        i.session.step(Unit::Instruction);
    }
    assert!(i.session.turn().is_none() && i.session.schedule().is_none());
    // The atomics' results are of this order and no other.
    assert_eq!(i.bench.words(i.out, mixed_dwords(groups)), words);
    let mut own = inspected(groups);
    own.session.run();
    assert_ne!(own.bench.words(own.out, mixed_dwords(groups)), words);
}

#[test]
fn cycles_are_stepped_both_ways() {
    let (issues, _) = clocked(2);
    let mut wanted: Vec<u64> = issues.iter().map(|issue| issue.cycle).collect();
    wanted.dedup();
    let mut i = following(2, vec![Schedule::new(issues)]);
    let (mut seen, mut states) = (vec![i.session.cycle()], vec![i.see()]);
    while let Reason::Stepped = i.session.step(Unit::Cycle).reason {
        seen.push(i.session.cycle());
        states.push(i.see());
    }
    assert_eq!(seen, wanted);
    let mut back = Vec::new();
    loop {
        let stop = i.session.back(Unit::Cycle);
        back.push(i.session.cycle());
        if seen.len() - back.len() < 40 || back.len() % 16 == 0 {
            assert_eq!(i.see(), states[seen.len() - back.len()]);
        }
        if let Reason::Begin = stop.reason {
            break;
        }
    }
    back.reverse();
    assert_eq!(back, seen);
    // Without a schedule a cycle is an instruction's.
    let mut i = inspected(1);
    let stop = i.session.step(Unit::Cycle);
    assert_eq!((i.session.cycle(), stop.position.executed), (1, 1));
}

/// Wherever the schedule says what cannot be, the rest goes by itself; and comes out whole.
#[test]
fn a_schedule_that_cannot_be_is_left() {
    let (issues, _) = clocked(3);
    let sums = |words: &[u32]| (words[0], words[4..].chunks(2).map(|pair| pair[1]).collect::<Vec<_>>());
    let mut own = inspected(3);
    own.session.run();
    let wanted = sums(&own.bench.words(own.out, mixed_dwords(3)));
    let spoiled = |n: usize, spoil: &dyn Fn(&mut Issue)| {
        let mut issues = issues.clone();
        spoil(&mut issues[n]);
        issues
    };
    let barrier = 5 * 4;
    let cases = [
        spoiled(100, &|issue| issue.offset += 4),
        spoiled(100, &|issue| issue.turn.wave = 9),
        spoiled(100, &|issue| issue.turn.group = 77),
        spoiled(0, &|issue| issue.offset = 0x1000),
        issues[..barrier].to_vec(),
        Vec::new(),
    ];
    for (n, issues) in cases.into_iter().enumerate() {
        let left = [100, 100, 100, 0, barrier as u64, 0][n];
        let mut i = following(3, vec![Schedule::new(issues)]);
        i.session.goto(left);
        assert!(i.session.schedule().is_none(), "{n}");
        if left > 0 {
            i.session.back(Unit::Instruction);
            assert!(i.session.schedule().is_some(), "{n}");
        }
        let cycle = i.session.cycle();
        assert!(matches!(i.session.run().reason, Reason::Ended));
        assert!(i.session.cycle() > cycle, "{n}");
        assert_eq!(sums(&i.bench.words(i.out, mixed_dwords(3))), wanted, "{n}");
    }
}

#[test]
fn queues_are_there_to_be_read() {
    let i = inspected(1);
    let [queue] = i.session.queues()[..] else { panic!() };
    assert!(queue.runs && !queue.stopped && queue.read > 0 && queue.read < queue.written, "{queue:?}");
}
