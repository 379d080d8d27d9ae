//! The machine on a clock through its ring: results, barriers, faults, queues and policies.

use crate::common::*;
use std::sync::Arc;
use wavepipe_core::Config;
use wavepipe_core::policy::Policy;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pipe;
use wavepipe_hw::pm4::{DmaSource, Packet, ReleaseData, WaitFunc};
use wavepipe_hw::port::{GlobalPriority, GpuPort, HostMemory, QueueDesc};
use wavepipe_timing::lab::{Kernel, packets};

/// Each work-item of `groups` of 256 stores its number squared; through LDS, over a barrier, in turned order.
const TURNED: &str = "
    v_lshlrev_b32 v1, 2, v0
    s_lshl_b32 s9, s8, 8
    v_add_nc_u32 v2, s9, v0
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v3, 255, v0
    v_lshlrev_b32 v3, 2, v3
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    v_mul_lo_u32 v4, v4, v4
    v_lshlrev_b32 v5, 2, v2
    global_store_dword v5, v4, s[0:1]
    s_endpgm";

fn turned(bench: &Bench, wave: WaveSize, out: u64, groups: u32) -> Kernel {
    let code = bench.code(TURNED, wave);
    let user_data = vec![out as u32, (out >> 32) as u32, 0, 0, 0, 0, 0, 0];
    Kernel { code, wave, vgprs: 24, lds_bytes: 1024, user_data, workgroup: 256, groups, wgp_mode: true }
}

fn check_turned(bench: &Bench, out: u64, groups: u32) {
    for i in 0..groups * 256 {
        let from = i & !255 | 255 - (i & 255);
        assert_eq!(bench.read32(out + 4 * u64::from(i)), from.wrapping_mul(from), "item {i}");
    }
}

#[test]
fn results_and_cycles_are_the_same_every_time() {
    for wave in [WaveSize::W32, WaveSize::W64] {
        let mut seen = Vec::new();
        for threads in [1, 2, 7] {
            let mut bench = Bench::with(Config { threads, ..Config::default() });
            let mut queue = bench.queue(QueueDesc::default());
            let out = bench.memory(4 * 256 * 300);
            let kernel = turned(&bench, wave, out, 300);
            bench.submit(&mut queue, &packets(&kernel));
            bench.wait(&queue);
            check_turned(&bench, out, 300);
            let report = bench.reports().pop().unwrap();
            assert_eq!(report.counters.workgroups, 300);
            assert_eq!(report.counters.waves, u64::from(300 * 256 / wave.lanes()));
            assert_eq!(report.counters.instructions, report.counters.waves * 14);
            seen.push((report.launched, report.ended, report.counters.stalls));
        }
        assert!(seen.windows(2).all(|w| w[0] == w[1]), "{seen:?}");
    }
}

/// A loop of `n` times two multiply-adds of doubles in each wave, then a store of the result. Eight waves fill a SIMD, and 80
/// work-groups the machine.
fn heavy(bench: &Bench, out: u64, n: u32, groups: u32) -> Kernel {
    let text = format!(
        "s_mov_b32 s9, 0
         v_cvt_f64_u32 v[4:5], v0
         v_cvt_f64_u32 v[6:7], v0
         again:
         v_fma_f64 v[6:7], v[6:7], 0.5, v[4:5]
         v_fma_f64 v[6:7], v[6:7], 0.5, v[4:5]
         s_add_u32 s9, s9, 1
         s_cmp_lt_u32 s9, 0x{n:x}
         s_cbranch_scc1 again
         s_lshl_b32 s9, s8, 8
         v_add_nc_u32 v3, s9, v0
         v_lshlrev_b32 v3, 3, v3
         global_store_dwordx2 v3, v[6:7], s[0:1]
         s_endpgm"
    );
    let code = bench.code(&text, WaveSize::W32);
    let user_data = vec![out as u32, (out >> 32) as u32, 0, 0, 0, 0, 0, 0];
    Kernel { code, wave: WaveSize::W32, vgprs: 128, lds_bytes: 4096, user_data, workgroup: 256, groups, wgp_mode: true }
}

fn check_heavy(bench: &Bench, out: u64, n: u32, groups: u32) {
    for i in (0..groups * 256).step_by(37) {
        let x = f64::from(i & 255);
        let want = (0..2 * n).fold(x, |v, _| v.mul_add(0.5, x));
        assert_eq!(bench.read64(out + 8 * u64::from(i)), want.to_bits(), "item {i}");
    }
}

