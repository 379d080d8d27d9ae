//! The runtime on the real GPU core: packets, memory and synchronization with kernels assembled by hand.

use crate::host_time::{PATIENCE, ample};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wavepipe_runtime::hw::code::{CodeObject, SystemSgprs};
use wavepipe_runtime::hw::fault::FaultKind;
use wavepipe_runtime::hw::launch::UserData;
use wavepipe_runtime::*;

fn device() -> Arc<Device> {
    limited(PATIENCE)
}

/// Makes a device whose dispatches may take so long.
fn limited(timeout: Duration) -> Arc<Device> {
    Device::new(&Config { timeout: Some(timeout), ..Default::default() }).unwrap()
}

fn record(device: &Arc<Device>, commands: impl FnOnce(&mut CommandBuffer)) -> Arc<Recording> {
    let mut cb = CommandBuffer::new(device);
    cb.begin();
    commands(&mut cb);
    cb.end().unwrap();
    cb.recording().unwrap()
}

fn batch(recording: Arc<Recording>) -> SubmitInfo {
    SubmitInfo { command_buffers: vec![recording], ..Default::default() }
}

fn text(words: &[u32]) -> Vec<u8> {
    let padding = [wavepipe_hw::code::S_CODE_END; 16];
    words.iter().chain(&padding).flat_map(|w| w.to_le_bytes()).collect()
}

fn words(buffer: &Buffer) -> Vec<u32> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

#[track_caller]
fn same(got: &[u32], expected: impl IntoIterator<Item = u32>) {
    let expected: Vec<u32> = expected.into_iter().collect();
    let wrong = got.iter().zip(&expected).position(|(a, b)| a != b);
    if let Some(i) = wrong {
        panic!("dword {i} is {:#x}, not {:#x}", got[i], expected[i]);
    }
    assert_eq!(got.len(), expected.len());
}

/// Every work-item writes its global id, 64 work-items a group.
fn store_ids() -> CodeObject {
    CodeObject {
        name: "store_ids".into(),
        text: text(&[
            0xf408_0100,
            0xfa00_0000, // s_load_dwordx4 s[4:7], s[0:1], 0x0
            0x8f03_8602, // s_lshl_b32 s3, s2, 6
            0x4a02_0003, // v_add_nc_u32 v1, s3, v0
            0x3404_0282, // v_lshlrev_b32 v2, 2, v1
            0xbf8c_c07f, // s_waitcnt lgkmcnt(0)
            0xe070_1000,
            0x8001_0102, // buffer_store_dword v1, v2, s[4:7], 0 offen
            0xbf81_0000, // s_endpgm
        ]),
        vgprs: 3,
        sgprs: 8,
        workgroup: [64, 1, 1],
        user_data: vec![UserData::DescriptorSet(0)],
        system: SystemSgprs { tgid_x: true, ..Default::default() },
        ..Default::default()
    }
}

/// Writes to an address where nothing is.
fn wild_store() -> CodeObject {
    CodeObject {
        name: "wild_store".into(),
        text: text(&[
            0x7e00_02ff,
            0x1000,      // v_mov_b32 v0, 0x1000
            0x7e02_0280, // v_mov_b32 v1, 0
            0xdc70_8000,
            0x007d_0000, // global_store_dword v[0:1], v0, off
            0xbf81_0000, // s_endpgm
        ]),
        vgprs: 2,
        sgprs: 2,
        workgroup: [32, 1, 1],
        ..Default::default()
    }
}

/// Writes over its own first instruction.
fn store_over_itself() -> CodeObject {
    CodeObject {
        name: "store_over_itself".into(),
        text: text(&[
            0xbe82_1f00, // s_getpc_b64 s[2:3]
            0x7e00_0280, // v_mov_b32 v0, 0
            0xdc70_8000,
            0x0002_0000, // global_store_dword v0, v0, s[2:3]
            0xbf81_0000, // s_endpgm
        ]),
        vgprs: 1,
        sgprs: 4,
        workgroup: [32, 1, 1],
        ..Default::default()
    }
}

/// Never ends.
fn spin() -> CodeObject {
    CodeObject {
        name: "spin".into(),
        text: text(&[0xbf82_ffff /* s_branch -1 */]),
        vgprs: 1,
        sgprs: 2,
        workgroup: [32, 1, 1],
        ..Default::default()
    }
}

