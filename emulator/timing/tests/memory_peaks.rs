//! Bandwidths of the hierarchy when every compute unit asks as fast as it is let.

use wavepipe_hw::machine::Machine;
use wavepipe_isa::cache::{Cache, Scope};
use wavepipe_timing::memory::{Hierarchy, Kind, VectorAccess};

/// Terabytes a second of what `line` gives for each step and compute unit, 32 lanes with a line of 128 bytes; after a
/// quarter of the steps, when caches are warm and queues full.
fn bandwidth(machine: &Machine, steps: u64, line: impl Fn(u64, u64) -> (u64, Kind)) -> f64 {
    let mut hierarchy = Hierarchy::new(machine);
    let cus = machine.shape.cus.value;
    let mut times = vec![0; cus as usize];
    let mut began = 0;
    for step in 0..steps {
        if step == steps / 4 {
            began = *times.iter().max().unwrap();
        }
        for cu in 0..cus {
            let (line, kind) = line(step, cu);
            let at = std::array::from_fn(|lane| line * 128 + 4 * lane as u64);
            let access = VectorAccess { at: &at, mask: u32::MAX, bytes: 4, kind, cache: Cache::DEFAULT, texture: None };
            let now = &mut times[cu as usize];
            *now = hierarchy.vector(*now, cu as usize, &access).taken;
        }
    }
    let cycles = times.iter().max().unwrap() - began;
    let bytes = (steps - steps / 4) * cus * 128;
    bytes as f64 / cycles as f64 * machine.clock.shader_mhz.value * 1e-6
}

/// At least 95 % of what is documented, and never more. Table 2 of the RDNA whitepaper, in TB/s.
fn holds(what: &str, ours: f64, documented: f64) {
    let ratio = ours / documented;
    // The documented figure is rounded to three digits.
    assert!((0.95..=1.0005).contains(&ratio), "{what}: {ours:.3} TB/s of {documented}: {ratio:.4}");
}

#[test]
fn rx5700xt_reaches_its_peaks_and_no_more() {
    let machine = Machine::default();
    // 8 KB stay in L0.
    holds("L0", bandwidth(&machine, 8000, |step, _| (step % 64, Kind::Load)), 9.76);
    // 64 KB, the same for all units of an array, stay in L1 but not in L0.
    holds("L1", bandwidth(&machine, 8000, |step, _| (step % 512, Kind::Load)), 3.90);
    // 600 lines of each unit, 3 MB in all, stay in L2 but not in L1.
    holds("L2", bandwidth(&machine, 4000, |step, cu| (cu * 600 + step % 600, Kind::Load)), 1.951);
    holds("memory", bandwidth(&machine, 4000, |step, cu| (step * 40 + cu, Kind::Load)), 0.448);
    // Each unit in its own part of memory.
    holds("memory", bandwidth(&machine, 4000, |step, cu| (cu << 15 | step, Kind::Load)), 0.448);
    // 40 MB are written: more than 4 MB of them have to leave L2.
    let written = bandwidth(&machine, 8000, |step, cu| (step * 40 + cu, Kind::Store));
    holds("memory, written", written, 0.448);
}

/// Slices and channels that are no power of two, or fewer, are used evenly as well.
#[test]
fn every_card_reaches_its_l2_and_memory() {
    for name in Machine::names() {
        let machine = Machine::builtin(name).unwrap();
        let (cus, l2) = (machine.shape.cus.value, &machine.l2);
        let slices = l2.instances.value;
        // A unit's share must not stay in its L0, nor in L1: of small L2s nearly all is used.
        let own = slices * l2.bytes.value / 128 * 7 / 8 / cus;
        let peak = (slices * l2.bytes_per_cycle.value) as f64 * machine.clock.shader_mhz.value * 1e-6;
        // The first rounds, which fill L2, are not measured.
        holds(name, bandwidth(&machine, own * 12, |step, cu| (cu * own + step % own, Kind::Load)), peak);
        let memory = machine.memory_bandwidth() * 1e-12;
        holds(name, bandwidth(&machine, 3000, |step, cu| (step * cus + cu, Kind::Load)), memory);
    }
}

/// hipfire's profile of gfx1010: a plateau of 384.1 GB/s over large buffers.
#[test]
fn rx5700xt_copies_as_fast_as_measured() {
    let machine = Machine::default();
    let copied = bandwidth(&machine, 12000, |step, cu| match step % 2 {
        0 => (step / 2 * 40 + cu, Kind::Load),
        _ => (step / 2 * 40 + cu + (1 << 23), Kind::Store),
    });
    assert!((copied / 0.3841 - 1.0).abs() < 0.1, "{copied:.4} TB/s");
}

/// One line for all: as fast as L0 gives it; in one slice, behind other misses: as fast as that slice.
#[test]
fn one_slice_is_a_sixteenth() {
    let machine = Machine::default();
    // Of the device's scope: every load goes to L2. Lines 0 and 1 are of the same 256 bytes, so of one slice.
    let mut hierarchy = Hierarchy::new(&machine);
    let mut times = [0; 40];
    for step in 0..400u64 {
        for (cu, now) in times.iter_mut().enumerate() {
            let at = std::array::from_fn(|lane| step % 2 * 128 + 4 * lane as u64);
            let kind = Kind::Load;
            let access = VectorAccess {
                at: &at,
                mask: u32::MAX,
                bytes: 4,
                kind,
                cache: Cache::of_scope(Scope::Device),
                texture: None,
            };
            *now = hierarchy.vector(*now, cu, &access).taken;
        }
    }
    let cycles = times.into_iter().max().unwrap() as f64;
    let bytes_per_cycle = 400.0 * 40.0 * 128.0 / cycles;
    // Requests that wait in the compute units' queues are not yet served.
    let queued = 40.0 * machine.l0.outstanding.value as f64 * 128.0 / cycles;
    assert!((bytes_per_cycle - queued..=64.0 + queued).contains(&64.0), "{bytes_per_cycle:.1} bytes a cycle");
}

/// perftest by S. Aaltonen on an RX 5700 XT at 1.9 GHz, typed buffers in L0: lanes a cycle and compute unit, linear and random
/// among sixteen elements. One dword a lane gave 22: its loop was the limit.
#[test]
fn wide_loads_return_as_fast_as_measured() {
    let machine = Machine::default();
    for (bytes, linear, random) in [(8, 17.03, 17.04), (16, 7.96, 8.27)] {
        let lanes_per_cycle = |element: &dyn Fn(u64) -> u64| {
            let mut hierarchy = Hierarchy::new(&machine);
            let at = std::array::from_fn(|lane| element(lane as u64) * u64::from(bytes));
            let kind = Kind::Load;
            let access = VectorAccess { at: &at, mask: u32::MAX, bytes, kind, cache: Cache::DEFAULT, texture: None };
            let now = hierarchy.vector(0, 0, &access).done;
            let taken = (0..100).fold(now, |now, _| hierarchy.vector(now, 0, &access).taken);
            3200.0 / (taken - now) as f64
        };
        for (ours, measured) in
            [(lanes_per_cycle(&|lane| lane), linear), (lanes_per_cycle(&|lane| lane * 7 % 16), random)]
        {
            assert!((ours / measured - 1.0f64).abs() < 0.1, "{bytes} bytes: {ours:.2}, measured {measured}");
        }
    }
}
