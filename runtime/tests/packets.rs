//! What the runtime writes into rings and indirect buffers, packet by packet, seen by a recorder.

use crate::common::Recorder;
use crate::host_time::PATIENCE;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use wavepipe_runtime::hw::code::{CodeObject, LineRow, SystemSgprs};
use wavepipe_runtime::hw::fault::{FaultKind, Registers, WaveSite};
use wavepipe_runtime::hw::launch::UserData;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::hw::pm4::*;
use wavepipe_runtime::*;

fn kernel(user_data: Vec<UserData>) -> CodeObject {
    CodeObject {
        name: "k".into(),
        // s_endpgm, then s_code_end.
        text: [0xbf81_0000u32, wavepipe_hw::code::S_CODE_END, wavepipe_hw::code::S_CODE_END]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect(),
        vgprs: 9,
        sgprs: 16,
        lds_bytes: 513,
        workgroup: [8, 4, 2],
        user_data,
        system: SystemSgprs { tgid_x: true, tgid_z: true, ..Default::default() },
        tidig_comp_cnt: 2,
        files: vec!["k.comp".into()],
        lines: vec![LineRow { pc: 0, file: 0, line: 7 }],
        ..Default::default()
    }
}

fn storage(binding: u32) -> Binding {
    Binding { binding, kind: BindingKind::StorageBuffer, count: 1 }
}

fn record(device: &Arc<Device>, commands: impl FnOnce(&mut CommandBuffer)) -> Arc<Recording> {
    let mut cb = CommandBuffer::new(device);
    cb.begin();
    commands(&mut cb);
    cb.end().unwrap();
    cb.recording().unwrap()
}

fn submit(queue: &Queue, recording: &Arc<Recording>) {
    queue.submit(&SubmitInfo { command_buffers: vec![recording.clone()], ..Default::default() }, None).unwrap();
    queue.wait_idle().unwrap();
}

/// The packets inside of the command buffer alone.
fn inner(packets: &[Packet]) -> &[Packet] {
    let start = packets.iter().position(|p| matches!(p, Packet::IndirectBuffer { .. })).unwrap() + 1;
    let end = packets.iter().rposition(|p| matches!(p, Packet::ReleaseMem { interrupt: true, .. })).unwrap();
    &packets[start..end]
}

fn u64_of(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

#[test]
fn a_dispatch_sets_registers_once() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let set_layout = DescriptorSetLayout::new(vec![storage(0)]).unwrap();
    let layout = PipelineLayout::new(vec![set_layout.clone()], 0).unwrap();
    let code = kernel(vec![UserData::DescriptorSet(0), UserData::NumWorkGroups]);
    let pipeline = ComputePipeline::from_code_object(&device, code, &layout).unwrap();
    let set = DescriptorPool::new(&device, 1, 1).allocate(&set_layout).unwrap();
    let recording = record(&device, |cb| {
        cb.bind_pipeline(&pipeline);
        cb.bind_descriptor_sets(&layout, 0, std::slice::from_ref(&set), &[]);
        cb.dispatch([5, 6, 7]);
        cb.dispatch([5, 6, 7]);
        cb.pipeline_barrier();
        cb.pipeline_barrier();
        cb.dispatch([0, 1, 1]);
        cb.dispatch_base([1, 0, 0], [5, 6, 8]);
    });
    submit(&queue, &recording);
    let packets = gpu.take(0);
    assert!(matches!(packets[0], Packet::AcquireMem { base, .. } if base == pipeline.address()), "new code is fetched");
    assert!(matches!(packets[1], Packet::AcquireMem { base: 0, .. }));

    let initiator = initiator::COMPUTE_SHADER_EN | initiator::CS_W32_EN | initiator::FORCE_START_AT_000;
    let (va, at) = (pipeline.address(), set.address());
    assert_eq!(va % 256, 0);
    let user = |z| vec![at as u32, (at >> 32) as u32, 5, 6, z];
    let expected = [
        Packet::SetShReg { reg: reg::COMPUTE_NUM_THREAD_X, values: vec![8, 4, 2] },
        Packet::SetShReg { reg: reg::COMPUTE_PGM_LO, values: vec![(va >> 8) as u32, (va >> 40) as u32] },
        Packet::SetShReg {
            reg: reg::COMPUTE_PGM_RSRC1,
            // 9 VGPRs = 2 granules of 8; 5 user SGPRs, TGID_X, TGID_Z, three ids, LDS of 2 × 512 bytes.
            values: vec![1 | 0xf0 << 12 | 1 << 21 | 7 << 29, 5 << 1 | 1 << 7 | 1 << 9 | 2 << 11 | 2 << 15],
        },
        Packet::SetShReg { reg: reg::COMPUTE_TMPRING_SIZE, values: vec![0] },
        Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values: user(7) },
        Packet::DispatchDirect { groups: [5, 6, 7], initiator },
        Packet::DispatchDirect { groups: [5, 6, 7], initiator },
        Packet::CsPartialFlush,
        packets[1].clone(),
        Packet::SetShReg { reg: reg::COMPUTE_START_X, values: vec![1, 0, 0] },
        Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values: user(8) },
        Packet::DispatchDirect { groups: [5, 6, 8], initiator: initiator & !initiator::FORCE_START_AT_000 },
    ];
    assert_eq!(inner(&packets), expected);

    submit(&queue, &recording);
    assert!(matches!(gpu.take(0)[0], Packet::AcquireMem { base: 0, .. }), "known code is not invalidated again");
}

