//! The order of a seed: the same every time, every order of a small program sooner or later, and nothing that stands still.

use crate::common::*;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use wavepipe_core::Config;
use wavepipe_core::policy::Policy;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pm4::{Packet, WaitFunc};
use wavepipe_hw::port::{GlobalPriority, QueueDesc};
use wavepipe_timing::Options;
use wavepipe_timing::lab::{Kernel, packets};
use wavepipe_timing::observe::{Event, Recorder, WaveSlot};
use wavepipe_timing::tested::{random, stays};

/// Who went: a wave by its place, or a queue's packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    Wave(WaveSlot),
    Packet(usize),
}

type Steps = Arc<Mutex<Vec<Step>>>;

struct Listener(Steps);

impl Recorder for Listener {
    fn instructions(&self) -> bool {
        true
    }

    fn event(&mut self, _: u64, event: &Event<'_>) {
        match event {
            Event::Issued { at, first: true, .. } => self.0.lock().push(Step::Wave(*at)),
            Event::Packet { queue, .. } => self.0.lock().push(Step::Packet(*queue)),
            _ => {}
        }
    }
}

fn seeded(seed: u64, config: Config) -> (Bench, Steps) {
    let steps = Steps::default();
    let options = Options { seed: Some(seed), ..Options::default() };
    (Bench::made(config, options, Some(Box::new(Listener(steps.clone())))), steps)
}

fn kernel(bench: &Bench, text: &str, wave: WaveSize, workgroup: u32, groups: u32, data: u64) -> Kernel {
    let code = bench.code(text, wave);
    let user_data = vec![data as u32, (data >> 32) as u32];
    Kernel { code, wave, vgprs: 24, lds_bytes: 1024, user_data, workgroup, groups, wgp_mode: true }
}

/// The order in which two waves execute three instructions each, as 0 and 1 by their places.
fn order_of_two(seed: u64, workgroup: u32, groups: u32) -> Vec<usize> {
    let (bench, steps) = seeded(seed, Config::default());
    let mut queue = bench.queue(QueueDesc::default());
    let k = kernel(&bench, "s_nop 0\ns_nop 0\ns_endpgm", WaveSize::W32, workgroup, groups, 0);
    bench.submit(&mut queue, &packets(&k));
    bench.wait(&queue);
    let steps = std::mem::take(&mut *steps.lock());
    let waves: Vec<Step> = steps.into_iter().filter(|s| matches!(s, Step::Wave(_))).collect();
    let two: Vec<Step> = BTreeSet::from_iter(waves.iter().copied()).into_iter().collect();
    assert_eq!((waves.len(), two.len()), (6, 2));
    waves.iter().map(|w| usize::from(*w == two[1])).collect()
}

/// Six instructions of two waves have twenty orders.
#[test]
fn every_order_of_two_waves_comes() {
    for (workgroup, groups) in [(64, 1), (32, 2)] {
        let all: BTreeSet<Vec<usize>> = (0..1000).map(|seed| order_of_two(seed, workgroup, groups)).collect();
        assert_eq!(all.len(), 20, "{groups} work-groups: {all:?}");
    }
}

/// Two packets of each of two queues, of which the second ends in a fence: six orders.
#[test]
fn every_order_of_two_queues_comes() {
    let order = |seed| {
        let (bench, steps) = seeded(seed, Config::default());
        let mut queues = [0, 1].map(|pipe| bench.queue(QueueDesc { pipe, ..QueueDesc::default() }));
        queues.iter_mut().for_each(|q| bench.submit(q, &[Packet::Nop { body: vec![] }]));
        queues.iter().for_each(|q| bench.wait(q));
        let steps = steps.lock();
        let order: Vec<bool> = steps.iter().map(|s| *s == Step::Packet(queues[1].number)).collect();
        assert_eq!(order.iter().filter(|second| **second).count(), 2, "{steps:?}");
        order
    };
    let all: BTreeSet<Vec<bool>> = (0..200).map(order).collect();
    assert_eq!(all.len(), 6, "{all:?}");
}

/// Waves that meet at barriers, exchange through LDS, loop, and go by halves.
const WORK: &str = "
    v_lshlrev_b32 v1, 2, v0
    s_lshl_b32 s9, s2, 8
    v_add_nc_u32 v2, s9, v0
    s_mov_b32 s10, 0
    again:
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v3, 255, v0
    v_lshlrev_b32 v3, 2, v3
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_mad_u32_u24 v2, v4, 3, v2
    s_add_u32 s10, s10, 1
    s_cmp_lt_u32 s10, 4
    s_cbranch_scc1 again
    v_add_nc_u32 v5, s9, v0
    v_lshlrev_b32 v5, 2, v5
    global_store_dword v5, v2, s[0:1]
    s_endpgm";