struct Ids {
    layout: Arc<PipelineLayout>,
    pipeline: Arc<ComputePipeline>,
    set: Arc<DescriptorSet>,
    buffer: Arc<Buffer>,
}

fn ids(device: &Arc<Device>, groups: u64) -> Ids {
    let binding = Binding { binding: 0, kind: BindingKind::StorageBuffer, count: 1 };
    let set_layout = DescriptorSetLayout::new(vec![binding]).unwrap();
    let layout = PipelineLayout::new(vec![set_layout.clone()], 0).unwrap();
    let pipeline = ComputePipeline::from_code_object(device, store_ids(), &layout).unwrap();
    let set = DescriptorPool::new(device, 1, 1).allocate(&set_layout).unwrap();
    let buffer = Buffer::with_memory(device, groups * 256).unwrap();
    set.write_buffer(0, 0, &buffer, 0, None).unwrap();
    Ids { layout, pipeline, set, buffer }
}

impl Ids {
    fn bind(&self, cb: &mut CommandBuffer) {
        cb.bind_pipeline(&self.pipeline);
        cb.bind_descriptor_sets(&self.layout, 0, std::slice::from_ref(&self.set), &[]);
    }
}

fn run_alone(device: &Arc<Device>, code: CodeObject) -> Result<()> {
    let layout = PipelineLayout::new(vec![], 0).unwrap();
    let pipeline = ComputePipeline::from_code_object(device, code, &layout).unwrap();
    let recording = record(device, |cb| {
        cb.bind_pipeline(&pipeline);
        cb.dispatch([1, 1, 1]);
    });
    let queue = device.queue(0, 0).unwrap();
    queue.submit(&batch(recording), None)?;
    queue.wait_idle()
}

#[test]
fn a_kernel_stores_through_a_descriptor() {
    let device = device();
    let queue = device.queue(0, 0).unwrap();
    let ids = ids(&device, 100);
    let recording = record(&device, |cb| {
        ids.bind(cb);
        cb.dispatch([100, 1, 1]);
    });
    queue.submit(&batch(recording), None).unwrap();
    queue.wait_idle().unwrap();
    same(&words(&ids.buffer), 0..6400);
    let statistics = device.statistics();
    assert_eq!((statistics.dispatches, statistics.workgroups, statistics.waves), (1, 100, 200));
    assert_eq!(statistics.wave_instructions, 200 * 7);
}

#[test]
fn wave64_stores_the_same() {
    let device = device();
    let queue = device.queue(0, 0).unwrap();
    let mut ids = ids(&device, 3);
    let code = CodeObject { wave: WaveSize::W64, ..store_ids() };
    ids.pipeline = ComputePipeline::from_code_object(&device, code, &ids.layout).unwrap();
    let recording = record(&device, |cb| {
        ids.bind(cb);
        cb.dispatch([3, 1, 1]);
    });
    queue.submit(&batch(recording), None).unwrap();
    queue.wait_idle().unwrap();
    same(&words(&ids.buffer), 0..192);
    assert_eq!(device.statistics().waves, 3);
}

#[test]
fn dispatch_base_counts_from_its_base() {
    let device = device();
    let queue = device.queue(0, 0).unwrap();
    let ids = ids(&device, 8);
    let recording = record(&device, |cb| {
        cb.fill_buffer(&ids.buffer, 0, None, 9999);
        cb.pipeline_barrier();
        ids.bind(cb);
        cb.dispatch_base([2, 0, 0], [3, 1, 1]);
    });
    queue.submit(&batch(recording), None).unwrap();
    queue.wait_idle().unwrap();
    same(&words(&ids.buffer), (0..512).map(|i| if (128..320).contains(&i) { i } else { 9999 }));
}

