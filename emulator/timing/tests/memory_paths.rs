//! The ways of single accesses, by the sums that the machine's figures make.

use wavepipe_hw::machine::Machine;
use wavepipe_hw::pm4::gcr;
use wavepipe_isa::cache::{Cache, Scope};
use wavepipe_timing::memory::{DmaEnd, Hierarchy, Invalidate, Kind, Reply, ScalarAccess, Texture, VectorAccess};

const LOAD: VectorAccess<'static> =
    VectorAccess { at: &[0; 32], mask: u32::MAX, bytes: 4, kind: Kind::Load, cache: Cache::DEFAULT, texture: None };
const STORE: VectorAccess<'static> = VectorAccess { kind: Kind::Store, ..LOAD };

/// A hierarchy whose first compute units know the page of low addresses; all else is cold. `ready` is a time after that.
fn known_page() -> (Machine, Hierarchy, u64) {
    let machine = Machine::default();
    let mut hierarchy = Hierarchy::new(&machine);
    let mut ready = 0;
    for cu in 0..40 {
        let far = [1 << 20; 32];
        ready = hierarchy.vector(ready, cu, &VectorAccess { at: &far, ..LOAD }).done;
    }
    (machine, hierarchy, ready)
}

fn run(hierarchy: &mut Hierarchy, now: u64, cu: usize, access: VectorAccess, at: impl Fn(u64) -> u64) -> Reply {
    let at = std::array::from_fn(|lane| at(lane as u64));
    hierarchy.vector(now, cu, &VectorAccess { at: &at, ..access })
}

#[test]
fn a_load_takes_the_sum_of_its_way() {
    let (m, mut h, t) = known_page();
    let l0 = m.vector.address.value + m.l0.hit.value + m.vector.data.value;
    let cache = m.l1.as_ref().unwrap();
    let l1 = l0 + m.l0.miss.value + cache.hit.value;
    let l2 = l1 + cache.miss.value + m.l2.hit.value;
    let memory = l2 + m.l2.miss.value + m.cycles(m.memory.latency_ns.value);
    let latency = |h: &mut Hierarchy, now, cu| run(h, now, cu, LOAD, |lane| 4 * lane).done - now;
    let cold = latency(&mut h, t, 0);
    // The first burst begins with the channel's next slot, which may wait for a refresh.
    let most = memory + 3 + m.cycles(m.memory.refresh_ns.value);
    assert!((memory..=most).contains(&cold), "{cold}, by hand {memory}");
    assert_eq!(latency(&mut h, t + 1000, 0), l0);
    assert_eq!(latency(&mut h, t + 2000, 1), l1, "of the same array");
    assert_eq!(latency(&mut h, t + 3000, 39), l2, "of another array");
    let uncached = VectorAccess { cache: Cache::of_scope(Scope::Device), ..LOAD };
    assert_eq!(run(&mut h, t + 4000, 0, uncached, |lane| 4 * lane).done - t - 4000, l2);
    assert_eq!(latency(&mut h, t + 5000, 0), l2, "the device's scope made L0 and L1 forget it");
}

/// What it is, the access, its lanes' addresses, and for how many cycles the pass keeps the path of its compute unit.
type Pass<'a> = (&'a str, VectorAccess<'a>, &'a dyn Fn(u64) -> u64, u64);

#[test]
fn lines_lanes_and_buses_take_their_cycles() {
    let wide = |bytes| VectorAccess { bytes, ..LOAD };
    let cases: [Pass; 14] = [
        ("consecutive dwords: one line", LOAD, &|lane| 4 * lane, 1),
        ("one dword for all", LOAD, &|_| 64, 1),
        // perftest's typed loads begin anywhere, and are as fast as the bus: RX 5700 XT, 22 lanes a cycle and its loop's limit.
        ("consecutive dwords, not aligned: two lines, one piece", LOAD, &|lane| 4 * lane + 4, 1),
        ("four dwords each, not aligned", wide(16), &|lane| 16 * lane + 4, 4),
        ("two pieces of half a line", LOAD, &|lane| 4 * lane + 256 * (lane / 16), 2),
        ("every other dword: two lines", LOAD, &|lane| 8 * lane, 2),
        ("a line each", LOAD, &|lane| 128 * lane, 32),
        ("backwards", LOAD, &|lane| 124 - 4 * lane, 1),
        ("two dwords each: 256 bytes", wide(8), &|lane| 8 * lane, 2),
        ("four dwords each: 512 bytes", wide(16), &|lane| 16 * lane, 4),
        ("the same four for all: 512 bytes to the registers", wide(16), &|_| 0, 4),
        ("stored dwords: 16 addresses a cycle", STORE, &|lane| 4 * lane, 2),
        ("stored four dwords each: 64 bytes a cycle", VectorAccess { bytes: 16, ..STORE }, &|lane| 16 * lane, 8),
        ("eight lanes stored", VectorAccess { mask: 0xff, ..STORE }, &|lane| 4 * lane, 1),
    ];
    for (what, access, at, cycles) in cases {
        let (_, mut h, t) = known_page();
        assert_eq!(run(&mut h, t, 0, access, at).taken - t, cycles, "{what}");
    }
}

