//! The driver on a machine with a clock of its own: timestamps are the clock's time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use wavepipe_runtime::hw::code::{CodeObject, SystemSgprs};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::hw::perf::Event;
use wavepipe_runtime::isa::{Gen, asm};
use wavepipe_runtime::tested::events;
use wavepipe_runtime::*;

/// A thousand times five instructions.
const LOOP: &str = "
    s_mov_b32 s9, 0
    again:
    v_fma_f32 v1, v0, v0, v1
    s_add_u32 s9, s9, 1
    s_cmp_lt_u32 s9, 0x3e8
    s_cbranch_scc1 again
    s_endpgm";

fn kernel(device: &Arc<Device>) -> Arc<ComputePipeline> {
    let words = asm::assemble(LOOP, Gen::Gfx1010, 32).unwrap();
    let object = CodeObject {
        name: "loop".into(),
        text: words.iter().chain(&[wavepipe_hw::code::S_CODE_END; 16]).flat_map(|w| w.to_le_bytes()).collect(),
        wave: WaveSize::W32,
        sgprs: 16,
        vgprs: 8,
        workgroup: [64, 1, 1],
        system: SystemSgprs { tgid_x: true, ..SystemSgprs::default() },
        ..CodeObject::default()
    };
    let layout = PipelineLayout::new(Vec::new(), 0).unwrap();
    ComputePipeline::from_code_object(device, object, &layout).unwrap()
}

/// Two timestamps enclose a dispatch as the machine itself saw it, but for the packets between and the end of pipe's own time;
/// work that was submitted is what moves the clock.
#[test]
fn timestamps_are_the_machines_cycles() {
    let machine = Machine::default();
    let mut seen = Vec::new();
    for threads in [1, 3] {
        let config = Config { timing: true, threads, cache: None, ..Config::checked() };
        let device = Device::new(&config).unwrap();
        let queue = device.queue(0, 0).unwrap();
        let kernel = kernel(&device);
        let pool = QueryPool::timestamps(&device, 2).unwrap();
        let mut commands = CommandBuffer::new(&device);
        commands.begin();
        commands.reset_query_pool(&pool, 0, 2);
        commands.write_timestamp(&pool, 0, false);
        commands.bind_pipeline(&kernel);
        commands.dispatch([90, 1, 1]);
        commands.write_timestamp(&pool, 1, true);
        commands.end().unwrap();
        let info = SubmitInfo { command_buffers: vec![commands.recording().unwrap()], ..SubmitInfo::default() };
        assert_eq!(device.clock(), 0, "nothing has happened yet");
        queue.submit(&info, None).unwrap();
        queue.wait_idle().unwrap();
        let mut out = [0; 16];
        let flags = QueryResultFlags { wide: true, ..QueryResultFlags::default() };
        assert!(pool.results(0, 2, &mut out, 8, flags).unwrap());
        let [before, after] = [0, 8].map(|at| u64::from_le_bytes(out[at..at + 8].try_into().unwrap()));

        let reports = device.timing().unwrap().reports();
        let report = reports.iter().find(|r| r.code_va == kernel.address()).unwrap();
        assert_eq!((report.counters.waves, report.counters.instructions), (180, 180 * (2 + 4 * 1000)));
        // Registers of the kernel are a few packets.
        let command = &machine.command;
        let between = 16 * command.packet.value;
        let [launched, ended] = [report.launched, report.ended];
        assert!(before <= machine.ticks(launched) && before >= machine.ticks(launched.saturating_sub(between)));
        let late = command.release.value + 2 * command.packet.value;
        assert!(after >= machine.ticks(ended) && after <= machine.ticks(ended + late), "{after} after {ended}");
        assert!(device.clock() >= after);
        seen.push((before, after, launched, ended));
    }
    assert_eq!(seen[0], seen[1], "the host's threads are no part of the machine's time");
}

/// Sixteen counters around a dispatch whose instructions are known; and none where there is no clock.
#[test]
fn performance_counters_count_what_a_dispatch_does() {
    let device = Device::new(&Config { timing: true, cache: None, ..Config::checked() }).unwrap();
    let queue = device.queue(0, 0).unwrap();
    let kernel = kernel(&device);
    let all: Vec<u32> = (0..PERFORMANCE_COUNTERS.len() as u32).collect();
    let pool = QueryPool::performance(&device, 2, &all).unwrap();
    let mut commands = CommandBuffer::new(&device);
    commands.begin();
    commands.reset_query_pool(&pool, 0, 2);
    commands.bind_pipeline(&kernel);
    commands.dispatch([7, 1, 1]);
    commands.begin_query(&pool, 1);
    commands.dispatch([90, 1, 1]);
    commands.end_query(&pool, 1);
    commands.dispatch([3, 1, 1]);
    commands.end().unwrap();
    let info = SubmitInfo { command_buffers: vec![commands.recording().unwrap()], ..SubmitInfo::default() };
    queue.submit(&info, None).unwrap();
    queue.wait_idle().unwrap();
    let mut out = vec![0; 8 * all.len()];
    let stride = out.len() as u64;
    assert!(!pool.results(0, 1, &mut out, stride, QueryResultFlags::default()).unwrap(), "never begun");
    assert!(pool.results(1, 1, &mut out, stride, QueryResultFlags::default()).unwrap());
    let words: Vec<u64> = out.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    let count = |name: &str| words[PERFORMANCE_COUNTERS.iter().position(|c| c.name == name).unwrap()];
    let real = |name: &str| f64::from_bits(count(name));
    assert_eq!(count("Waves"), 180);
    assert_eq!(count("Instructions"), 180 * 4002);
    assert_eq!((count("VALU Instructions"), count("SALU Instructions")), (180_000, 180 * 2001));
    assert_eq!((count("SMEM Load Instructions"), count("LDS Instructions")), (0, 0));
    assert_eq!((count("VMEM Load Instructions"), count("VMEM Store Instructions")), (0, 0));
    let reports = device.timing().unwrap().reports();
    let report = reports.iter().filter(|r| r.code_va == kernel.address()).nth(1).unwrap();
    let (cycles, taken) = (count("GPU active cycles"), report.ended - report.launched);
    assert!(cycles >= taken && cycles < taken + 2000, "{cycles} for {taken}");
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(near(real("VALU Busy"), 100.0 * 180_000.0 / (cycles * 80) as f64), "{}", real("VALU Busy"));
    assert!(near(real("SALU Busy"), 100.0 * (180.0 * 2001.0) / (cycles * 40) as f64));

    let without = Device::new(&Config { timing: false, cache: None, ..Config::checked() }).unwrap();
    assert!(QueryPool::performance(&without, 1, &all).is_err());
    assert!(QueryPool::performance(&device, 1, &[16]).is_err());
}

#[test]
fn all_counters_are_sampled_in_one_pass() {
    let mut used = BTreeMap::new();
    let all: BTreeSet<Event> = PERFORMANCE_COUNTERS.iter().flat_map(events).collect();
    all.iter().for_each(|e| *used.entry(e.block()).or_insert(0) += 1);
    assert!(used.into_iter().all(|(block, n)| n <= block.counters()));
}
