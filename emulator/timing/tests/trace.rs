//! Traces as files: read back by a plain reader, and held against what the machine counted.

use crate::common::perfetto::{Slice, Trace};
use crate::common::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use wavepipe_core::Config;
use wavepipe_core::policy::Policy;
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pm4::{Packet, WaitFunc};
use wavepipe_hw::port::{GlobalPriority, QueueDesc};
use wavepipe_timing::DispatchReport;
use wavepipe_timing::lab::{Kernel, packets};
use wavepipe_timing::trace::{self, Detail, Symbols};

/// Names code by its address.
struct Names;

impl Symbols for Names {
    fn code(&self, va: u64) -> Option<(u64, Arc<CodeObject>)> {
        Some((va, Arc::new(CodeObject { name: format!("k{va:x}"), ..CodeObject::default() })))
    }

    fn source(&self, _: &CodeObject, _: u32) -> Option<String> {
        None
    }
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()))
}

/// A loop of `n` turns, then a store of each work-item's number, by 256 work-items.
fn counting(bench: &Bench, out: u64, n: u32, groups: u32) -> Kernel {
    let text = format!(
        "s_mov_b32 s9, 0
         again:
         s_add_u32 s9, s9, 1
         s_cmp_lt_u32 s9, 0x{n:x}
         s_cbranch_scc1 again
         s_lshl_b32 s9, s8, 8
         v_add_nc_u32 v3, s9, v0
         v_lshlrev_b32 v4, 2, v3
         global_store_dword v4, v3, s[0:1]
         s_endpgm"
    );
    let code = bench.code(&text, WaveSize::W32);
    let user_data = vec![out as u32, (out >> 32) as u32, 0, 0, 0, 0, 0, 0];
    Kernel { code, wave: WaveSize::W32, vgprs: 128, lds_bytes: 4096, user_data, workgroup: 256, groups, wgp_mode: true }
}

const HEAVY: u32 = 200;
const SMALL: u32 = 40;

/// Fills the machine from a LOW queue; then a REALTIME queue, which has waited for a flag, wants all of it. The trace,
/// what the machine reported, and the queues' numbers: the heavy one's first.
fn tunnelled(name: &str, detail: Detail) -> (Trace, Vec<DispatchReport>, [usize; 2]) {
    let machine = Arc::new(Machine::default());
    let path = scratch(name);
    let recorder = trace::perfetto(&path, machine.clone(), detail, Box::new(Names)).unwrap();
    let config = Config { machine, policy: Some(Policy::Tunnel), ..Config::default() };
    let mut bench = Bench::recorded(config, Some(recorder));
    let mut low = bench.queue(QueueDesc { pipe: 1, global: GlobalPriority::Low, ..QueueDesc::default() });
    let mut real =
        bench.queue(QueueDesc { pipe: 2, queue: 3, global: GlobalPriority::Realtime, ..QueueDesc::default() });
    let (out, small, flag) =
        (bench.memory(1024 * u64::from(HEAVY)), bench.memory(1024 * u64::from(SMALL)), bench.memory(64));
    let wait = Packet::WaitRegMem { address: flag, reference: 1, mask: !0, func: WaitFunc::Equal, wide: false };
    let mut behind = vec![wait];
    behind.extend(packets(&counting(&bench, small, 20, SMALL)));
    let mut first = packets(&counting(&bench, out, 400, HEAVY));
    first.extend((0..100).map(|_| Packet::Nop { body: vec![] }));
    first.push(Packet::WriteData { address: flag, data: vec![1] });
    bench.submit(&mut real, &behind);
    bench.submit(&mut low, &first);
    bench.wait(&low);
    bench.wait(&real);
    let reports = bench.reports();
    let file = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    (Trace::read(&file), reports, [low.number, real.number])
}

fn sum(slices: &[&Slice], f: impl Fn(&Slice) -> u64) -> u64 {
    slices.iter().map(|s| f(s)).sum()
}

