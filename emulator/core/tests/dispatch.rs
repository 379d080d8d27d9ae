//! Work-groups on host threads: every one runs once, queues share, spinning makes progress, time limits hold.

use crate::bench::host_time::ample;
use crate::bench::*;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wavepipe_core::Config;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pm4::*;
use wavepipe_hw::port::GpuPort;

#[test]
fn every_work_group_runs_once() {
    for threads in [1, 2, 5] {
        let b = Bench::with(Config { threads, timeout: PATIENCE, ..Config::default() });
        let mut q = b.queue(0, 0);
        let (count, ids, end) = (b.code(COUNT), b.code(STORE_ID), b.code(END));
        let m = b.memory(4 * 10_000, "data");
        b.run(&mut q, &launch(count, m, 0, 3000));
        assert_eq!(b.read32(m), 3000, "{threads} threads");
        let mut p = kernel(ids, m, 0, 1, true);
        p.push(dispatch(10_000));
        b.run(&mut q, &p);
        for i in 0..10_000 {
            assert_eq!(b.read32(m + 4 * u64::from(i)), i);
        }
        let before = b.gpu.statistics();
        let mut p = kernel(end, m, 0, 100, false);
        p.push(Packet::DispatchDirect { groups: [5, 6, 7], initiator: LAUNCH });
        p.push(Packet::DispatchDirect { groups: [5, 0, 7], initiator: LAUNCH });
        b.run(&mut q, &p);
        let s = b.gpu.statistics();
        assert_eq!(s.workgroups - before.workgroups, 210);
        assert_eq!(s.waves - before.waves, 4 * 210);
        assert_eq!(s.wave_instructions - before.wave_instructions, 4 * 210);
        assert_eq!(s.dispatches - before.dispatches, 1);
        assert!(!b.has_fault());
    }
}

/// S_MEMREALTIME, timestamps and the port's clock are one clock, on every thread; it ticks as the machine's description says.
#[test]
fn all_threads_read_one_clock() {
    let ticks =
        "name = 't'\nproduct = 'T'\nbase = 'rx5700xt'\n[clock]\nreference_mhz = { value = 27, source = 'assumed' }\n";
    let machine = Arc::new(Machine::parse(ticks).unwrap());
    let b = Bench::with(Config { machine, threads: 3, timeout: PATIENCE, ..Config::default() });
    // Threads start with the first queue.
    let (began, first) = (Instant::now(), b.gpu.clock());
    std::thread::sleep(Duration::from_millis(40));
    let mut q = b.queue(0, 0);
    // s_memrealtime s[4:5]; s_waitcnt lgkmcnt(0); v_mov_b32 v0, s4; v_mov_b32 v1, s5; v_mov_b32 v2, 0;
    // global_atomic_umin_x2 v2, v[0:1], s[0:1]; global_atomic_umax_x2 v2, v[0:1], s[0:1] offset:8; s_endpgm
    let code = b.code(&[
        0xf494_0100,
        0,
        0xbf8c_c07f,
        0x7e00_0204,
        0x7e02_0205,
        0x7e04_0280,
        0xdd58_8000,
        2,
        0xdd60_8008,
        2,
        0xbf81_0000,
    ]);
    let m = b.memory(16, "times");
    (0..2).for_each(|i| b.write32(m + 4 * i, !0));
    let before = b.gpu.clock();
    b.run(&mut q, &launch(code, m, 0, 1000));
    let (least, most, after) = (b.read64(m), b.read64(m + 8), b.gpu.clock());
    assert!(before <= least && least <= most && most <= after, "{before} {least} {most} {after}");
    let (micros, elapsed) = ((after - first) as f64 / 27.0, began.elapsed().as_micros() as f64);
    assert!(micros <= elapsed + 1.0 && micros >= 40_000.0 - 1.0, "{micros} of {elapsed} microseconds");
}

#[test]
fn indirect_counts_and_start_ids() {
    let b = Bench::new();
    let mut q = b.queue(0, 0);
    let m = b.memory(4096, "data");
    let args = b.memory(12, "arguments");
    for (i, v) in [6, 2, 1].into_iter().enumerate() {
        b.write32(args + 4 * i as u64, v);
    }
    let code = b.code(COUNT);
    let mut p = kernel(code, m, 0, 1, false);
    p.push(Packet::DispatchIndirect { address: args, initiator: LAUNCH });
    b.run(&mut q, &p);
    assert_eq!(b.read32(m), 12);

    let mut p = kernel(b.code(STORE_ID), m, 0, 1, true);
    p.push(Packet::SetShReg { reg: reg::COMPUTE_START_X, values: vec![10, 0, 0] });
    p.push(Packet::DispatchDirect { groups: [5, 1, 1], initiator: LAUNCH & !initiator::FORCE_START_AT_000 });
    b.run(&mut q, &p);
    let got: Vec<u32> = (8..17).map(|i| b.read32(m + 4 * i)).collect();
    assert_eq!(got, [0, 0, 10, 11, 12, 13, 14, 0, 0]);
}