#[test]
fn data_returns_in_order() {
    let (_, mut h, t) = known_page();
    run(&mut h, t, 0, LOAD, |lane| 4 * lane);
    let miss = run(&mut h, t + 1000, 0, LOAD, |lane| 4096 + 4 * lane);
    let hit = run(&mut h, t + 1001, 0, LOAD, |lane| 4 * lane);
    assert_eq!(hit.met.hits, [1, 0, 0]);
    assert_eq!(hit.done, miss.done + 1, "a hit behind a miss");
    let other = run(&mut h, t + 1001, 1, LOAD, |lane| 4 * lane);
    assert!(other.done < miss.done, "another unit does not wait");
}

#[test]
fn misses_of_one_line_are_fetched_once() {
    let (_, mut h, t) = known_page();
    let before = h.tally().memory_read;
    let first = run(&mut h, t, 0, LOAD, |lane| 4 * lane);
    for (cu, same_array) in [(0, true), (1, true), (12, false)] {
        let again = run(&mut h, t + 5, cu, LOAD, |lane| 4 * lane);
        assert_eq!(again.met.hits, [0, 0, 0], "unit {cu}: what is under way is no hit");
        assert!(again.done >= first.done && again.done < first.done + 120, "unit {cu}: {again:?}");
        assert_eq!(again.met.misses[2] == 0, same_array, "unit {cu}");
    }
    assert_eq!(h.tally().memory_read - before, 128);
}

/// The whitepaper: eight addresses a cycle with four neighbours each; image loads that do not filter are as buffer loads.
#[test]
fn filtering_is_a_quarter_and_takes_longer() {
    let (m, mut h, t) = known_page();
    let texel = |lane: u64, x: u64, y: u64| 512 * y + 4 * (lane + x);
    let corner = |x, y| std::array::from_fn(|lane| texel(lane as u64, x, y));
    let more = [corner(1, 0), corner(0, 1), corner(1, 1)];
    let load = VectorAccess { texture: Some(Texture { filtered: false, neighbours: &[] }), ..LOAD };
    let sample = VectorAccess { texture: Some(Texture { filtered: true, neighbours: &more }), ..LOAD };
    run(&mut h, t, 0, sample, |lane| texel(lane, 0, 0));
    let plain = run(&mut h, t + 2000, 0, load, |lane| texel(lane, 0, 0));
    let filtered = run(&mut h, t + 3000, 0, sample, |lane| texel(lane, 0, 0));
    assert_eq!(plain.taken - t - 2000, 1);
    assert_eq!(filtered.taken - t - 3000, 4);
    // Two rows of 33 texels: two lines each.
    assert_eq!((filtered.met.lines, filtered.met.hits[0]), (4, 4));
    let (plain, filtered) = ((plain.done - t - 2000) as f64, (filtered.done - t - 3000) as f64);
    // Three more lines are looked up, a cycle each.
    assert!((1.0 - plain / (filtered - 3.0) - 0.35).abs() < 0.005, "{plain} of {filtered}");
    assert_eq!(m.vector.filter_lanes.value, 8);
}

#[test]
fn atomics_on_one_dword_take_turns() {
    let (_, mut h, t) = known_page();
    let add = VectorAccess { kind: Kind::Atomic { returns: true }, ..LOAD };
    run(&mut h, t, 0, add, |lane| 4 * lane);
    let apart = run(&mut h, t + 2000, 0, add, |lane| 4 * lane);
    let same = run(&mut h, t + 4000, 0, add, |_| 64);
    // A slice executes 16 dwords a cycle, one of them each.
    assert_eq!((apart.met.conflicts, same.met.conflicts), (0, 30));
    assert_eq!(same.done - t - 4000, apart.done - t - 2000 + 30);
    // From everywhere at once: one a cycle.
    let mut done = 0;
    let start = t + 6000;
    for step in 0..10 {
        for cu in 0..40 {
            done = done.max(run(&mut h, start + step, cu, add, |_| 64).done);
        }
    }
    let cycles = done - start;
    assert!((12800..12800 + 400).contains(&cycles), "{cycles}");
}