/// Runs a heavy kernel on a LOW queue, and once it fills the machine a small one on a REALTIME queue. Gives the small one's
/// cycles from its packet to its end, the same alone, and the heavy one's cycles.
fn beside(policy: Option<Policy>) -> (u64, u64, u64) {
    let (n, groups) = (300, 160);
    let machine = Arc::new(Machine::default());
    let mut bench = Bench::with(Config { machine, policy, ..Config::default() });
    let low = QueueDesc { pipe: 1, global: GlobalPriority::Low, ..QueueDesc::default() };
    let mut low = bench.queue(low);
    let real = QueueDesc { pipe: 2, queue: 3, global: GlobalPriority::Realtime, ..QueueDesc::default() };
    let mut real = bench.queue(real);
    let (out, small) = (bench.memory(8 * 256 * u64::from(groups)), bench.memory(4 * 256 * 40));
    let flag = bench.memory(64);
    // As many registers as the heavy one's: it does not fit beside that.
    let kernel = Kernel { vgprs: 128, ..turned(&bench, WaveSize::W32, small, 40) };
    bench.submit(&mut real, &packets(&kernel));
    bench.wait(&real);
    let alone = bench.reports().pop().unwrap();

    // The small one waits for a flag that the LOW queue writes behind the heavy launch, which by then is running.
    let wait = Packet::WaitRegMem { address: flag, reference: 1, mask: !0, func: WaitFunc::Equal, wide: false };
    let mut behind = vec![wait];
    behind.extend(packets(&kernel));
    let heavy = heavy(&bench, out, n, groups);
    let mut first = packets(&heavy);
    first.extend((0..400).map(|_| Packet::Nop { body: vec![] }));
    first.push(Packet::WriteData { address: flag, data: vec![1] });
    bench.submit(&mut real, &behind);
    bench.submit(&mut low, &first);
    bench.wait(&low);
    bench.wait(&real);
    check_turned(&bench, small, 40);
    check_heavy(&bench, out, n, groups);
    let reports = bench.reports();
    for r in &reports {
        // Each cycle of a wave on the machine is an issue or a stall, however often it was taken off.
        let c = &r.counters;
        assert_eq!(c.resident, c.passes + c.stalls.iter().sum::<u64>());
        assert_eq!(c.resident, r.occupancy.resident.iter().sum::<u64>());
    }
    let [real, low] = [real.number, low.number].map(|q| reports.iter().find(|r| r.queue == q).unwrap());
    assert!(real.launched > low.launched, "the heavy one came first");
    (real.ended - real.launched, alone.ended - alone.launched, low.ended - low.launched)
}

/// Figure 5 of the whitepaper: under tunnelling the arriving work takes about the time that it takes alone; the work that made
/// room is right all the same, and pays for saving and restoring; sharing makes the arriving work wait for room.
#[test]
fn tunnelling_makes_room_and_sharing_does_not() {
    let (share, alone, heavy) = beside(Some(Policy::Share));
    let (limit, ..) = beside(Some(Policy::Limit));
    let (tunnel, _, suspended) = beside(Some(Policy::Tunnel));
    let (default, ..) = beside(None);
    assert_eq!(default, tunnel, "REALTIME means tunnelling");
    // Saving the registers of two SIMDs at 25 bytes a cycle takes 10,486 cycles, and the LDS some more.
    assert!(tunnel < alone + 16_000, "alone {alone}, tunnel {tunnel}");
    assert!(share > tunnel + 10_000, "share {share}, tunnel {tunnel}");
    assert!(limit < share, "limit {limit}, share {share}");
    assert!(suspended > heavy, "{suspended} with, {heavy} without suspension");
}

/// Reserved compute units are free for their queue, and for nobody else.
#[test]
fn reserved_compute_units_are_free_when_their_queue_comes() {
    let mut bench = Bench::with(Config { policy: Some(Policy::Share), ..Config::default() });
    let mut low = bench.queue(QueueDesc { pipe: 1, ..QueueDesc::default() });
    let mut own = bench.queue(QueueDesc { pipe: 2, reserved_cus: 4, ..QueueDesc::default() });
    let (out, small, flag) = (bench.memory(8 * 256 * 160), bench.memory(4 * 256 * 8), bench.memory(64));
    let kernel = turned(&bench, WaveSize::W32, small, 8);
    bench.submit(&mut own, &packets(&kernel));
    bench.wait(&own);
    let alone = bench.reports().pop().unwrap();
    let wait = Packet::WaitRegMem { address: flag, reference: 1, mask: !0, func: WaitFunc::Equal, wide: false };
    let mut behind = vec![wait];
    behind.extend(packets(&kernel));
    let mut first = packets(&heavy(&bench, out, 150, 160));
    first.extend((0..400).map(|_| Packet::Nop { body: vec![] }));
    first.push(Packet::WriteData { address: flag, data: vec![1] });
    bench.submit(&mut own, &behind);
    bench.submit(&mut low, &first);
    bench.wait(&low);
    bench.wait(&own);
    let reports = bench.reports();
    let with = reports.iter().find(|r| r.queue == own.number).unwrap();
    let (alone, with) = (alone.ended - alone.launched, with.ended - with.launched);
    assert!(with < alone + alone / 4, "alone {alone}, beside a full machine {with}");
}