#[test]
fn an_indirect_dispatch_reads_what_an_earlier_command_wrote() {
    let device = device();
    let queue = device.queue(0, 0).unwrap();
    let ids = ids(&device, 4);
    let counts = Buffer::with_memory(&device, 16).unwrap();
    let recording = record(&device, |cb| {
        cb.update_buffer(&counts, 4, &[2u32, 1, 1].map(u32::to_le_bytes).concat());
        cb.pipeline_barrier();
        ids.bind(cb);
        cb.dispatch_indirect(&counts, 4);
    });
    queue.submit(&batch(recording), None).unwrap();
    queue.wait_idle().unwrap();
    same(&words(&ids.buffer), (0..256).map(|i| if i < 128 { i } else { 0 }));
}

#[test]
fn out_of_bounds_stores_are_dropped() {
    let device = device();
    let queue = device.queue(0, 0).unwrap();
    let ids = ids(&device, 1);
    ids.set.write_buffer(0, 0, &ids.buffer, 0, Some(16)).unwrap();
    let recording = record(&device, |cb| {
        ids.bind(cb);
        cb.dispatch([50, 1, 1]);
    });
    queue.submit(&batch(recording), None).unwrap();
    queue.wait_idle().unwrap();
    assert_eq!(words(&ids.buffer)[..6], [0, 1, 2, 3, 0, 0]);
}

#[test]
fn copies_of_any_length_and_alignment() {
    let device = device();
    let queue = device.queue(0, 0).unwrap();
    let size = 3 << 20;
    let (a, b) = (Buffer::with_memory(&device, size).unwrap(), Buffer::with_memory(&device, size).unwrap());
    let data: Vec<u8> = (0..size).map(|i| (i * 7 + (i >> 8)) as u8).collect();
    a.write(0, &data).unwrap();
    let regions = [(0, 5, 1), (3, 17, 1000), (4096, 8191, 1 << 20), (11, 2 << 20, (1 << 20) - 3)];
    let recording = record(&device, |cb| {
        let copy = |(source_offset, dest_offset, size)| BufferCopy { source_offset, dest_offset, size };
        cb.copy_buffer(&a, &b, &regions.map(copy));
    });
    queue.submit(&batch(recording), None).unwrap();
    queue.wait_idle().unwrap();
    let mut expected = vec![0; size as usize];
    for (from, to, n) in regions {
        expected[to as usize..(to + n) as usize].copy_from_slice(&data[from as usize..(from + n) as usize]);
    }
    let mut out = vec![0; size as usize];
    b.read(0, &mut out).unwrap();
    assert!(out == expected);
}

#[test]
fn eight_queues_run_backwards_on_a_timeline() {
    let device = device();
    let timeline = Semaphore::timeline(&device, 0).unwrap();
    let log = Buffer::with_memory(&device, 64).unwrap();
    let fence = Fence::new(&device, false);
    let last = SubmitInfo { waits: vec![(timeline.clone(), 9)], ..Default::default() };
    device.queue(0, 0).unwrap().submit(&last, Some(&fence)).unwrap();
    // Every wait is submitted before its signal.
    for turn in (0..8u32).rev() {
        let at = u64::from(turn);
        let recording = record(&device, |cb| cb.update_buffer(&log, at * 4, &(turn + 1).to_le_bytes()));
        let info = SubmitInfo {
            waits: vec![(timeline.clone(), at + 1)],
            command_buffers: vec![recording],
            signals: vec![(timeline.clone(), at + 2)],
        };
        device.queue(1, turn).unwrap().submit(&info, None).unwrap();
    }
    assert!(!fence.wait(Some(Duration::from_millis(20))).unwrap());
    assert!(words(&log).iter().all(|w| *w == 0));
    timeline.signal(1).unwrap();
    assert!(fence.wait(Some(PATIENCE)).unwrap());
    assert_eq!(words(&log)[..9], [1, 2, 3, 4, 5, 6, 7, 8, 0]);
    assert!(timeline.wait(9, Some(Duration::ZERO)).unwrap());
}