#[test]
fn a_write_is_seen_by_whom_it_must() {
    let (_, mut h, t) = known_page();
    let mut now = t;
    let mut step = |h: &mut Hierarchy, cu, access| {
        now += 2000;
        let reply = run(h, now, cu, access, |lane| 4 * lane);
        reply.met
    };
    for cu in [0, 1, 39] {
        step(&mut h, cu, LOAD);
    }
    let written = step(&mut h, 0, STORE);
    assert_eq!((written.hits, written.bytes), ([0, 0, 1], [128, 128, 128, 0]), "through to L2");
    assert_eq!(step(&mut h, 0, LOAD).hits, [1, 0, 0], "the writer's L0 has it");
    assert_eq!(step(&mut h, 1, LOAD).hits, [1, 0, 0], "another L0 has what it had: software has to invalidate");
    h.invalidate(t + 9000, 1, Invalidate::L0);
    let again = step(&mut h, 1, LOAD);
    assert_eq!((again.misses, again.hits), ([1, 1, 0], [0, 0, 1]), "L1 forgot it");
    assert_eq!(step(&mut h, 39, LOAD).hits, [1, 0, 0]);
    h.invalidate(t + 9000, 39, Invalidate::L0);
    assert_eq!(step(&mut h, 39, LOAD).hits, [0, 1, 0], "the other array's L1 has what it had");
    assert_eq!(step(&mut h, 0, VectorAccess { cache: Cache::of_scope(Scope::Device), ..STORE }).hits, [0, 0, 1]);
    assert_eq!(step(&mut h, 0, LOAD).misses, [1, 1, 0], "the device's scope made the writer's L0 forget it");
}

#[test]
fn l2_writes_back_the_bursts_that_were_written() {
    let (m, mut h, t) = known_page();
    let before = h.tally();
    let few = VectorAccess { mask: 0x3, ..STORE };
    run(&mut h, t, 0, few, |lane| 4 * lane);
    run(&mut h, t, 0, STORE, |lane| 4096 + 4 * lane);
    assert_eq!(h.tally().memory_read, before.memory_read, "what is only written is not fetched");
    // 8 bytes of a line that L2 does not have whole: a load fetches it.
    let load = run(&mut h, t + 2000, 1, LOAD, |lane| 4 * lane);
    assert_eq!(load.met.misses, [1, 1, 1]);
    assert_eq!(run(&mut h, t + 2000, 1, LOAD, |lane| 4096 + 4 * lane).met.hits, [0, 0, 1], "a whole line");
    let done = h.acquire(t + 9000, gcr::GL2_WB);
    let after = h.tally();
    assert_eq!(after.write_backs - before.write_backs, 2);
    assert_eq!(after.memory_written - before.memory_written, m.memory.burst.value + 128);
    assert!(done > t + 9000);
    h.acquire(t + 19000, gcr::GL2_WB);
    assert_eq!(h.tally().write_backs, after.write_backs, "clean now");
}

#[test]
fn acquire_forgets_what_its_bits_say() {
    let all = [gcr::GLV_INV, gcr::GL1_INV, gcr::GL2_INV | gcr::GL2_WB, gcr::GLK_INV, gcr::GLI_INV_ALL];
    for bits in all {
        let (_, mut h, t) = known_page();
        let scalar = |h: &mut Hierarchy, now| h.scalar(now, 0, ScalarAccess { at: 256, ..SCALAR }).met.hits[0] == 1;
        run(&mut h, t, 0, LOAD, |lane| 4 * lane);
        scalar(&mut h, t);
        h.fetch(t, 0, 0, 4096);
        let now = h.acquire(t + 3000, bits) + 3000;
        assert_eq!(scalar(&mut h, now), bits != gcr::GLK_INV, "{bits:#x}");
        assert_eq!(h.fetch(now, 0, 0, 4096).met.hits[0] == 1, bits != gcr::GLI_INV_ALL, "{bits:#x}");
        let l0 = run(&mut h, now, 0, LOAD, |lane| 4 * lane).met.hits[0] == 1;
        assert_eq!(l0, bits != gcr::GLV_INV, "{bits:#x}");
        let l1 = run(&mut h, now, 0, VectorAccess { cache: Cache::of_scope(Scope::Array), ..LOAD }, |lane| 4 * lane)
            .met
            .hits[1]
            == 1;
        assert_eq!(l1, bits != gcr::GL1_INV, "{bits:#x}");
        let l2 = run(&mut h, now, 0, VectorAccess { cache: Cache::of_scope(Scope::Device), ..LOAD }, |lane| 4 * lane)
            .met
            .hits[2]
            == 1;
        // After GL1_INV the load before fetched it again.
        assert_eq!(l2, bits & gcr::GL2_INV == 0, "{bits:#x}");
    }
}