/// A fault stops its queue alone, with a report.
#[test]
fn a_fault_stops_its_queue_alone() {
    let bench = Bench::with(Config::default());
    let mut bad = bench.queue(QueueDesc { pipe: 1, ..QueueDesc::default() });
    let mut good = bench.queue(QueueDesc { pipe: 2, ..QueueDesc::default() });
    let code =
        bench.code("v_mov_b32 v1, 0\nv_mov_b32 v2, 16\nglobal_load_dword v3, v[1:2], off\ns_endpgm", WaveSize::W32);
    let kernel = Kernel {
        code,
        wave: WaveSize::W32,
        vgprs: 8,
        lds_bytes: 0,
        user_data: vec![],
        workgroup: 64,
        groups: 100,
        wgp_mode: true,
    };
    let out = bench.memory(4 * 256 * 20);
    bench.submit(&mut bad, &packets(&kernel));
    let fine = turned(&bench, WaveSize::W32, out, 20);
    bench.submit(&mut good, &packets(&fine));
    bench.wait(&good);
    check_turned(&bench, out, 20);
    let fault = bench.fault();
    assert!(matches!(fault.kind, FaultKind::WildAddress { write: false, .. }), "{fault}");
    assert_eq!(fault.queue.0, 1);
    assert_eq!(fault.site.as_ref().map(|s| s.disassembly.as_str()), Some("global_load_dword v3, v[1:2], off"));
}

/// Two kernels, each of which waits for what the other writes, at once on two queues.
#[test]
fn two_queues_run_at_once() {
    let text = "
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        global_store_dword v1, v2, s[2:3] glc dlc
        again:
        s_sleep 1
        global_load_dword v3, v1, s[0:1] glc dlc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s9, v3
        s_cmp_eq_u32 s9, 0
        s_cbranch_scc1 again
        s_endpgm";
    let bench = Bench::with(Config::default());
    let flags = [bench.memory(64), bench.memory(64)];
    let code = bench.code(text, WaveSize::W32);
    for (pipe, [own, other]) in [(1, [0, 1]), (2, [1, 0])] {
        let mut queue = bench.queue(QueueDesc { pipe, ..QueueDesc::default() });
        let words = |va: u64| [va as u32, (va >> 32) as u32];
        let mut user_data: Vec<u32> = [words(flags[own]), words(flags[other])].concat();
        user_data.resize(8, 0);
        let kernel = Kernel {
            code,
            wave: WaveSize::W32,
            vgprs: 8,
            lds_bytes: 0,
            user_data,
            workgroup: 32,
            groups: 1,
            wgp_mode: true,
        };
        bench.submit(&mut queue, &packets(&kernel));
        if pipe == 2 {
            bench.wait(&queue);
        }
    }
    assert_eq!(flags.map(|f| bench.read32(f)), [1, 1]);
}

/// The clock stands still while nothing is submitted, and timestamps are the machine's time.
#[test]
fn time_passes_while_somebody_waits() {
    let mut bench = Bench::with(Config::default());
    let mut queue = bench.queue(QueueDesc::default());
    let out = bench.memory(4 * 256 * 4);
    let kernel = turned(&bench, WaveSize::W32, out, 4);
    bench.submit(&mut queue, &packets(&kernel));
    assert_eq!(bench.gpu.clock(), 0);
    bench.wait(&queue);
    let report = bench.reports().pop().unwrap();
    let ticks = Machine::default().ticks(report.ended);
    assert!(bench.gpu.clock() >= ticks && bench.gpu.clock() < ticks + 100, "{ticks} {}", bench.gpu.clock());
}

/// A queue that waits for the clock starts its work at that tick, whatever else runs, and nothing is computed meanwhile.
#[test]
fn a_queue_waits_for_the_clock() {
    let mut bench = Bench::with(Config::default());
    let mut queue = bench.queue(QueueDesc::default());
    let out = bench.memory(4 * 256);
    let kernel = turned(&bench, WaveSize::W32, out, 1);
    let tick = 1_000_000;
    let mut all = vec![Packet::WaitClock { tick }];
    all.extend(packets(&kernel));
    bench.submit(&mut queue, &all);
    bench.wait(&queue);
    let report = bench.reports().pop().unwrap();
    let machine = Machine::default();
    let begin = machine.cycle_of_tick(tick);
    assert!(report.launched >= begin && report.launched < begin + 1000, "{begin} {}", report.launched);
    assert_eq!((machine.ticks(begin), machine.ticks(begin - 1)), (tick, tick - 1));
    // 10 ms of an RX 5700 XT.
    assert_eq!(begin, 19_050_000);
}

