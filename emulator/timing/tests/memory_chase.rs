//! Latencies, sizes and lines of the hierarchy as a pointer chase finds them, and as others measured them on cards.

use std::path::PathBuf;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::cache::{Cache, Scope};
use wavepipe_timing::memory::{Hierarchy, Kind, LdsAccess, ScalarAccess, VectorAccess};
use wavepipe_timing::published::RX5500XT_CHASE;

/// A generator of numbers that are random enough (Knuth's multiplier).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// Cells of a region in the order of one random cycle through all of them.
fn cycle(cells: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..cells as u32).collect();
    let mut random = Random(cells);
    for i in (1..cells).rev() {
        order.swap(i as usize, random.below(i + 1) as usize);
    }
    order
}

/// The first of a row of slices, be they a power of two or three times one.
const BASE: u64 = 3 << 31;

/// One lane loads 8 bytes.
const LOAD: VectorAccess<'static> =
    VectorAccess { at: &[0; 32], mask: 1, bytes: 8, kind: Kind::Load, cache: Cache::DEFAULT, texture: None };

fn load(hierarchy: &mut Hierarchy, now: u64, at: u64) -> u64 {
    hierarchy.vector(now, 0, &VectorAccess { at: &[at; 32], ..LOAD }).done
}

/// Cycles of one step of a chase through `addresses` again and again: a load, then `work` cycles until the next.
fn chase(mut step: impl FnMut(u64, u64) -> u64, addresses: &[u64], work: u64) -> f64 {
    let count = addresses.len();
    let (warm, measured) = ((2 * count).min(80_000), (2 * count).clamp(1000, 40_000));
    let (mut now, mut began) = (0, 0);
    for i in 0..warm + measured {
        if i == warm {
            began = now;
        }
        now = step(now, addresses[i % count]) + work;
    }
    (now - began) as f64 / measured as f64
}

/// Nanoseconds of a step through `region` bytes in cells of `cell`.
fn vector_chase(machine: &Machine, region: u64, cell: u64, work: u64) -> f64 {
    let mut hierarchy = Hierarchy::new(machine);
    let addresses: Vec<u64> = cycle(region / cell).into_iter().map(|c| BASE + u64::from(c) * cell).collect();
    chase(|now, at| load(&mut hierarchy, now, at), &addresses, work) * 1000.0 / machine.clock.shader_mhz.value
}

/// The published loop's cycles from a load's data to the next load: s_waitcnt, v_add_co_u32, v_add_co_ci_u32, which waits for
/// the carry, s_cbranch behind it, taken; the counter's scalar instructions are hidden by the load.
fn loop_work(machine: &Machine) -> u64 {
    let valu = machine.latency.valu.value;
    valu + valu.max(1 + machine.latency.branch_taken.value)
}

/// The whole table, if it is there: region in the first column, nanoseconds in the second.
fn published() -> Option<Vec<(u64, f64)>> {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/facts/timing/rdna1_rx5500xt_pointer_chase.tsv");
    let text = std::fs::read_to_string(file).ok()?;
    let rows = text.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit()));
    let pair = |line: &str| {
        let mut fields = line.split('\t');
        (fields.next().unwrap().parse().unwrap(), fields.next().unwrap().parse().unwrap())
    };
    Some(rows.map(pair).collect())
}

#[test]
fn rx5500xt_pointer_chase_is_within_a_tenth() {
    let machine = Machine::builtin("rx5500xt").unwrap();
    let points = published().unwrap_or(RX5500XT_CHASE.to_vec());
    for point in RX5500XT_CHASE {
        assert!(points.contains(&point), "{point:?}: the published table has another figure");
    }
    for (region, measured) in points {
        let ours = vector_chase(&machine, region, 8, loop_work(&machine));
        let off = ours / measured - 1.0;
        assert!(off.abs() < 0.1, "{region} bytes: {ours:.1} ns, measured {measured} ns: {:.1} %", off * 100.0);
    }
}

/// hipfire's profile of gfx1010: 276.06 ns, one thread's chase through 128 MB, memory clock at its highest.
#[test]
fn rx5700xt_memory_is_within_a_tenth() {
    let machine = Machine::default();
    let ours = vector_chase(&machine, 128 << 20, 128, loop_work(&machine));
    assert!((ours / 276.06 - 1.0).abs() < 0.1, "{ours:.1} ns");
}

/// Chips and Cheese: 26.6 ns; the index becomes an address by a shift.
#[test]
fn rx5700xt_lds_is_within_a_tenth() {
    let machine = Machine::default();
    let mut hierarchy = Hierarchy::new(&machine);
    let step = |now, at| {
        let access = LdsAccess {
            at: &[at as u32; 32],
            second: None,
            mask: 1,
            dwords: 1,
            operands: 1,
            kind: Kind::Load,
            wgp_mode: false,
        };
        hierarchy.lds(now, 0, 0, &access).done
    };
    let addresses: Vec<u64> = cycle(1024).into_iter().map(|c| u64::from(c) * 4).collect();
    let ours = chase(step, &addresses, machine.latency.valu.value) * 1000.0 / machine.clock.shader_mhz.value;
    assert!((ours / 26.6 - 1.0).abs() < 0.1, "{ours:.1} ns");
}