/// Values of 64 bits, jumps of more than 2^31 and past what is waited for, on generations with and without waits so wide.
#[test]
fn timelines_are_64_bits_wide_on_every_generation() {
    for (name, timing) in [("hd7950", false), ("hd7950", true), ("r9390", false), ("vega64", false), ("vega64", true)] {
        let machine = Arc::new(wavepipe_runtime::hw::machine::Machine::open(name).unwrap());
        let timeout = Some(PATIENCE);
        let device = Device::new(&Config { machine, timing, timeout, cache: None, ..Config::checked() }).unwrap();
        let (first, second) = (device.queue(0, 0).unwrap(), device.queue(1, 0).unwrap());
        let timeline = Semaphore::timeline(&device, 0).unwrap();
        let log = Buffer::with_memory(&device, 64).unwrap();
        let submit = |queue: &Queue, wait: Option<u64>, signal: Option<u64>, note: Option<u32>| {
            let fence = Fence::new(&device, false);
            let recording =
                |n: u32| record(&device, |cb| cb.update_buffer(&log, u64::from(n) * 4, &1u32.to_le_bytes()));
            let info = SubmitInfo {
                waits: wait.map(|value| (timeline.clone(), value)).into_iter().collect(),
                command_buffers: note.map(recording).into_iter().collect(),
                signals: signal.map(|value| (timeline.clone(), value)).into_iter().collect(),
            };
            queue.submit(&info, Some(&fence)).unwrap();
            fence
        };
        // One queue waits before the other signals; each value jumps, and some go past what is waited for.
        let steps: [(u64, u64); 8] = [
            (1, 1),
            (0x8000_0000, 0x9000_0001),
            (0xffff_ffff, 0x1_0000_0000),
            (0x1_ffff_ffff, 0x3_0000_0000),
            (0x7_0000_0000, 0x7_0000_0000),
            (0x7_ffff_fff0, 0xffff_0000_0000),
            (0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000),
            (u64::MAX, u64::MAX),
        ];
        for (n, (wanted, signaled)) in steps.into_iter().enumerate() {
            let waiting = submit(&second, Some(wanted), None, Some(n as u32));
            // What comes before is not enough, whatever its words are.
            assert!(!waiting.wait(Some(Duration::from_millis(3))).unwrap(), "{name}: {wanted:#x}");
            assert_eq!(words(&log)[n], 0, "{name}: {wanted:#x}");
            let signal = match n % 2 {
                0 => Some(submit(&first, None, Some(signaled), None)),
                _ => {
                    timeline.signal(signaled).unwrap();
                    None
                }
            };
            assert!(waiting.wait(timeout).unwrap(), "{name}: {wanted:#x} by {signaled:#x}");
            assert!(signal.is_none_or(|fence| fence.wait(timeout).unwrap()));
            assert_eq!((words(&log)[n], timeline.value().unwrap()), (1, signaled), "{name}");
            // And what has been reached holds nothing back.
            assert!(submit(&second, Some(wanted), None, None).wait(timeout).unwrap(), "{name}: {wanted:#x} again");
        }
        // Many wait at once, each for another value, some of other epochs of the low word.
        let timeline = Semaphore::timeline(&device, 5).unwrap();
        let wait = |value: u64| SubmitInfo { waits: vec![(timeline.clone(), value)], ..SubmitInfo::default() };
        let fences: Vec<_> = (0..6u64).map(|_| Fence::new(&device, false)).collect();
        let values = [9, 0x1_0000_0003, 0x1_ffff_fff0, 0x2_0000_0000, 0x5_0000_0001, 0x9_0000_0000];
        for (fence, value) in fences.iter().zip(values) {
            second.submit(&wait(value), Some(fence)).unwrap();
        }
        let jump = SubmitInfo { signals: vec![(timeline.clone(), 0x5_0000_0000)], ..SubmitInfo::default() };
        first.submit(&jump, None).unwrap();
        assert!(Fence::wait_many(&fences[..4].iter().map(AsRef::as_ref).collect::<Vec<_>>(), true, timeout).unwrap());
        assert!(!fences[4].wait(Some(Duration::from_millis(3))).unwrap() && !fences[5].status().unwrap(), "{name}");
        timeline.signal(u64::MAX).unwrap();
        assert!(Fence::wait_many(&fences.iter().map(AsRef::as_ref).collect::<Vec<_>>(), true, timeout).unwrap());
        device.wait_idle().unwrap();
    }
}