#[test]
fn an_indirect_dispatch_copies_its_counts_into_sgprs() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let layout = PipelineLayout::new(vec![], 4).unwrap();
    let code = kernel(vec![UserData::PushConstants, UserData::NumWorkGroups]);
    let pipeline = ComputePipeline::from_code_object(&device, code, &layout).unwrap();
    let buffer = Buffer::with_memory(&device, 64).unwrap();
    let recording = record(&device, |cb| {
        cb.bind_pipeline(&pipeline);
        cb.push_constants(0, &[1, 2, 3, 4]);
        cb.dispatch_indirect(&buffer, 16);
    });
    submit(&queue, &recording);
    let packets = gpu.take(0);
    let packets = inner(&packets);
    let at = packets.len() - 5;
    let Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values } = &packets[at] else { panic!("{packets:?}") };
    assert_eq!(gpu.words(u64_of(values), 1), [0x0403_0201]);
    for i in 0..3 {
        let source = CopySource::Memory(buffer.address() + 16 + 4 * i);
        let dest = CopyDest::ShReg(reg::COMPUTE_USER_DATA_0 + 2 + i as u16);
        assert_eq!(packets[at + 1 + i as usize], Packet::CopyData { source, dest, wide: false });
    }
    let address = buffer.address() + 16;
    assert!(matches!(packets[at + 4], Packet::DispatchIndirect { address: a, .. } if a == address));
}

/// GCN 2's engine reads arguments on 32 bytes alone: from elsewhere they are copied when the command comes to be executed.
#[test]
fn an_indirect_dispatch_of_gcn_2_has_its_counts_aligned() {
    for (name, alignment) in [("hd7950", 4), ("r9390", 32), ("vega64", 4), ("rx5700xt", 4)] {
        let machine = Arc::new(Machine::builtin(name).unwrap());
        let (gpu, device) = Recorder::device_with(Config { machine, ..Config::checked() });
        let queue = device.queue(0, 0).unwrap();
        let layout = PipelineLayout::new(vec![], 4).unwrap();
        let isa = device.config().isa();
        let code = CodeObject { isa, wave: WaveSize::W64, ..kernel(vec![UserData::PushConstants]) };
        let pipeline = ComputePipeline::from_code_object(&device, code, &layout).unwrap();
        let buffer = Buffer::with_memory(&device, 64).unwrap();
        for offset in [0, 4, 32, 48] {
            let recording = record(&device, |cb| {
                cb.bind_pipeline(&pipeline);
                cb.dispatch_indirect(&buffer, offset);
            });
            submit(&queue, &recording);
            let packets = gpu.take(0);
            let packets = inner(&packets);
            let at = buffer.address() + offset;
            let read = packets.iter().rev().find_map(|p| match p {
                Packet::DispatchIndirect { address, .. } | Packet::SetBase { address } => Some(*address),
                _ => None,
            });
            let read = read.expect("an indirect dispatch");
            let copies: Vec<_> = packets.iter().filter(|p| matches!(p, Packet::CopyData { .. })).collect();
            if at.is_multiple_of(alignment) {
                assert_eq!((read, copies.len()), (at, 0), "{name} {offset}");
                continue;
            }
            assert!(read.is_multiple_of(alignment), "{name} {offset}: {read:#x}");
            for (n, copy) in (0..3).zip(&copies) {
                let (source, dest) = (CopySource::Memory(at + 4 * n), CopyDest::Memory(read + 4 * n));
                assert_eq!(**copy, Packet::CopyData { source, dest, wide: false }, "{name} {offset}");
            }
            assert_eq!(copies.len(), 3, "{name} {offset}");
        }
    }
}