/// A dispatch that spins until a later one of the same queue, without a barrier between them, writes; with one of its
/// work-groups more than the machine has threads.
#[test]
fn dispatches_without_a_barrier_overlap() {
    for threads in [1, 3] {
        let b = Bench::with(Config { threads, timeout: PATIENCE, ..Config::default() });
        let mut q = b.queue(0, 0);
        let m = b.memory(64, "flag");
        let (until, set) = (b.code(UNTIL), b.code(SET));
        let mut p = launch(until, m, 5, 40);
        p.extend(launch(set, m, 5, 1));
        b.run(&mut q, &p);
        assert_eq!(b.read32(m), 5);
    }
}

#[test]
fn a_barrier_waits_for_earlier_dispatches() {
    let b = Bench::new();
    let mut q = b.queue(0, 0);
    let m = b.memory(64, "data");
    let count = b.code(COUNT);
    for round in 1..=20u32 {
        let mut p = launch(count, m, 0, 200);
        p.push(Packet::CsPartialFlush);
        let snap = CopyDest::Memory(m + 8);
        p.push(Packet::CopyData { source: CopySource::Memory(m), dest: snap, wide: false });
        b.run(&mut q, &p);
        assert_eq!(b.read32(m + 8), 200 * round);
    }
}

/// Every thread is busy with a kernel that waits for another queue's kernel, and that one is of lower priority.
#[test]
fn a_spinning_queue_does_not_starve_another() {
    for threads in [1, 2] {
        let b = Bench::with(Config { threads, timeout: PATIENCE, ..Config::default() });
        let m = b.memory(64, "flag");
        let (until, set, count) = (b.code(UNTIL), b.code(SET), b.code(COUNT));
        let mut high = b.queue_of(0, 0, 1024, 15);
        let mut low = b.queue_of(0, 1, 1024, 0);
        b.submit_fenced(&mut high, &launch(until, m, 1, 2000));
        assert!(!b.reached(&high, Duration::from_millis(5)));
        for i in 1..=20 {
            b.run(&mut low, &launch(count, m + 8, 0, 10));
            assert_eq!(b.read32(m + 8), 10 * i);
        }
        b.run(&mut low, &launch(set, m, 1, 1));
        b.wait(&high);
    }
}

#[test]
fn a_kernel_without_end_is_stopped_and_others_carry_on() {
    for threads in [1, 2] {
        // The good queue's dispatches have it too, whatever else the host does: they are measured beside work that ends.
        let timeout = ample(Duration::from_secs(1), 50, || {
            let b = Bench::with(Config { threads, timeout: PATIENCE, ..Config::default() });
            let m = b.memory(64, "data");
            let (mut bad, mut good) = (b.queue(0, 0), b.queue(1, 0));
            b.submit_fenced(&mut bad, &launch(b.code(UNTIL), m, 1, 500));
            b.run(&mut good, &launch(b.code(COUNT), m + 4, 0, 8));
            b.write32(m, 1);
            b.wait(&bad);
        });
        let b = Bench::with(Config { threads, timeout, ..Config::default() });
        let m = b.memory(64, "data");
        let (spin, count) = (b.code(SPIN), b.code(COUNT));
        let (mut bad, mut good) = (b.queue(0, 0), b.queue(1, 0));
        let begin = Instant::now();
        b.submit_fenced(&mut bad, &launch(spin, m, 0, 500));
        let mut rounds = 0;
        while !b.has_fault() {
            b.run(&mut good, &launch(count, m, 0, 8));
            rounds += 1;
            assert!(begin.elapsed() < PATIENCE);
        }
        assert!(begin.elapsed() >= timeout);
        assert!(rounds > 1, "{rounds}");
        b.run(&mut good, &launch(count, m, 0, 8));
        assert_eq!(b.read32(m), 8 * (rounds + 1));
        assert!(!b.reached(&bad, Duration::from_millis(5)));
        b.gpu.unmap_queue(bad.id);
    }
}