/// Two devices with a counter in one file, of generations with and without waits of 64 bits: nobody tells one what the other does.
#[test]
fn a_shared_timeline_is_64_bits_wide_on_every_generation() {
    use std::os::fd::AsFd as _;
    let open = |name: &str| {
        let machine = Arc::new(wavepipe_runtime::hw::machine::Machine::open(name).unwrap());
        Device::new(&Config { machine, timeout: Some(PATIENCE), cache: None, ..Config::checked() }).unwrap()
    };
    let timeout = Some(PATIENCE);
    for (one, other) in [("hd7950", "hd7950"), ("hd7950", "vega64"), ("vega64", "hd7950")] {
        let (a, b) = (open(one), open(other));
        let ours = Semaphore::exportable(&a, Some(3)).unwrap();
        let theirs = Semaphore::import(&b, ours.export().unwrap().as_fd(), true).unwrap();
        let fence = Fence::new(&b, false);
        // There waits are submitted before signals here, and answered.
        for (wanted, signaled) in [(4, 0xffff_fff0), (0xffff_ffff, 0x4_0000_0000), (0x4_ffff_ffff, 0x7_0000_0000)] {
            let answer = signaled + 1;
            let info = SubmitInfo {
                waits: vec![(theirs.clone(), wanted)],
                signals: vec![(theirs.clone(), answer)],
                ..SubmitInfo::default()
            };
            fence.reset();
            b.queue(1, 0).unwrap().submit(&info, Some(&fence)).unwrap();
            assert!(!fence.wait(Some(Duration::from_millis(5))).unwrap(), "{one} {other}: {wanted:#x}");
            let signals = SubmitInfo { signals: vec![(ours.clone(), signaled)], ..SubmitInfo::default() };
            a.queue(0, 0).unwrap().submit(&signals, None).unwrap();
            // Nobody waits in a call for the other device: it goes on by itself.
            assert!(ours.wait(answer, timeout).unwrap(), "{one} {other}: {wanted:#x} by {signaled:#x}");
            assert!(fence.wait(timeout).unwrap());
        }
        // A device that ends while its queue waits.
        let never = SubmitInfo { waits: vec![(theirs.clone(), u64::MAX)], ..SubmitInfo::default() };
        b.queue(1, 0).unwrap().submit(&never, None).unwrap();
        ours.signal(u64::MAX).unwrap();
    }
}

#[test]
fn thousands_of_submissions_wrap_the_ring() {
    let device = device();
    let queue = device.queue(0, 0).unwrap();
    let ids = ids(&device, 1);
    let recording = record(&device, |cb| {
        ids.bind(cb);
        cb.dispatch([1, 1, 1]);
    });
    for _ in 0..8000 {
        queue.submit(&batch(recording.clone()), None).unwrap();
    }
    queue.wait_idle().unwrap();
    assert_eq!(device.statistics().dispatches, 8000);
}

#[test]
fn events_and_timestamps() {
    let device = device();
    let queue = device.queue(0, 0).unwrap();
    let event = Event::new(&device).unwrap();
    let pool = QueryPool::timestamps(&device, 2).unwrap();
    let recording = record(&device, |cb| {
        cb.reset_query_pool(&pool, 0, 2);
        cb.write_timestamp(&pool, 0, false);
        cb.wait_events(std::slice::from_ref(&event));
        cb.write_timestamp(&pool, 1, true);
    });
    let begin = Instant::now();
    queue.submit(&batch(recording), None).unwrap();
    let flags = QueryResultFlags { wide: true, ..Default::default() };
    let mut out = [0; 16];
    while !pool.results(0, 1, &mut out, 8, flags).unwrap() {
        assert!(begin.elapsed() < PATIENCE, "no timestamp before the event");
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(20));
    assert!(!pool.results(0, 2, &mut out, 8, flags).unwrap());
    event.set();
    assert!(pool.results(0, 2, &mut out, 8, QueryResultFlags { wait: true, ..flags }).unwrap());
    let t: Vec<u64> = out.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    let hz = device.info().timestamp_hz as f64;
    let seconds = (t[1] - t[0]) as f64 / hz;
    let most = begin.elapsed().as_secs_f64() + 1.0 / hz;
    assert!((0.015..=most).contains(&seconds), "{seconds} s between the timestamps, {most} s in all");
    queue.wait_idle().unwrap();
}