#[test]
fn dynamic_buffers_follow_the_push_constants() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let dynamic = |binding| Binding { binding, kind: BindingKind::UniformBufferDynamic, count: 1 };
    let a = DescriptorSetLayout::new(vec![dynamic(0), storage(1)]).unwrap();
    let b = DescriptorSetLayout::new(vec![dynamic(4)]).unwrap();
    let layout = PipelineLayout::new(vec![a.clone(), b.clone()], 8).unwrap();
    let code = kernel(vec![UserData::PushConstants]);
    let pipeline = ComputePipeline::from_code_object(&device, code, &layout).unwrap();
    let buffer = Buffer::with_memory(&device, 1024).unwrap();
    let pool = DescriptorPool::new(&device, 2, 3);
    let (a, b) = (pool.allocate(&a).unwrap(), pool.allocate(&b).unwrap());
    assert!(matches!(pool.allocate(b.layout()), Err(Error::OutOfPoolMemory { .. })));
    a.write_buffer(0, 0, &buffer, 0, Some(64)).unwrap();
    a.write_buffer(1, 0, &buffer, 512, None).unwrap();
    b.copy_from(4, 0, &a, 0, 0, 1).unwrap();
    let recording = record(&device, |cb| {
        cb.bind_pipeline(&pipeline);
        cb.bind_descriptor_sets(&layout, 0, &[a.clone(), b], &[256, 768]);
        cb.dispatch([1, 1, 1]);
    });
    submit(&queue, &recording);
    let packets = gpu.take(0);
    let block = inner(&packets).iter().find_map(|p| match p {
        Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values } => Some(u64_of(values)),
        _ => None,
    });
    let block = block.unwrap();
    let at = buffer.address();
    for (i, offset) in [256, 768].into_iter().enumerate() {
        let v = gpu.words(block + 256 + 16 * i as u64, 3);
        assert_eq!((u64_of(&v), v[2]), (at + offset, 64));
    }
    let v = gpu.words(a.address(), 3);
    assert_eq!((u64_of(&v), v[2]), (at + 512, 512));
}

#[test]
fn copies_fills_and_updates_move_bytes() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let (a, b) = (Buffer::with_memory(&device, 64).unwrap(), Buffer::with_memory(&device, 64).unwrap());
    let recording = record(&device, |cb| {
        cb.fill_buffer(&a, 4, None, 0x0102_0304);
        cb.update_buffer(&a, 8, &[9, 8, 7, 6]);
        cb.pipeline_barrier();
        cb.copy_buffer(&a, &b, &[BufferCopy { source_offset: 3, dest_offset: 1, size: 10 }]);
    });
    submit(&queue, &recording);
    let packets = gpu.take(0);
    let acquire = packets[0].clone();
    let dma = |source, dest, bytes| Packet::DmaData { source, dest, bytes, sync: true };
    let expected = [
        dma(DmaSource::Fill(0x0102_0304), a.address() + 4, 60),
        Packet::WriteData { address: a.address() + 8, data: vec![0x0607_0809] },
        Packet::CsPartialFlush,
        acquire,
        dma(DmaSource::Memory(a.address() + 3), b.address() + 1, 10),
    ];
    assert_eq!(inner(&packets), expected);
    let mut out = [0; 12];
    b.read(0, &mut out).unwrap();
    assert_eq!(out, [0, 0, 4, 3, 2, 1, 9, 8, 7, 6, 4, 0]);
}

#[test]
fn errors_come_out_of_end() {
    let (_gpu, device) = Recorder::device();
    let bound = Buffer::with_memory(&device, 64).unwrap();
    let unbound = Buffer::new(&device, 64);
    let cases: [&dyn Fn(&mut CommandBuffer); 6] = [
        &|cb| cb.dispatch([1, 1, 1]),
        &|cb| cb.push_constants(250, &[0; 8]),
        &|cb| cb.fill_buffer(&bound, 60, Some(8), 0),
        &|cb| cb.fill_buffer(&bound, u64::MAX, Some(8), 0),
        &|cb| cb.update_buffer(&bound, 2, &[0; 4]),
        &|cb| cb.fill_buffer(&unbound, 0, None, 0),
    ];
    for (i, case) in cases.iter().enumerate() {
        let mut cb = CommandBuffer::new(&device);
        cb.begin();
        case(&mut cb);
        assert!(matches!(cb.end(), Err(Error::Invalid(_))), "case {i}");
        assert!(cb.recording().is_err());
    }
}