const SCALAR: ScalarAccess = ScalarAccess { simd: 0, at: 0, dwords: 1, kind: Kind::Load, cache: Cache::DEFAULT };

#[test]
fn scalar_data_returns_sixteen_bytes_a_cycle_to_each_simd() {
    let (m, mut h, t) = known_page();
    let load = |h: &mut Hierarchy, now, simd, at, dwords| h.scalar(now, 0, ScalarAccess { simd, at, dwords, ..SCALAR });
    let warm = load(&mut h, t, 0, 0, 16).done.max(load(&mut h, t, 0, 64, 16).done);
    let now = warm + 100;
    let hit = m.scalar_cache.hit.value;
    assert_eq!(load(&mut h, now, 0, 0, 1).done - now, hit);
    let now = now + 100;
    assert_eq!(load(&mut h, now, 0, 0, 16).done - now, hit + 3, "64 bytes take four cycles");
    assert_eq!(load(&mut h, now, 0, 64, 16).done - now, hit + 7, "the same port, another bank");
    let now = now + 100;
    assert_eq!(load(&mut h, now, 0, 0, 4).done - now, hit);
    assert_eq!(load(&mut h, now, 1, 64, 4).done - now, hit, "another port, another bank");
    assert_eq!(load(&mut h, now, 2, 0, 4).done - now, hit + 1, "another port, the first bank");
    let now = now + 100;
    let both = load(&mut h, now, 0, 32, 16);
    assert_eq!((both.met.lines, both.met.hits[0]), (2, 2), "half of either line");
}

#[test]
fn the_scalar_cache_writes_back_when_told() {
    let (_, mut h, t) = known_page();
    h.scalar(t, 0, ScalarAccess { kind: Kind::Store, dwords: 2, ..SCALAR });
    run(&mut h, t + 3000, 39, LOAD, |lane| 4 * lane);
    let done = h.invalidate(t + 6000, 0, Invalidate::ScalarWriteBack);
    assert!(done > t + 6000);
    let before = h.tally().memory_written;
    h.acquire(t + 9000, gcr::GL2_WB);
    assert_eq!(h.tally().memory_written - before, 64, "a line of 64 bytes came down to L2");
}

#[test]
fn instructions_come_thirty_two_bytes_a_cycle() {
    let (m, mut h, t) = known_page();
    h.fetch(t, 0, 0, 0);
    let now = t + 3000;
    // Any address of the line asks for the line.
    assert_eq!(h.fetch(now, 0, 0, 60).done - now, m.fetch.hit.value + 1, "64 bytes take two cycles");
    let cold = h.fetch(now, 1, 0, 0).done - now;
    let l1 = m.fetch.hit.value + 1 + m.fetch.miss.value + m.l1.as_ref().unwrap().hit.value;
    assert_eq!(cold, l1 + m.cycles(m.tlb.l2_hit_ns.value), "another cache of the array, through L1; its TLB is cold");
}

fn nanoseconds(machine: &Machine, cycles: u64) -> f64 {
    cycles as f64 / machine.clock.shader_mhz.value * 1000.0
}

/// Between the host and the card: the bytes at 31.5 GB/s, and the way.
#[test]
fn copies_over_the_link_take_what_it_takes() {
    let m = Machine::default();
    let (near, far) = (DmaEnd::Memory(0), DmaEnd::Memory(1 << 30));
    for bytes in [1000, 64 << 10, 1 << 20, 100 << 20] {
        let by_hand = bytes as f64 / m.pcie.gbytes_per_second.value + m.pcie.latency_ns.value;
        for (source, dest) in [(DmaEnd::Host, near), (near, DmaEnd::Host)] {
            let took = nanoseconds(&m, Hierarchy::new(&m).dma(0, source, dest, bytes));
            // And what the card's end takes for the last line.
            let end = 400.0;
            assert!((by_hand * 0.999..by_hand * 1.001 + end).contains(&took), "{bytes}: {took} ns, by hand {by_hand}");
        }
    }
    let mut h = Hierarchy::new(&m);
    let up = h.dma(0, DmaEnd::Host, near, 1 << 20);
    let down = h.dma(0, far, DmaEnd::Host, 1 << 20);
    assert!(up.abs_diff(down) < 1000, "both directions at once: {up}, {down}");
    let second = h.dma(0, DmaEnd::Host, DmaEnd::Memory(2 << 20), 1 << 20) as f64;
    assert!((second / (2 * up) as f64 - 1.0).abs() < 0.03, "one direction, one after the other: {second}, {up}");
}