/// A copy from the host's memory goes at the link's rate, a copy within the card's at its memory's.
#[test]
fn copies_from_the_host_go_over_the_link() {
    let mut bench = Bench::with(Config::default());
    let mut queue = bench.queue(QueueDesc { pipe: pipe::DMA, ..QueueDesc::default() });
    let bytes = 8 << 20;
    let owner: Arc<Vec<u8>> = Arc::new(vec![7; bytes as usize + 4096]);
    let first = owner.as_ptr().cast_mut();
    let first = first.wrapping_add(first.align_offset(4096));
    // SAFETY: a page-aligned part of the vector, which the mapping keeps; nobody else looks at it meanwhile.
    let memory = unsafe { HostMemory::new(first, bytes, owner.clone()) };
    let host = bench.gpu.map_host(memory, "host").unwrap().va;
    let [a, b, times] = [bench.memory(bytes), bench.memory(bytes), bench.memory(64)];
    let time = |at: u64| Packet::ReleaseMem { address: times + at, data: ReleaseData::Clock, interrupt: false };
    let copy =
        |source, dest| Packet::DmaData { source: DmaSource::Memory(source), dest, bytes: bytes as u32, sync: true };
    bench.submit(&mut queue, &[time(0), copy(host, a), time(8), copy(a, b), time(16)]);
    bench.wait(&queue);
    assert_eq!(bench.read32(b + bytes - 4), 0x0707_0707);
    let [t0, t1, t2] = [0, 8, 16].map(|at| bench.read64(times + at));
    let machine = Machine::default();
    let seconds = |ticks: u64| ticks as f64 / (machine.clock.reference_mhz.value * 1e6);
    let link = bytes as f64 / (machine.pcie.gbytes_per_second.value * 1e9);
    assert!((seconds(t1 - t0) / link - 1.0).abs() < 0.05, "{} s, {link} s at the link's rate", seconds(t1 - t0));
    // Read and written: at most half of the bandwidth.
    let memory = 2.0 * bytes as f64 / machine.memory_bandwidth();
    assert!(seconds(t2 - t1) >= memory && seconds(t2 - t1) < 1.5 * memory, "{} s, {memory} s", seconds(t2 - t1));
    let _ = bench.reports();
}

/// REALTIME work that spins on what suspended work is to write gets it: suspended work has a turn now and then.
#[test]
fn who_spins_on_lower_work_gets_what_it_waits_for() {
    let mut machine = Machine::default();
    machine.launch.patience_ns.value = 20_000.0;
    let config = Config { machine: Arc::new(machine), policy: Some(Policy::Tunnel), ..Config::default() };
    let bench = Bench::with(config);
    let mut low = bench.queue(QueueDesc { pipe: 1, global: GlobalPriority::Low, ..QueueDesc::default() });
    let mut real = bench.queue(QueueDesc { pipe: 2, global: GlobalPriority::Realtime, ..QueueDesc::default() });
    let flag = bench.memory(64);
    let spin = "again:\nglobal_load_dword v3, v1, s[0:1] glc dlc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s9, v3\ns_cmp_eq_u32 s9, 0\ns_cbranch_scc1 again\ns_endpgm";
    // About 60 us of work, then the flag.
    let late = "s_mov_b32 s9, 0\nagain:\ns_sleep 4\ns_add_u32 s9, s9, 1\ns_cmp_lt_u32 s9, 400\ns_cbranch_scc1 again\nv_mov_b32 v2, 1\nglobal_store_dword v1, v2, s[0:1]\ns_endpgm";
    let kernel = |text: &str| Kernel {
        code: bench.code(&format!("v_mov_b32 v1, 0\n{text}"), WaveSize::W32),
        wave: WaveSize::W32,
        vgprs: 8,
        lds_bytes: 0,
        user_data: vec![flag as u32, (flag >> 32) as u32],
        workgroup: 32,
        groups: 1,
        wgp_mode: true,
    };
    bench.submit(&mut real, &packets(&kernel(spin)));
    bench.submit(&mut low, &packets(&kernel(late)));
    bench.wait(&real);
    bench.wait(&low);
    assert_eq!(bench.read32(flag), 1);
}