#[test]
fn a_queue_is_mapped_as_its_options_say() {
    use GlobalPriority::*;
    let (gpu, device) = Recorder::device_with(Config { reserve_cus: 3, ..Config::checked() });
    let of = |priority, global, reserved_cus| QueueOptions { priority, global, reserved_cus };
    for (index, options) in
        [of(1.0, Low, 0), of(0.0, Realtime, 0), of(0.5, Realtime, 6), of(2.0, High, 1)].iter().enumerate()
    {
        device.queue_with(1, index as u32, *options).unwrap();
    }
    device.queue(0, 0).unwrap();
    let got: Vec<_> = (0..5).map(|i| gpu.ring(i)).map(|q| (q.priority, q.global, q.reserved_cus)).collect();
    // A REALTIME queue has the device's compute units at least; 0.5 of 15 is rounded up.
    assert_eq!(got, [(15, Low, 0), (0, Realtime, 3), (8, Realtime, 6), (15, High, 1), (8, Medium, 0)]);
    assert!(matches!(device.queue(1, 32), Err(Error::Invalid(_))));
}

#[test]
fn a_wait_may_come_before_its_signal_on_another_queue() {
    let (gpu, device) = Recorder::device();
    let (first, second) = (device.queue(0, 0).unwrap(), device.queue(1, 3).unwrap());
    assert_eq!((gpu.ring(0).pipe, gpu.ring(0).queue), (0, 0));
    assert_eq!((gpu.ring(1).pipe, gpu.ring(1).queue), (4, 0));
    let timeline = Semaphore::timeline(&device, 5).unwrap();
    let binary = Semaphore::binary(&device).unwrap();
    let fence = Fence::new(&device, false);
    let wait = SubmitInfo {
        waits: vec![(timeline.clone(), 10)],
        signals: vec![(timeline.clone(), 11), (binary.clone(), 0)],
        ..Default::default()
    };
    second.submit(&wait, Some(&fence)).unwrap();
    assert!(!fence.status().unwrap());
    assert!(!fence.wait(Some(Duration::from_millis(5))).unwrap());
    first.submit(&SubmitInfo { signals: vec![(timeline.clone(), 10)], ..Default::default() }, None).unwrap();
    assert!(fence.wait(None).unwrap());
    assert_eq!(timeline.value().unwrap(), 11);
    first.submit(&SubmitInfo { waits: vec![(binary, 0)], ..Default::default() }, None).unwrap();
    device.wait_idle().unwrap();

    // And from the host.
    fence.reset();
    first.submit(&SubmitInfo { waits: vec![(timeline.clone(), 20)], ..Default::default() }, Some(&fence)).unwrap();
    assert!(!fence.status().unwrap());
    timeline.signal(20).unwrap();
    assert!(fence.status().unwrap());
    assert!(Semaphore::wait_many(&[(&timeline, 99), (&timeline, 20)], false, Some(Duration::ZERO)).unwrap());
    assert!(!Semaphore::wait_many(&[(&timeline, 99), (&timeline, 20)], true, Some(Duration::ZERO)).unwrap());
}