#[test]
fn a_perfetto_trace_has_every_wave_wait_signal_and_suspension() {
    let (trace, reports, [low, real]) = tunnelled("tunnelled.pftrace", Detail::Waves);
    let machine = Machine::default();
    let report = |queue| reports.iter().find(|r| r.queue == queue).unwrap();
    let (heavy, small) = (report(low), report(real));
    assert_eq!(heavy.counters.waves, u64::from(HEAVY * 8));

    // Each wave, in each of its stays on the machine.
    let waves: Vec<&Slice> = trace.of("wave").collect();
    let who = |s: &Slice| (s.numbers["dispatch"], s.numbers["group"], s.numbers["wave"]);
    let distinct: BTreeSet<_> = waves.iter().map(|s| who(s)).collect();
    assert_eq!(distinct.len() as u64, heavy.counters.waves + small.counters.waves);
    let suspended = sum(&waves, |s| s.numbers["suspended"]);
    assert!(suspended > 0 && suspended == sum(&waves, |s| s.numbers["resumed"]));
    assert_eq!(waves.len() as u64, distinct.len() as u64 + suspended);
    // Arrows join the stays of a wave, and of no other.
    let mut by_arrow: BTreeMap<u64, BTreeSet<_>> = BTreeMap::new();
    for s in &waves {
        by_arrow.entry(s.flows[0]).or_default().insert(who(s));
    }
    assert!(by_arrow.len() == distinct.len() && by_arrow.values().all(|w| w.len() == 1));
    for wave in &waves {
        let path = trace.path(wave.track);
        let parts: Vec<&str> = path.split('/').collect();
        assert!(parts.len() == 6 && parts[1].starts_with("shader engine ") && parts[5].starts_with("slot "), "{path}");
        assert!(wave.depth == 0 && wave.end.is_some());
        assert_eq!(wave.begin, (wave.numbers["cycle"] as f64 * 1000.0 / machine.clock.shader_mhz.value) as u64);
    }
    let of = |number| waves.iter().copied().filter(|s| s.numbers["dispatch"] == number).collect::<Vec<_>>();
    let stay = |s: &Slice| s.numbers["end cycle"] - s.numbers["cycle"];
    // The cycle in which a wave's last instruction issues is one of its own.
    assert_eq!(sum(&of(small.number), stay) + small.counters.waves, small.counters.resident);

    // Dispatches, on their queues; the heavy one is suspended for as long as the small one runs, or longer.
    let dispatches: Vec<&Slice> = trace.of("dispatch").collect();
    assert_eq!(dispatches.len(), 2);
    for (queue, report) in [("ACE 0/queue 0, LOW 0", heavy), ("ACE 1/queue 3, REALTIME 0", small)] {
        let slice = dispatches.iter().find(|s| s.numbers["dispatch"] == report.number).unwrap();
        assert!(trace.path(slice.track).ends_with(&format!("{queue}/dispatches")), "{}", trace.path(slice.track));
        assert_eq!(slice.name, format!("k{:x}", report.code_va));
        assert_eq!((slice.numbers["cycle"], slice.numbers["end cycle"]), (report.launched, report.ended));
        let first = of(report.number).into_iter().find(|w| w.flows.contains(&slice.flows[0])).unwrap();
        assert!(first.begin >= slice.begin);
    }
    let standing: Vec<&Slice> = trace.of("standing").collect();
    assert!(standing.iter().all(|s| s.name == "suspended" && s.depth == 1), "{standing:?}");
    let held = standing.iter().map(|s| s.end.unwrap() - s.begin).max().unwrap();
    let small_ns = dispatches.iter().find(|s| s.numbers["dispatch"] == small.number).map(|s| s.end.unwrap() - s.begin);
    assert!(held + 1000 > small_ns.unwrap(), "{held} beside {small_ns:?}");

    // The semaphore: a wait that ends with the packet which an arrow from the signal reaches.
    let packet = |name: &str| trace.of("packet").find(|s| s.name == name && !s.flows.is_empty()).unwrap();
    let (signal, awaited) = (packet("WRITE_DATA"), packet("WAIT_REG_MEM"));
    assert_eq!(signal.flows, awaited.flows);
    let wait = trace.of("wait").find(|s| s.name == "waits for a semaphore").unwrap();
    assert!(wait.track == awaited.track && wait.end == Some(awaited.begin) && signal.begin <= awaited.begin);
    assert!(trace.of("packet").any(|s| trace.path(s.track).ends_with("/ACE 1") && s.name == "DISPATCH_DIRECT"));

    // Counters.
    let resident = trace.counter("waves resident");
    let slots = machine.wgps() * machine.simds_per_wgp() * machine.simd.wave_slots.value;
    assert!(resident.iter().all(|(_, v)| *v <= slots as f64) && resident.last().unwrap().1 == 0.0);
    // 128 registers: eight waves a SIMD, 640 on the machine; the suspended ones were all of them.
    assert_eq!(resident.iter().map(|v| v.1).fold(0.0, f64::max), 640.0);
    let away = trace.counter("waves suspended");
    assert_eq!((away.iter().map(|v| v.1).fold(0.0, f64::max), away.last().unwrap().1), (640.0, 0.0));
    let written = trace.counter("memory written");
    let peak = machine.memory_bandwidth() / 1e9;
    assert!(written.iter().all(|(_, v)| (0.0..=peak * 1.000_001).contains(v)));
}

#[test]
fn instructions_lie_in_their_waves_each_with_what_it_waited_for() {
    let (trace, reports, _) = tunnelled("instructions.pftrace", Detail::Instructions);
    let total = |f: fn(&DispatchReport) -> u64| reports.iter().map(f).sum::<u64>();
    let instructions: Vec<&Slice> = trace.of("instruction").collect();
    assert_eq!(instructions.len() as u64, total(|r| r.counters.instructions));
    assert!(instructions.iter().all(|s| s.depth == 1 && s.end.is_some()));
    let ends = instructions.iter().filter(|s| s.name == "s_endpgm").count();
    assert_eq!(ends as u64, total(|r| r.counters.waves));
    let stores = instructions.iter().filter(|s| s.texts["class"] == "vector memory").count();
    assert_eq!(stores, ends);
    assert!(instructions.iter().any(|s| s.name == "v_lshlrev_b32_e32 v4, 2, v3"));
    // S_CBRANCH_SCC1 reads what the comparison wrote in the cycle before the last: it waits.
    let stalls: BTreeSet<&str> = trace.of("stall").map(|s| s.name.as_str()).collect();
    assert!(stalls.contains("scalar result") && stalls.contains("branch"), "{stalls:?}");
}

#[test]
fn a_trace_that_cannot_be_written_says_so() {
    let machine = Arc::new(Machine::default());
    let nowhere = trace::perfetto(&scratch("no/such/folder"), machine.clone(), Detail::Waves, Box::new(Names));
    assert!(nowhere.is_err());
    if cfg!(target_os = "linux") {
        let full = trace::perfetto("/dev/full".as_ref(), machine, Detail::Waves, Box::new(Names)).unwrap();
        let bench = Bench::recorded(Config::default(), Some(full));
        let mut queue = bench.queue(QueueDesc::default());
        bench.submit(&mut queue, &[Packet::Nop { body: vec![] }]);
        bench.wait(&queue);
        let engine = bench.engine.lock();
        let why = engine.recording_failure().expect("the device is full");
        assert!(why.contains("/dev/full") && why.contains("the rest of it is missing"), "{why}");
    }
}
