//! The command processor through its port: rings, packets, waits between queues, copies, faults.

use crate::bench::*;
use std::time::Duration;
use wavepipe_core::Config;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pipe;
use wavepipe_hw::pm4::*;
use wavepipe_hw::port::*;
use wavepipe_isa::Gen;

#[test]
fn a_ring_wraps_and_reports_its_read_pointer() {
    let b = Bench::new();
    let mut q = b.queue_of(0, 0, 64, 0);
    let m = b.memory(4096, "data");
    for i in 0..500u32 {
        // Packets of 4 to 8 dwords in a ring of 64: every alignment at the seam.
        let data = (0..1 + i % 5).map(|k| i * 10 + k).collect();
        b.submit(&mut q, &[Packet::WriteData { address: m + 4 * u64::from(i % 7), data }]);
    }
    b.run(&mut q, &[]);
    // The read pointer follows the fence.
    let begin = std::time::Instant::now();
    while b.read64(q.rptr) != q.wptr {
        assert!(begin.elapsed() < PATIENCE, "{} of {}", b.read64(q.rptr), q.wptr);
    }
    assert_eq!(b.read32(m + 4 * (499 % 7)), 4990);
    assert!(q.wptr > 3000);
}

#[test]
fn packets_do_what_they_say() {
    let b = Bench::new();
    let mut q = b.queue(1, 3);
    let m = b.memory(4096, "data");
    b.write32(m + 100, 0x1234);
    b.write32(m + 104, 0x5678);
    let before = b.gpu.clock();
    b.run(
        &mut q,
        &[
            Packet::Nop { body: vec![0xffff_ffff; 3] },
            Packet::Nop { body: vec![] },
            Packet::WriteData { address: m, data: vec![1, 2, 3] },
            Packet::CopyData { source: CopySource::Memory(m + 100), dest: CopyDest::Memory(m + 16), wide: true },
            Packet::CopyData { source: CopySource::Immediate(9), dest: CopyDest::Memory(m + 24), wide: false },
            Packet::CopyData { source: CopySource::Clock, dest: CopyDest::Memory(m + 32), wide: true },
            Packet::AcquireMem { gcr_cntl: gcr::BARRIER | gcr::GLI_INV_ALL, base: 0, size: u64::MAX },
            Packet::CsPartialFlush,
            Packet::ReleaseMem { address: m + 40, data: ReleaseData::Clock, interrupt: false },
            Packet::ReleaseMem { address: m + 48, data: ReleaseData::Value32(77), interrupt: false },
            Packet::WriteData { address: m + 52, data: vec![88] },
        ],
    );
    let words: Vec<u32> = (0..7).map(|i| b.read32(m + 4 * i)).collect();
    assert_eq!(words, [1, 2, 3, 0, 0x1234, 0x5678, 9]);
    let (t0, t1) = (b.read64(m + 32), b.read64(m + 40));
    assert!(before <= t0 && t0 <= t1 && t1 <= b.gpu.clock(), "{before} {t0} {t1}");
    assert_eq!((b.read32(m + 48), b.read32(m + 52)), (77, 88));
    let ends = b.interrupts.try_iter().filter(|i| matches!(i, Interrupt::EndOfPipe { queue } if *queue == q.id));
    assert!(ends.count() <= 1, "only the fence asked for an interrupt");
}