/// What semaphores, events and queries wait with: on GCN 1 and 2 there is no WAIT_REG_MEM64.
#[test]
fn waits_are_as_wide_as_the_generation_has_them() {
    for (name, wide) in [("hd7950", false), ("r9390", false), ("vega64", true), ("rx5700xt", true)] {
        let machine = Arc::new(Machine::builtin(name).unwrap());
        let (gpu, device) = Recorder::device_with(Config { machine, ..Config::checked() });
        let (first, second) = (device.queue(0, 0).unwrap(), device.queue(1, 0).unwrap());
        let (timeline, binary) = (Semaphore::timeline(&device, 3).unwrap(), Semaphore::binary(&device).unwrap());
        let (event, pool) = (Event::new(&device).unwrap(), QueryPool::timestamps(&device, 1).unwrap());
        let (buffer, fence) = (Buffer::with_memory(&device, 64).unwrap(), Fence::new(&device, false));
        event.set();
        let flags = QueryResultFlags { wide: true, wait: true, ..QueryResultFlags::default() };
        let recording = record(&device, |cb| {
            cb.wait_events(std::slice::from_ref(&event));
            cb.write_timestamp(&pool, 0, false);
            cb.copy_query_results(&pool, 0, 1, &buffer, 0, 16, flags);
        });
        let early = SubmitInfo { waits: vec![(timeline.clone(), 7 << 32 | 5)], ..SubmitInfo::default() };
        let both = vec![(timeline.clone(), 7 << 32 | 6), (binary.clone(), 0)];
        first.submit(&SubmitInfo { signals: vec![(binary.clone(), 0)], ..SubmitInfo::default() }, None).unwrap();
        second.submit(&early, None).unwrap();
        second
            .submit(&SubmitInfo { waits: both, command_buffers: vec![recording], signals: vec![] }, Some(&fence))
            .unwrap();
        // The low words of both are reached long before the high one is.
        for value in [7, 0xffff_ffff, 6 << 32 | 9, 7 << 32 | 5] {
            assert!(!fence.status().unwrap(), "{name}: {value:#x} is next");
            first
                .submit(&SubmitInfo { signals: vec![(timeline.clone(), value)], ..SubmitInfo::default() }, None)
                .unwrap();
        }
        assert!(!fence.status().unwrap(), "{name}");
        timeline.signal(9 << 32).unwrap();
        assert!(fence.status().unwrap(), "{name}: past it, with a lower low word");
        let waits: Vec<_> = gpu.take(1).into_iter().filter(|p| matches!(p, Packet::WaitRegMem { .. })).collect();
        let is_wide = |p: &&Packet| matches!(p, Packet::WaitRegMem { wide: true, .. });
        let (all, wides) = (waits.len(), waits.iter().filter(is_wide).count());
        // Two timelines, the binary one in one or two words, the event, the query.
        assert_eq!((all, wides), if wide { (5, 3) } else { (6, 0) }, "{name}: {waits:x?}");
    }
}

#[test]
fn the_ring_wraps_and_a_full_one_blocks() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let gate = Semaphore::timeline(&device, 0).unwrap();
    queue.submit(&SubmitInfo { waits: vec![(gate.clone(), 1)], ..Default::default() }, None).unwrap();
    let opener = std::thread::spawn({
        let gate = gate.clone();
        move || {
            std::thread::sleep(Duration::from_millis(50));
            gate.signal(1).unwrap();
        }
    });
    let total = 3 * gpu.ring(0).ring_dwords / 8;
    let fence = Fence::new(&device, false);
    for i in 0..total {
        queue.submit(&SubmitInfo::default(), (i == total - 1).then_some(&fence)).unwrap();
    }
    assert_eq!(gate.value().unwrap(), 1, "the ring has no room for so much before the gate opens");
    opener.join().unwrap();
    assert!(fence.wait(Some(PATIENCE)).unwrap());
    let done: Vec<_> = gpu.take(0).into_iter().filter(|p| matches!(p, Packet::ReleaseMem { .. })).collect();
    assert_eq!(done.len() as u32, total + 1);
    assert!(matches!(done.last(), Some(Packet::ReleaseMem { data: ReleaseData::Value64(v), interrupt: true, .. })
        if *v == u64::from(total) + 1));
}

#[test]
fn memory_outlives_the_work_that_uses_it() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let gate = Semaphore::timeline(&device, 0).unwrap();
    let buffer = Buffer::with_memory(&device, 1 << 20).unwrap();
    let loose = Memory::allocate(&device, 1 << 20).unwrap();
    let (kept, freed) = (buffer.address(), loose.address());
    let recording = record(&device, |cb| cb.fill_buffer(&buffer, 0, None, 1));
    let info = SubmitInfo { waits: vec![(gate.clone(), 1)], command_buffers: vec![recording], ..Default::default() };
    queue.submit(&info, None).unwrap();
    drop((buffer, loose, info));
    assert!(gpu.has(kept) && gpu.has(freed));
    gate.signal(1).unwrap();
    queue.wait_idle().unwrap();
    device.memory_size();
    assert!(!gpu.has(kept) && !gpu.has(freed));
}