#[test]
fn the_timeout_names_a_spinning_wave() {
    let b = Bench::with(Config { timeout: Duration::from_millis(50), ..Config::default() });
    let mut q = b.queue(2, 1);
    let code = b.code(SPIN);
    b.submit(&mut q, &launch(code, code, 0, 1));
    let (queue, fault) = b.fault();
    assert_eq!(queue, q.id);
    assert_eq!(fault.kind, FaultKind::Timeout { limit_ms: 50 });
    let site = fault.site.expect("a wave that spins");
    assert_eq!((site.workgroup, site.wave, site.pc), ([0; 3], 0, code));
}

#[test]
fn a_faulting_wave_stops_its_queue_alone() {
    let b = Bench::new();
    let m = b.memory(64, "data");
    let (store, count) = (b.code(SET), b.code(COUNT));
    let (mut bad, mut good) = (b.queue(0, 0), b.queue(0, 1));
    let wild = 0x7000_0000_0000;
    b.submit_fenced(&mut bad, &launch(store, wild, 0, 1000));
    let (queue, fault) = b.fault();
    assert_eq!(queue, bad.id);
    let FaultKind::WildAddress { address, write: true, .. } = fault.kind else { panic!("{fault}") };
    assert_eq!(address, wild);
    let site = fault.site.expect("the wave");
    assert_eq!((site.pc, site.pc_offset, site.lane), (store + 8, 8, 0));
    b.run(&mut good, &launch(count, m, 0, 8));
    assert_eq!(b.read32(m), 8);
    assert!(!b.has_fault());
}

#[test]
fn what_cannot_be_placed_is_refused() {
    type Change = (u16, u32, &'static str);
    let changes: [Change; 4] = [
        (reg::COMPUTE_NUM_THREAD_X, 1025, "work-items"),
        (reg::COMPUTE_PGM_RSRC2, 200 << 15, "LDS"),
        (reg::COMPUTE_PGM_RSRC2, 17 << 1, "user SGPRs"),
        (reg::COMPUTE_PGM_RSRC2, 1, "scratch ring"),
    ];
    for (register, value, word) in changes {
        let b = Bench::new();
        let mut q = b.queue(0, 0);
        let mut p = kernel(b.code(END), 0, 0, 64, false);
        // One wave's scratch in a ring for one wave; the work-group has two.
        p.push(Packet::SetShReg { reg: reg::COMPUTE_TMPRING_SIZE, values: vec![1 | 1 << 12] });
        p.push(Packet::SetShReg { reg: register, values: vec![value] });
        p.push(dispatch(1));
        b.submit(&mut q, &p);
        let (_, fault) = b.fault();
        assert!(matches!(&fault.kind, FaultKind::BadDispatch { why } if why.contains(word)), "{fault}");
    }
}

#[test]
fn two_queues_run_at_once() {
    let b = Bench::with(Config { threads: 2, timeout: PATIENCE, ..Config::default() });
    let m = b.memory(64, "flags");
    let (until, set) = (b.code(UNTIL), b.code(SET));
    let (mut x, mut y) = (b.queue(0, 0), b.queue(3, 0));
    // Each waits for the other in turn: with one after the other this would never end.
    for i in 0..30u32 {
        let mut p = launch(set, m, 2 * i + 1, 1);
        p.extend(launch(until, m + 4, 2 * i + 1, 3));
        b.submit_fenced(&mut x, &p);
        let mut p = launch(until, m, 2 * i + 1, 3);
        p.extend(launch(set, m + 4, 2 * i + 1, 1));
        b.submit_fenced(&mut y, &p);
        b.wait(&x);
        b.wait(&y);
    }
}

#[test]
fn an_empty_dispatch_comes_back_soon() {
    let b = Bench::new();
    let mut q = b.queue(0, 0);
    let p = launch(b.code(END), 0, 0, 1);
    let mut time = || {
        let begin = Instant::now();
        b.run(&mut q, &p);
        begin.elapsed()
    };
    let mut times: Vec<Duration> = (0..200).map(|_| time()).collect();
    times.sort();
    println!("empty dispatch: median {:?}, 95 % {:?}", times[100], times[190]);
    // That nothing waits for a tick of some clock; the benchmark has the figure. A busy host only adds to the times, and to all of
    // them for a while.
    let (begin, mut least) = (Instant::now(), times[0]);
    while least >= Duration::from_millis(100) {
        assert!(begin.elapsed() < PATIENCE, "{least:?}");
        least = least.min(time());
    }
}