#[test]
fn copies_and_fills_of_any_length_and_alignment() {
    let b = Bench::new();
    let mut q = b.queue_of(0, 0, 1 << 16, 0);
    let (src, dst) = (b.memory(300, "source"), b.memory(300, "destination"));
    let bytes: Vec<u8> = (0..300u32).map(|i| (i * 7 + 1) as u8).collect();
    b.gpu.write(src, &bytes).unwrap();
    for (s, d, n) in [(0, 0, 300), (1, 3, 1), (5, 2, 17), (3, 0, 64), (2, 7, 255), (299, 299, 1), (0, 0, 0)] {
        b.gpu.write(dst, &[0xee; 300]).unwrap();
        let copy = DmaSource::Memory(src + s);
        b.run(&mut q, &[Packet::DmaData { source: copy, dest: dst + d, bytes: n, sync: true }]);
        let mut want = vec![0xee; 300];
        let (s, d, n) = (s as usize, d as usize, n as usize);
        want[d..d + n].copy_from_slice(&bytes[s..s + n]);
        let mut got = vec![0; 300];
        b.gpu.read(dst, &mut got).unwrap();
        assert_eq!(got, want, "copy {s} {d} {n}");
        let fill = DmaSource::Fill(0x4433_2211);
        b.run(&mut q, &[Packet::DmaData { source: fill, dest: dst + d as u64, bytes: n as u32, sync: true }]);
        for i in 0..n {
            want[d + i] = [0x11, 0x22, 0x33, 0x44][i % 4];
        }
        b.gpu.read(dst, &mut got).unwrap();
        assert_eq!(got, want, "fill {d} {n}");
    }
    // Longer than a piece, not a multiple of one; and overlapping with itself.
    let n: u32 = (5 << 20) + 13;
    let big = b.memory(2 * u64::from(n), "big");
    let pattern: Vec<u8> = (0..n).map(|i| (i % 251) as u8).collect();
    b.gpu.write(big, &pattern).unwrap();
    let shift = 4099;
    b.run(&mut q, &[Packet::DmaData { source: DmaSource::Memory(big), dest: big + shift, bytes: n, sync: true }]);
    let mut got = vec![0; n as usize];
    b.gpu.read(big + shift, &mut got).unwrap();
    assert!(got == pattern, "overlapping copy");
    b.run(&mut q, &[Packet::DmaData { source: DmaSource::Memory(big + shift), dest: big, bytes: n, sync: true }]);
    b.gpu.read(big, &mut got).unwrap();
    assert!(got == pattern, "overlapping copy, downwards");
}

#[test]
fn a_waiting_queue_holds_up_no_other() {
    let b = Bench::new();
    let m = b.memory(64, "semaphore");
    let wait = |at: u64, v: u64| Packet::WaitRegMem {
        address: m + at,
        reference: v,
        mask: u64::MAX,
        func: WaitFunc::GreaterEqual,
        wide: true,
    };
    let signal =
        |at: u64, v: u64| Packet::ReleaseMem { address: m + at, data: ReleaseData::Value64(v), interrupt: false };
    // Same pipe and another; they pass the token round many times.
    let mut queues = [b.queue(0, 0), b.queue(0, 1), b.queue(2, 5)];
    for round in 0..50u64 {
        for (i, q) in queues.iter_mut().enumerate() {
            let turn = 3 * round + i as u64;
            b.submit(q, &[wait(0, turn), signal(0, turn + 1)]);
        }
    }
    for q in &mut queues {
        b.submit_fenced(q, &[]);
    }
    queues.iter().for_each(|q| b.wait(q));
    assert_eq!(b.read64(m), 150);

    // A wait for the host: nothing moves before it writes, and other queues do.
    let [mut a, mut c, _] = queues;
    b.submit_fenced(&mut a, &[wait(8, 1)]);
    b.run(&mut c, &[Packet::WriteData { address: m + 16, data: vec![5] }]);
    assert!(!b.reached(&a, Duration::from_millis(20)));
    b.gpu.write(m + 8, &1u64.to_le_bytes()).unwrap();
    b.gpu.host_wrote();
    b.wait(&a);
    // Without the hint the memory is polled.
    b.submit_fenced(&mut a, &[wait(24, 1)]);
    assert!(!b.reached(&a, Duration::from_millis(5)));
    b.gpu.write(m + 24, &1u64.to_le_bytes()).unwrap();
    b.wait(&a);
}