#[test]
fn everything_is_given_back() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(1, 0).unwrap();
    let layout = PipelineLayout::new(vec![], 0).unwrap();
    let pipeline = ComputePipeline::from_code_object(&device, kernel(vec![]), &layout).unwrap();
    let buffer = Buffer::with_memory(&device, 100).unwrap();
    let recording = record(&device, |cb| {
        cb.bind_pipeline(&pipeline);
        cb.dispatch([1, 1, 1]);
        cb.fill_buffer(&buffer, 0, None, 1);
    });
    submit(&queue, &recording);
    let pool = QueryPool::timestamps(&device, 4000).unwrap();
    drop((queue, device, layout, pipeline, buffer, recording, pool));
    assert_eq!(gpu.allocations(), 0);
}

#[test]
fn out_of_memory_is_an_error() {
    let (gpu, device) = Recorder::device();
    gpu.limit.store(1 << 20, Ordering::Relaxed);
    assert!(
        matches!(Memory::allocate(&device, 2 << 20), Err(Error::OutOfDeviceMemory { requested, .. }) if requested == 2 << 20)
    );
    assert!(matches!(Memory::allocate(&device, u64::MAX), Err(Error::OutOfDeviceMemory { .. })));
    assert!(matches!(Memory::allocate(&device, 0), Err(Error::Invalid(_))));
    assert!(Memory::allocate(&device, 1 << 19).is_ok());
}

#[test]
fn timestamps_become_available_after_their_value() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let pool = QueryPool::timestamps(&device, 3).unwrap();
    let buffer = Buffer::with_memory(&device, 64).unwrap();
    let flags = QueryResultFlags { wide: true, wait: true, with_availability: true, partial: false };
    let recording = record(&device, |cb| {
        cb.reset_query_pool(&pool, 0, 3);
        cb.write_timestamp(&pool, 0, false);
        cb.write_timestamp(&pool, 1, true);
        cb.copy_query_results(&pool, 0, 2, &buffer, 0, 16, flags);
    });
    submit(&queue, &recording);
    let packets = gpu.take(0);
    let value = packets.iter().position(|p| matches!(p, Packet::ReleaseMem { data: ReleaseData::Clock, .. })).unwrap();
    assert!(matches!(packets[value + 1], Packet::ReleaseMem { data: ReleaseData::Value64(1), .. }));
    let mut out = [0; 48];
    assert!(!pool.results(0, 3, &mut out, 16, QueryResultFlags { wait: false, ..flags }).unwrap());
    let word = |b: &[u8], i: usize| u64::from_le_bytes(b[8 * i..8 * i + 8].try_into().unwrap());
    assert!(word(&out, 0) > 0 && word(&out, 2) > word(&out, 0));
    assert_eq!((word(&out, 1), word(&out, 3), word(&out, 5)), (1, 1, 0));
    let mut copied = [0; 32];
    buffer.read(0, &mut copied).unwrap();
    assert_eq!(copied, out[..32]);
    pool.reset(0, 3).unwrap();
    assert!(!pool.results(0, 1, &mut out, 8, QueryResultFlags::default()).unwrap());
    assert!(pool.results(2, 2, &mut out, 8, QueryResultFlags::default()).is_err());
}

#[test]
fn events_hold_commands_back() {
    let (_gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let (host, gpu_event) = (Event::new(&device).unwrap(), Event::new(&device).unwrap());
    let recording = record(&device, |cb| {
        cb.wait_events(std::slice::from_ref(&host));
        cb.reset_event(&host);
        cb.set_event(&gpu_event);
    });
    let fence = Fence::new(&device, false);
    queue.submit(&SubmitInfo { command_buffers: vec![recording], ..Default::default() }, Some(&fence)).unwrap();
    assert!(!fence.status().unwrap() && !gpu_event.is_set().unwrap());
    host.set();
    assert!(fence.wait(None).unwrap() && gpu_event.is_set().unwrap() && !host.is_set().unwrap());
}

#[test]
fn secondaries_are_nested() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let buffer = Buffer::with_memory(&device, 16).unwrap();
    let secondary = record(&device, |cb| cb.fill_buffer(&buffer, 0, None, 5));
    let primary = record(&device, |cb| cb.execute_commands(&[secondary.clone(), secondary.clone()]));
    submit(&queue, &primary);
    let packets = gpu.take(0);
    let inner = inner(&packets);
    let (address, dwords) = secondary.pieces().next().unwrap();
    assert_eq!(inner.len(), 4);
    assert_eq!(inner[0], Packet::IndirectBuffer { address, dwords });
    assert!(matches!(inner[1], Packet::DmaData { .. }));
}