#[test]
fn a_wild_address_loses_the_device_with_a_report() {
    let lost = device();
    let Err(Error::DeviceLost(fault)) = run_alone(&lost, wild_store()) else { panic!("no fault") };
    assert!(matches!(fault.kind, FaultKind::WildAddress { address: 0x1000, write: true, .. }), "{fault}");
    let site = fault.site.as_ref().unwrap();
    assert_eq!((fault.kernel.as_str(), site.pc_offset, site.lane, site.lanes), ("wild_store", 12, 0, 0xffff_ffff));
    assert!(matches!(run_alone(&lost, spin()), Err(Error::DeviceLost(_))));
    // The process lives, and so does another device.
    run_alone(&device(), CodeObject { text: text(&[0xbf81_0000]), ..spin() }).unwrap();
}

#[test]
fn a_store_to_the_driver_s_own_memory_loses_the_device_with_a_report() {
    let lost = device();
    let Err(Error::DeviceLost(fault)) = run_alone(&lost, store_over_itself()) else { panic!("no fault") };
    assert!(matches!(&fault.kind, FaultKind::Protected { write: true, name, .. } if name == "driver heap"), "{fault}");
    assert!(fault.to_string().contains("the driver's own memory: `driver heap`"), "{fault}");
}

#[test]
fn an_endless_kernel_times_out_and_other_queues_carry_on() {
    let others_carry_on = |device: &Arc<Device>| {
        let ids = ids(device, 64);
        let work = record(device, |cb| {
            ids.bind(cb);
            cb.dispatch([64, 1, 1]);
        });
        let other = device.queue(1, 0).unwrap();
        other.submit(&batch(work), None).unwrap();
        other.wait_idle().unwrap();
        same(&words(&ids.buffer), 0..4096);
    };
    // The others have that limit too.
    let limit = ample(Duration::from_secs(1), 50, || others_carry_on(&device()));
    let device = limited(limit);
    let layout = PipelineLayout::new(vec![], 0).unwrap();
    let pipeline = ComputePipeline::from_code_object(&device, spin(), &layout).unwrap();
    let recording = record(&device, |cb| {
        cb.bind_pipeline(&pipeline);
        cb.dispatch([1, 1, 1]);
    });
    let start = Instant::now();
    device.queue(0, 0).unwrap().submit(&batch(recording), None).unwrap();
    others_carry_on(&device);
    let Err(Error::DeviceLost(fault)) = device.wait_idle() else { panic!("no time-out") };
    assert!(
        matches!(fault.kind, FaultKind::Timeout { limit_ms } if u128::from(limit_ms) == limit.as_millis()),
        "{fault}"
    );
    assert!(start.elapsed() >= limit && start.elapsed() < PATIENCE);
}

/// `None` for one that this host has not.
#[test]
fn host_code_is_made_for_what_the_setting_names() {
    let of = |config: Config| Device::new(&config).unwrap().host_code();
    assert_eq!(of(Config::default()), HostIsa::ALL.into_iter().find(|target| target.is_present()));
    for target in HostIsa::ALL {
        let only = |config: Config| of(Config { host: HostEngine::Only(target), ..config });
        assert_eq!(only(Config::default()), Some(target).filter(|target| target.is_present()));
        assert_eq!(only(Config { jit: Jit::Off, ..Config::default() }), None);
        assert_eq!(only(Config { timing: true, ..Config::default() }), None);
        assert_eq!(only(Config { seed: Some(1), ..Config::default() }), None);
    }
    assert_eq!(of(Config { host: HostEngine::Interpreter, ..Config::default() }), None);
}

#[test]
fn a_device_gives_all_memory_back() {
    let device = device();
    let before = device.memory_size().1;
    let memory = Memory::allocate(&device, 64 << 20).unwrap();
    assert!(device.memory_size().1 >= before + (64 << 20));
    drop(memory);
    assert_eq!(device.memory_size().1, before);
    assert!(matches!(Memory::allocate(&device, 1 << 40), Err(Error::OutOfDeviceMemory { .. })));
    let half = device.info().memory_bytes / 2 + 1;
    let halves: Vec<_> = (0..2).map(|_| Memory::allocate(&device, half)).collect();
    assert!(halves.iter().any(|m| matches!(m, Err(Error::OutOfDeviceMemory { .. }))));
}