#[test]
fn every_comparison_of_a_wait() {
    let b = Bench::new();
    let mut q = b.queue(0, 0);
    let m = b.memory(64, "data");
    b.write32(m, 0xab05);
    b.write32(m + 4, 0xffff);
    use WaitFunc::*;
    for (func, reference) in
        [(Always, 9), (Less, 6), (LessEqual, 5), (Equal, 5), (NotEqual, 4), (GreaterEqual, 5), (Greater, 4)]
    {
        let wait = Packet::WaitRegMem { address: m, reference, mask: 0xff, func, wide: false };
        b.run(&mut q, &[wait]);
    }
    let wait = |func, reference| Packet::WaitRegMem { address: m, reference, mask: 0xff, func, wide: false };
    let waiting = [(Less, 5), (LessEqual, 4), (Equal, 4), (NotEqual, 5), (GreaterEqual, 6), (Greater, 5)];
    for (other, (func, reference)) in (1..).zip(waiting) {
        let mut q = b.queue(1 + other / 8, other % 8);
        b.submit_fenced(&mut q, &[wait(func, reference)]);
        assert!(!b.reached(&q, Duration::from_millis(5)), "{func:?}");
    }
}

#[test]
fn indirect_buffers_nest_twice() {
    let b = Bench::new();
    let mut q = b.queue(0, 0);
    let m = b.memory(4096, "data");
    let buffer = |packets: &[Packet]| {
        let mut w = Vec::new();
        packets.iter().for_each(|p| p.encode(wavepipe_isa::Gen::Gfx1010, &mut w));
        let va = b.memory(4 * w.len() as u64, "indirect buffer");
        b.gpu.write(va, bytemuck::cast_slice(&w)).unwrap();
        Packet::IndirectBuffer { address: va, dwords: w.len() as u32 }
    };
    let write = |i: u64, v: u32| Packet::WriteData { address: m + 4 * i, data: vec![v] };
    let inner = buffer(&[write(0, 1), write(1, 2)]);
    let outer = buffer(&[write(2, 3), inner.clone(), write(3, 4), inner.clone()]);
    b.run(&mut q, &[outer.clone(), write(4, 5), outer.clone(), outer.clone()]);
    assert_eq!((0..5).map(|i| b.read32(m + 4 * i)).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(!b.has_fault());

    let third = buffer(&[outer]);
    b.submit(&mut q, &[third]);
    let (queue, fault) = b.fault();
    assert_eq!(queue, q.id);
    assert!(matches!(&fault.kind, FaultKind::BadPacket { why, .. } if why.contains("nested")), "{fault}");
}

#[test]
fn a_bad_packet_stops_its_queue_alone() {
    let b = Bench::new();
    let (mut bad, mut good) = (b.queue(0, 0), b.queue(0, 1));
    let m = b.memory(64, "data");
    b.submit(&mut bad, &[Packet::Nop { body: vec![1, 2] }]);
    b.write32(bad.base + 4 * bad.wptr, 3 << 30 | 0xee << 8);
    b.write32(bad.base + 4 * bad.wptr + 4, 0);
    b.gpu.doorbell(bad.id, bad.wptr + 2);
    let (queue, fault) = b.fault();
    assert_eq!((queue, fault.queue), (bad.id, (0, 0)));
    assert!(matches!(&fault.kind, FaultKind::BadPacket { dword: 3, why } if why.contains("0xee")), "{fault}");
    b.run(&mut good, &[Packet::WriteData { address: m, data: vec![3] }]);
    assert_eq!(b.read32(m), 3);
    // The stopped queue stays stopped, is reported once, and can be unmapped and mapped again.
    b.submit(&mut bad, &[Packet::WriteData { address: m, data: vec![4] }]);
    b.gpu.unmap_queue(bad.id);
    assert_eq!(b.read32(m), 3);
    assert!(!b.has_fault());
    let mut again = b.queue(0, 0);
    b.run(&mut again, &[Packet::WriteData { address: m, data: vec![4] }]);
    assert_eq!(b.read32(m), 4);
}

#[test]
fn wild_addresses_of_packets_are_faults_that_name_the_nearest() {
    let m = |b: &Bench| b.memory(64, "victim");
    let cases: [fn(u64) -> Packet; 6] = [
        |m| Packet::WriteData { address: m + 60, data: vec![1, 2] },
        |m| Packet::ReleaseMem { address: m + 64, data: ReleaseData::Value32(1), interrupt: false },
        |m| Packet::DmaData { source: DmaSource::Memory(m + 1), dest: m, bytes: 64, sync: true },
        |m| Packet::DmaData { source: DmaSource::Fill(0), dest: m + 1, bytes: 64, sync: true },
        |m| Packet::DispatchIndirect { address: m + 56, initiator: LAUNCH },
        |m| Packet::WaitRegMem { address: m - 4, reference: 0, mask: 0, func: WaitFunc::Equal, wide: false },
    ];
    for case in cases {
        let b = Bench::new();
        let mut q = b.queue(3, 7);
        let va = m(&b);
        b.submit(&mut q, &[case(va)]);
        let (_, fault) = b.fault();
        let FaultKind::WildAddress { nearest: Some((base, 64, name)), .. } = &fault.kind else { panic!("{fault}") };
        assert_eq!((*base, &**name), (va, "victim"), "{fault}");
        assert_eq!(fault.queue, (3, 7));
    }
}

/// A machine of this generation.
fn of(isa: Gen) -> Bench {
    let file = format!("{}/../../tests/machines/{}.toml", env!("CARGO_MANIFEST_DIR"), isa.name());
    let machine = Machine::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
    Bench::with(Config { timeout: PATIENCE, machine: machine.into(), ..Config::default() })
}

/// Copies, indirect dispatches and buffers as each generation writes them, to the end: GCN 1 copies by CP_DMA and takes group
/// counts at an offset from a base.
#[test]
fn generations_run_their_own_packets() {
    for isa in [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900, Gen::Gfx1030] {
        let b = of(isa);
        let mut q = b.queue(1, 0);
        let (from, to, counts, sums) =
            (b.memory(4 << 20, "from"), b.memory(4 << 20, "to"), b.memory(64, "counts"), b.memory(64, "sums"));
        b.gpu.write(from, &(0..4u32 << 20).map(|n| (n ^ n >> 9) as u8).collect::<Vec<_>>()).unwrap();
        // GCN 2's engine wants its arguments on 32 bytes.
        let at = counts + if isa == Gen::Gfx701 { 0 } else { 4 };
        b.gpu.write(at, bytemuck::cast_slice(&[5u32, 2, 1])).unwrap();
        // Every work-group adds 1 to what s[0:1] points to.
        let (add, load) = match isa {
            Gen::Gfx600 => (
                "buffer_atomic_add v1, off, s[4:7], 0",
                "s_mov_b32 s4, s0\ns_and_b32 s5, s1, 0xffff\ns_mov_b32 s6, -1\ns_mov_b32 s7, 0x27fac",
            ),
            Gen::Gfx701 => ("flat_atomic_add v[2:3], v1", "v_mov_b32 v2, s0\nv_mov_b32 v3, s1"),
            _ => ("global_atomic_add v[2:3], v1, off", "v_mov_b32 v2, s0\nv_mov_b32 v3, s1"),
        };
        let text = format!("{load}\ns_mov_b64 exec, 1\nv_mov_b32 v1, 1\n{add}\ns_endpgm");
        let code = b.code(&wavepipe_isa::asm::assemble(&text, isa, 64).unwrap_or_else(|e| panic!("{isa:?}: {e}")));
        let mut packets = kernel(code, sums, 0, 64, false);
        packets.push(Packet::DispatchIndirect { address: at, initiator: LAUNCH & !initiator::CS_W32_EN });
        packets.push(Packet::CsPartialFlush);
        let bytes = (3 << 20) + 7;
        packets.push(Packet::DmaData { source: DmaSource::Memory(from + 1), dest: to + 3, bytes, sync: true });
        packets.push(Packet::Nop { body: Vec::new() });
        let mut words = Vec::new();
        packets.iter().for_each(|p| p.encode(isa, &mut words));
        let indirect = b.code(&words);
        b.run(&mut q, &[Packet::IndirectBuffer { address: indirect, dwords: words.len() as u32 }]);
        assert_eq!(b.read32(sums), 10, "{isa:?}");
        let (mut source, mut copied) = (vec![0; bytes as usize], vec![0; bytes as usize]);
        b.gpu.read(from + 1, &mut source).unwrap();
        b.gpu.read(to + 3, &mut copied).unwrap();
        assert!(source == copied, "{isa:?}");
    }
}

/// A packet that another generation has is a fault with its name.
#[test]
fn packets_of_other_generations_are_faults() {
    for (isa, dwords, said) in [
        (Gen::Gfx600, &[0xc005_5002, 0, 0, 0, 0, 0, 64][..], "opcode 0x50 is not known"),
        (Gen::Gfx600, &[0xc001_7902, 0x380, 0], "opcode 0x79 is not known"),
        (Gen::Gfx900, &[0xc004_4102, 0, 0, 0, 0, 64], "opcode 0x41 is not known"),
        (Gen::Gfx701, &[0xc001_7602, 0x228, 0], "a register that compute does not have on this generation"),
    ] {
        let b = of(isa);
        let mut q = b.queue(0, 0);
        for (n, dword) in (0..).zip(dwords) {
            b.write32(q.base + 4 * n, *dword);
        }
        q.wptr = dwords.len() as u64;
        b.gpu.doorbell(q.id, q.wptr);
        let (_, fault) = b.fault();
        assert!(fault.to_string().contains(said), "{isa:?}: {fault}");
    }
}

#[test]
fn queue_slots_are_checked() {
    let b = Bench::new();
    let ring = b.memory(4096, "ring");
    let good = QueueDesc { ring_base: ring, ring_dwords: 512, rptr_report: ring + 4088, ..QueueDesc::default() };
    for bad in [
        QueueDesc { pipe: pipe::COUNT, ..good },
        QueueDesc { queue: 8, ..good },
        QueueDesc { ring_dwords: 500, ..good },
        QueueDesc { ring_dwords: 0, ..good },
        QueueDesc { priority: 16, ..good },
    ] {
        assert_eq!(b.gpu.map_queue(&bad), Err(PortError::BadQueue), "{bad:?}");
    }
    let outside = QueueDesc { ring_dwords: 2048, ..good };
    assert_eq!(b.gpu.map_queue(&outside), Err(PortError::BadAddress(ring, 8192)));
    let id = b.gpu.map_queue(&good).unwrap();
    assert_eq!(b.gpu.map_queue(&good), Err(PortError::BadQueue));
    b.gpu.unmap_queue(id);
    assert_eq!(b.gpu.map_queue(&good), Ok(id));
    b.gpu.doorbell(QueueId(31), 5);
    b.gpu.doorbell(QueueId(99), 5);
    b.gpu.unmap_queue(QueueId(99));
}

#[test]
fn reservations_leave_a_work_group_processor_for_all() {
    let b = Bench::new();
    let ring = b.memory(4096, "ring");
    let desc = |queue, reserved_cus| QueueDesc {
        queue,
        ring_base: ring,
        ring_dwords: 512,
        rptr_report: ring + 4088,
        reserved_cus,
        ..QueueDesc::default()
    };
    // 40 compute units, two of which are a work-group processor.
    assert_eq!(b.gpu.map_queue(&desc(0, 39)), Err(PortError::NoComputeUnits { asked: 39, free: 38 }));
    let first = b.gpu.map_queue(&desc(0, 30)).unwrap();
    assert_eq!(b.gpu.map_queue(&desc(1, 9)), Err(PortError::NoComputeUnits { asked: 9, free: 8 }));
    b.gpu.map_queue(&desc(2, 8)).unwrap();
    b.gpu.unmap_queue(first);
    b.gpu.map_queue(&desc(1, 9)).unwrap();
}

#[test]
fn a_ring_freed_under_its_queue_is_a_fault() {
    let b = Bench::new();
    let q = b.queue(0, 0);
    b.gpu.free(q.base);
    b.gpu.doorbell(q.id, 4);
    assert!(matches!(b.fault().1.kind, FaultKind::BadPacket { .. }));
}

/// A driver that submits from its interrupt handler, and one whose handler panics.
#[test]
fn an_interrupt_handler_may_ring_doorbells() {
    use std::sync::{Arc, OnceLock};
    let b = Bench::new();
    let mut q = b.queue(0, 0);
    let m = b.memory(64, "data");
    let gpu: Arc<wavepipe_core::Gpu> = Arc::new(b.gpu);
    let handle: Arc<OnceLock<std::sync::Weak<wavepipe_core::Gpu>>> = Arc::default();
    handle.set(Arc::downgrade(&gpu)).unwrap();
    let mut words = Vec::new();
    let (mut ends, id) = (Vec::new(), q.id);
    for i in 0..10 {
        Packet::ReleaseMem { address: m, data: ReleaseData::Value32(i + 1), interrupt: true }
            .encode(wavepipe_isa::Gen::Gfx1010, &mut words);
        ends.push(words.len() as u64);
    }
    gpu.write(q.base, bytemuck::cast_slice(&words)).unwrap();
    q.wptr = ends[0];
    let seen = std::sync::atomic::AtomicUsize::new(0);
    gpu.set_interrupt_handler(Box::new(move |_| {
        let n = seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
        if let (Some(gpu), Some(&wptr)) = (handle.get().unwrap().upgrade(), ends.get(n)) {
            gpu.host_wrote();
            gpu.doorbell(id, wptr);
        }
        // A panic without the message on stderr.
        std::panic::resume_unwind(Box::new(()));
    }));
    gpu.doorbell(id, q.wptr);
    let begin = std::time::Instant::now();
    let value = || {
        let mut v = [0; 4];
        gpu.read(m, &mut v).unwrap();
        u32::from_le_bytes(v)
    };
    while value() < 10 {
        assert!(begin.elapsed() < PATIENCE, "stopped at {}", value());
        std::thread::yield_now();
    }
}

#[test]
fn an_unmapped_queue_is_drained_or_given_up() {
    let b = Bench::new();
    let m = b.memory(64, "data");
    let mut q = b.queue(0, 0);
    let fill = Packet::DmaData { source: DmaSource::Fill(7), dest: m, bytes: 64, sync: false };
    b.submit(&mut q, &[fill, Packet::WriteData { address: m, data: vec![6] }]);
    b.gpu.unmap_queue(q.id);
    assert_eq!((b.read32(m), b.read32(m + 60)), (6, 7));
    let b = Bench::with(Config { timeout: Duration::from_millis(50), ..Config::default() });
    let m = b.memory(64, "data");
    let mut q = b.queue(0, 0);
    let never = Packet::WaitRegMem { address: m, reference: 1, mask: !0, func: WaitFunc::Equal, wide: false };
    b.submit(&mut q, &[never]);
    b.gpu.unmap_queue(q.id);
    // A queue that still waits ends with the GPU, too.
    let mut q = b.queue(0, 0);
    b.submit(&mut q, &[Packet::WaitRegMem { address: m, reference: 1, mask: !0, func: WaitFunc::Equal, wide: false }]);
}

#[test]
fn random_rings_never_bring_the_gpu_down() {
    let mut x = 0x1234_5678_9abc_def1_u64;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x as u32
    };
    let ops = [0x10, 0x15, 0x16, 0x37, 0x3c, 0x3f, 0x40, 0x46, 0x49, 0x50, 0x58, 0x76, 0x93];
    for _ in 0..150 {
        let b = Bench::with(Config { timeout: Duration::from_millis(10), threads: 2, ..Config::default() });
        let m = b.memory(4096, "data");
        let mut q = b.queue_of(1, 1, 64, 0);
        for i in 0..64 {
            let w = match next() % 4 {
                0 => 3 << 30 | (next() % 8) << 16 | ops[next() as usize % ops.len()] << 8,
                1 => m as u32 + next() % 4096,
                2 => (m >> 32) as u32,
                _ => next() >> (next() % 32),
            };
            b.write32(q.base + 4 * i, w);
        }
        // Start at something that decodes now and then.
        b.write32(q.base, 3 << 30 | (next() % 8) << 16 | ops[next() as usize % ops.len()] << 8);
        q.wptr = 64;
        b.gpu.doorbell(q.id, q.wptr);
        let mut good = b.queue(1, 0);
        b.run(&mut good, &[Packet::CsPartialFlush]);
        b.gpu.unmap_queue(q.id);
    }
}