/// Chips and Cheese, RX 6800: 17.4 ns of the scalar cache.
#[test]
fn scalar_cache_is_within_a_tenth() {
    let machine = Machine::default();
    let mut hierarchy = Hierarchy::new(&machine);
    let ours = chase(|now, at| scalar(&mut hierarchy, now, at), &lines(4096, 64), 0);
    let ns = ours * 1000.0 / machine.clock.shader_mhz.value;
    assert!((ns / 17.4 - 1.0).abs() < 0.1, "{ns:.1} ns");
}

fn scalar(hierarchy: &mut Hierarchy, now: u64, at: u64) -> u64 {
    let access = ScalarAccess { simd: 0, at, dwords: 1, kind: Kind::Load, cache: Cache::DEFAULT };
    hierarchy.scalar(now, 0, access).done
}

/// Addresses of a region, each `line` bytes after the one before, in order: with LRU all hit or, one line too many in each
/// set, all miss.
fn lines(region: u64, line: u64) -> Vec<u64> {
    (0..region / line).map(|i| BASE + i * line).collect()
}

/// The largest region, in steps of `step`, whose lines take no longer than those of a small one.
fn capacity(mut time: impl FnMut(u64) -> f64, step: u64, from: u64, to: u64) -> u64 {
    let small = time(from);
    let regions = (from / step..=to / step).map(|i| i * step);
    regions.take_while(|region| time(*region) < small * 1.02).last().unwrap()
}

fn vector_time(machine: &Machine, region: u64) -> f64 {
    let mut hierarchy = Hierarchy::new(machine);
    chase(|now, at| load(&mut hierarchy, now, at), &lines(region, 128), 0)
}

#[test]
fn sizes_are_where_latency_rises() {
    let machine = Machine::default();
    let l0 = capacity(|r| vector_time(&machine, r), 1 << 10, 2 << 10, 24 << 10);
    assert_eq!(l0, 16 << 10, "L0");
    let l1 = capacity(|r| vector_time(&machine, r), 16 << 10, 64 << 10, 192 << 10);
    assert_eq!(l1, 128 << 10, "L1");
    let l2 = capacity(|r| vector_time(&machine, r), 1 << 20, 1 << 20, 6 << 20);
    assert_eq!(l2, 4 << 20, "L2");
    let scalar_time = |region| {
        let mut hierarchy = Hierarchy::new(&machine);
        chase(|now, at| scalar(&mut hierarchy, now, at), &lines(region, 64), 0)
    };
    assert_eq!(capacity(scalar_time, 1 << 10, 2 << 10, 24 << 10), 16 << 10, "scalar cache");
    let fetch_time = |region| {
        let mut hierarchy = Hierarchy::new(&machine);
        chase(|now, at| hierarchy.fetch(now, 0, 0, at).done, &lines(region, 64), 0)
    };
    assert_eq!(capacity(fetch_time, 1 << 10, 2 << 10, 48 << 10), 32 << 10, "instruction cache");
}

/// All of L2 is found again, and nothing more: L0 and L1 are passed by.
#[test]
fn l2_holds_what_its_slices_sum_to() {
    for (name, bytes) in [("rx5700xt", 4 << 20), ("rx5600xt", 3 << 20), ("rx5500xt", 1 << 20)] {
        let machine = Machine::builtin(name).unwrap();
        let found = |region: u64| {
            let mut hierarchy = Hierarchy::new(&machine);
            let (mut now, mut hits) = (0, 0);
            for round in 0..2 {
                for at in lines(region, 128) {
                    let access = VectorAccess { at: &[at; 32], cache: Cache::of_scope(Scope::Device), ..LOAD };
                    let reply = hierarchy.vector(now, 0, &access);
                    now = reply.done;
                    hits += round * u64::from(reply.met.hits[2]);
                }
            }
            hits * 128
        };
        assert_eq!(found(bytes), bytes, "{name}");
        assert!(found(bytes + bytes / 8) < bytes / 8 * 7, "{name}");
    }
}

/// The least distance at which a second address is not where a first one was fetched, from a cold cache.
fn line_size(mut time: impl FnMut(&[u64]) -> u64) -> u64 {
    let again = time(&[BASE, BASE]);
    (4..=512).step_by(4).find(|distance| time(&[BASE, BASE + distance]) > again).unwrap()
}

#[test]
fn lines_are_found_by_neighbours() {
    let machine = Machine::default();
    let vector = line_size(|at| {
        let mut hierarchy = Hierarchy::new(&machine);
        at.iter().fold(0, |now, at| load(&mut hierarchy, now, *at))
    });
    assert_eq!(vector, 128 - 4, "8 bytes from 124 on are in two lines");
    let data = line_size(|at| {
        let mut hierarchy = Hierarchy::new(&machine);
        at.iter().fold(0, |now, at| scalar(&mut hierarchy, now, *at))
    });
    assert_eq!(data, 64);
    let code = line_size(|at| {
        let mut hierarchy = Hierarchy::new(&machine);
        at.iter().fold(0, |now, at| hierarchy.fetch(now, 0, 0, *at).done)
    });
    assert_eq!(code, 64);
    // Two loads past L0: L1 and L2 have lines of 128 bytes as well.
    for scope in [Scope::Array, Scope::Device] {
        let lower = line_size(|at| {
            let mut hierarchy = Hierarchy::new(&machine);
            at.iter().fold(0, |now, at| {
                let access = VectorAccess { at: &[*at; 32], bytes: 4, cache: Cache::of_scope(scope), ..LOAD };
                hierarchy.vector(now, 0, &access).done
            })
        });
        assert_eq!(lower, 128, "{scope:?}");
    }
}