#[test]
fn copies_within_the_card_take_a_line_a_cycle_or_what_memory_gives() {
    let m = Machine::default();
    let bytes = 4 << 20;
    let mut h = Hierarchy::new(&m);
    let copy = nanoseconds(&m, h.dma(0, DmaEnd::Memory(0), DmaEnd::Memory(1 << 30), bytes));
    let least = bytes as f64 / (128.0 * m.clock.shader_mhz.value / 1000.0);
    // Both ends move the bytes; channels turn.
    let most = 2.0 * bytes as f64 / (m.memory_bandwidth() / 1e9) / 0.8;
    assert!((least..most).contains(&copy), "{copy:.0} ns of {least:.0} to {most:.0}");
    // All has been read once time has passed.
    h.acquire(1 << 30, 0);
    assert_eq!(h.tally().memory_read, bytes);
}

#[test]
fn a_fill_reads_nothing() {
    let m = Machine::default();
    let mut h = Hierarchy::new(&m);
    h.dma(0, DmaEnd::Nothing, DmaEnd::Memory(64), 1000);
    assert_eq!(h.tally().memory_read, 0);
    h.acquire(1 << 20, gcr::GL2_WB);
    let bursts = (64u64 + 1000).div_ceil(m.memory.burst.value) - 64 / m.memory.burst.value;
    assert_eq!(h.tally().memory_written, bursts * m.memory.burst.value);
}

/// Loads go on while a copy of a second runs, and take longer while it takes memory from them.
#[test]
fn others_go_on_beside_a_long_copy() {
    let (m, mut h, t) = known_page();
    let alone = run(&mut h, t, 0, LOAD, |lane| 4 * lane).done - t;
    let end = h.dma(t, DmaEnd::Host, DmaEnd::Memory(1 << 32), 32 << 30);
    assert!(nanoseconds(&m, end) > 1e9);
    for step in 1..100 {
        let now = t + step * 10_000;
        // Each line is a new one.
        let beside = run(&mut h, now, 0, LOAD, |lane| 8192 * step + 4 * lane).done - now;
        assert!(beside < alone + 1000, "step {step}: {beside}, alone {alone}");
    }
    let moved = h.tally().dma.bytes[2];
    let by_hand = 990_000.0 / m.clock.shader_mhz.value * 1000.0 * m.pcie.gbytes_per_second.value;
    assert!((moved as f64 / by_hand - 1.0).abs() < 0.05, "{moved} bytes so far, by hand {by_hand}");
}

/// Work-group processors of an array share its L1, however many there are: AMD's product pages have 72 compute units of an RX 6800 XT, 36
/// of an RX 5600 XT and 22 of an RX 5500 XT, so that arrays that lack a work-group processor stand beside full ones.
#[test]
fn the_l1_of_an_array_serves_as_many_as_it_has() {
    for (name, arrays) in [
        ("rx5700xt", vec![5; 4]),
        ("rx5600xt", vec![5, 4, 5, 4]),
        ("rx5500xt", vec![6, 5]),
        ("rx6900xt", vec![5; 8]),
        ("rx6800xt", [5, 4].repeat(4)),
    ] {
        let machine = Machine::builtin(name).unwrap();
        assert_eq!(arrays.iter().sum::<usize>() as u64, machine.wgps(), "{name}");
        assert!(arrays.iter().all(|n| *n as u64 <= machine.shape.wgps_per_array.value), "{name}");
        let cus = machine.shape.cus_per_wgp.value as usize;
        let array = |wgp: usize| arrays.iter().scan(0, |end, n| Some((*end += n, *end).1)).position(|end| wgp < end);
        for one in 0..machine.wgps() as usize {
            for other in [1, 4, 5, 9].map(|far| (one + far) % machine.wgps() as usize) {
                let mut h = Hierarchy::new(&machine);
                let first = run(&mut h, 0, one * cus, LOAD, |lane| 4 * lane);
                let second = run(&mut h, first.done, other * cus + cus - 1, LOAD, |lane| 4 * lane);
                let missed = u16::from(array(other) != array(one));
                assert_eq!((first.met.misses, second.met.misses), ([1, 1, 1], [1, missed, 0]), "{name} {one} {other}");
            }
        }
    }
}