#[test]
fn a_fault_loses_the_device_with_kernel_and_line() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let layout = PipelineLayout::new(vec![], 0).unwrap();
    let pipeline = ComputePipeline::from_code_object(&device, kernel(vec![]), &layout).unwrap();
    let gate = Semaphore::timeline(&device, 0).unwrap();
    let fence = Fence::new(&device, false);
    queue.submit(&SubmitInfo { waits: vec![(gate, 1)], ..Default::default() }, Some(&fence)).unwrap();
    let waiter = std::thread::spawn({
        let fence = fence.clone();
        move || fence.wait(None)
    });
    std::thread::sleep(Duration::from_millis(10));
    let pc = pipeline.address() + 4;
    let site = WaveSite {
        workgroup: [0; 3],
        wave: 0,
        lane: 0,
        lanes: 1,
        pc,
        pc_offset: 0,
        disassembly: String::new(),
        source: None,
        registers: Registers::default(),
        waves: Vec::new(),
    };
    let kind = FaultKind::IllegalInstruction { words: [0; 2] };
    gpu.fault(0, GpuFault { kind, kernel: String::new(), site: Some(site), queue: (0, 0) });
    let Err(Error::DeviceLost(fault)) = waiter.join().unwrap() else { panic!("the waiter must wake") };
    let site = fault.site.as_ref().unwrap();
    assert_eq!((fault.kernel.as_str(), site.source.as_deref(), site.pc_offset), ("k", Some("k.comp:7"), 4));
    assert!(device.fault().is_some());
    assert!(matches!(queue.submit(&SubmitInfo::default(), None), Err(Error::DeviceLost(_))));
    assert!(matches!(device.wait_idle(), Err(Error::DeviceLost(_))));
    assert!(matches!(fence.status(), Err(Error::DeviceLost(_))));
}

#[test]
fn scratch_dispatches_share_a_ring() {
    let (gpu, device) = Recorder::device();
    let queue = device.queue(0, 0).unwrap();
    let layout = PipelineLayout::new(vec![], 0).unwrap();
    let make = |scratch_bytes, wave| {
        let mut code = CodeObject { scratch_bytes, wave, ..kernel(vec![UserData::ScratchRing]) };
        code.system.scratch_wave_offset = true;
        ComputePipeline::from_code_object(&device, code, &layout).unwrap()
    };
    let (large, small, wide) = (make(100, WaveSize::W32), make(20, WaveSize::W32), make(20, WaveSize::W64));
    let recording = record(&device, |cb| {
        for pipeline in [&large, &small, &wide] {
            cb.bind_pipeline(pipeline);
            cb.dispatch([1, 1, 1]);
        }
    });
    submit(&queue, &recording);
    let packets = gpu.take(0);
    let rings: Vec<u64> = packets
        .iter()
        .filter_map(|p| match p {
            Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values } => Some(u64_of(values)),
            _ => None,
        })
        .collect();
    let [first, second] = rings[..] else { panic!("one ring for each wave size: {rings:?}") };
    let v = gpu.words(first, 4);
    // 3200 bytes of a wave become 4 KiB; 256 waves.
    assert_eq!(v[2], 256 * 4096);
    assert_eq!((v[1] >> 31, v[3] >> 21 & 3, v[3] >> 23 & 1), (1, 2, 1), "swizzled, 32 lanes, ADD_TID");
    assert_eq!(gpu.words(second, 4)[3] >> 21 & 3, 3, "64 lanes");
    let tmpring = |p: &Packet| match p {
        Packet::SetShReg { reg: reg::COMPUTE_TMPRING_SIZE, values } => Some(values[0]),
        _ => None,
    };
    assert_eq!(packets.iter().filter_map(tmpring).collect::<Vec<_>>(), [256 | 4 << 12, 256 | 1 << 12, 256 | 2 << 12]);
    assert_eq!(u64_of(&v) & 0xffff_ffff_ffff, u64_of(&gpu.words(second, 4)) & 0xffff_ffff_ffff, "one ring for both");
    assert!(!packets.contains(&Packet::CsPartialFlush), "they may overlap");
}