#[test]
fn a_seed_is_one_order_on_any_host_and_results_are_those_of_none() {
    const GROUPS: u32 = 30;
    let run = |wave, seed: Option<u64>, threads| {
        let config = Config { threads, ..Config::default() };
        let (bench, steps) = match seed {
            Some(seed) => seeded(seed, config),
            None => (Bench::with(config), Steps::default()),
        };
        let mut queues = [0, 1].map(|pipe| bench.queue(QueueDesc { pipe, ..QueueDesc::default() }));
        let out = [0, 1].map(|_| bench.memory(4 * 256 * u64::from(GROUPS)));
        for (queue, out) in queues.iter_mut().zip(out) {
            bench.submit(queue, &packets(&kernel(&bench, WORK, wave, 256, GROUPS, out)));
        }
        queues.iter().for_each(|q| bench.wait(q));
        let words = |va: u64| (0..256 * u64::from(GROUPS)).map(|i| bench.read32(va + 4 * i)).collect::<Vec<_>>();
        let steps = std::mem::take(&mut *steps.lock());
        (out.map(words), steps)
    };
    for wave in [WaveSize::W32, WaveSize::W64] {
        let (plain, _) = run(wave, None, 1);
        let mut orders = BTreeSet::new();
        for seed in 0..12 {
            let (result, steps) = run(wave, Some(seed), 1);
            assert!(result == plain, "{wave:?}, seed {seed}");
            for threads in [2, 4] {
                assert!(run(wave, Some(seed), threads) == (plain.clone(), steps.clone()), "{wave:?}, seed {seed}");
            }
            orders.insert(steps);
        }
        assert_eq!(orders.len(), 12, "{wave:?}: two seeds with one order");
    }
}

/// Who spins on another work-group, or queue, whatever their ranks and policies, gets what it waits for; so does a queue that waits for memory.
#[test]
fn nobody_who_spins_keeps_out_whom_he_waits_for() {
    const SPIN: &str = "
        again:
        s_load_dword s4, s[0:1], 0 glc
        s_waitcnt lgkmcnt(0)
        s_cmp_eq_u32 s4, 1
        s_cbranch_scc0 again
        s_endpgm";
    const SET: &str = "v_mov_b32 v1, 0\nv_mov_b32 v2, 1\nglobal_store_dword v1, v2, s[0:1]\ns_endpgm";
    let small = "name = 't'\nproduct = 'T'\nbase = 'rx5500xt'\n";
    for policy in [Policy::Share, Policy::Limit, Policy::Tunnel] {
        for seed in 0..6 {
            let machine = Arc::new(Machine::parse(small).unwrap());
            let (bench, _) = seeded(seed, Config { policy: Some(policy), machine, ..Config::default() });
            let mut high = bench.queue(QueueDesc { pipe: 1, global: GlobalPriority::High, ..QueueDesc::default() });
            let mut low = bench.queue(QueueDesc { pipe: 0, ..QueueDesc::default() });
            let mut waits = bench.queue(QueueDesc { pipe: 2, ..QueueDesc::default() });
            let flag = bench.memory(64);
            bench.submit(&mut high, &packets(&kernel(&bench, SPIN, WaveSize::W32, 32, 40, flag)));
            let func = WaitFunc::Equal;
            let wait = Packet::WaitRegMem { address: flag, reference: 1, mask: !0, func, wide: false };
            bench.submit(&mut waits, &[wait]);
            bench.submit(&mut low, &packets(&kernel(&bench, SET, WaveSize::W32, 32, 1, flag)));
            [&high, &low, &waits].into_iter().for_each(|q| bench.wait(q));
        }
    }
}

/// The first numbers of the published generator from 1234567.
#[test]
fn the_generator_is_the_published_one() {
    let mut random = random(1_234_567);
    let want = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
    assert_eq!([random(), random(), random()], want);
}

#[test]
fn seeds_differ_in_how_long_somebody_stays() {
    let stays: BTreeSet<_> = (0..200).map(stays).collect();
    assert!(stays.len() > 60, "{} of {}", stays.len(), 5 * 4 * 4);
}
