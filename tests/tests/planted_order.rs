//! Commands that nothing orders, planted, and the same ones mended: barriers that are missing, or for something else, on a queue, from
//! one submission to the next, and between queues. Of each the finding is named with both commands, and the mended one has none.
//! Some run on other generations too.

use std::sync::Arc;
use wavepipe_runtime::hw::finding::{Finding, FindingKind, Lack};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::{
    Buffer, BufferCopy, CommandBuffer, ComputePipeline, Config, Dependency, DescriptorPool, DescriptorSet, Device,
    GuestChecks, Queue, Scope, Semaphore, Stages, SubmitInfo, Ways,
};
use wavepipe_tests::matrix;

const KERNELS: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> sum: array<atomic<u32>>;
@compute @workgroup_size(64) fn write_a(@builtin(global_invocation_id) i: vec3u) {
    a[i.x] = i.x;
}
@compute @workgroup_size(64) fn write_low(@builtin(local_invocation_index) i: u32) {
    a[i] = i;
}
@compute @workgroup_size(64) fn write_high(@builtin(local_invocation_index) i: u32) {
    a[i + 64u] = i;
}
@compute @workgroup_size(64) fn copy_a(@builtin(global_invocation_id) i: vec3u) {
    b[i.x] = a[i.x];
}
@compute @workgroup_size(64) fn count(@builtin(local_invocation_index) i: u32) {
    atomicAdd(&sum[0], i);
}
@compute @workgroup_size(1) fn counts() {
    a[0] = 1u; a[1] = 1u; a[2] = 1u;
}
";

fn words() -> Vec<u32> {
    use naga::back::spv;
    let module = naga::front::wgsl::parse_str(KERNELS).unwrap_or_else(|e| panic!("{}", e.emit_to_string(KERNELS)));
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), Default::default());
    let info = validator.validate(&module).unwrap();
    let language = spv::SourceLanguage::WGSL;
    let options = spv::Options {
        flags: spv::WriterFlags::DEBUG,
        debug_info: Some(spv::DebugInfo { source_code: KERNELS, file_name: "order.wgsl", language }),
        ..Default::default()
    };
    spv::write_vec(&module, &info, &options, None).unwrap()
}

/// The line of a kernel's text.
fn line(text: &str) -> u32 {
    KERNELS.lines().position(|l| l.contains(text)).unwrap() as u32 + 1
}

const COMPUTE_TO_COMPUTE: Dependency =
    barrier(Stages::COMPUTE, Ways::COMPUTE_WRITE, Stages::COMPUTE, Ways::COMPUTE_READ);
const COMPUTE_TO_COPY: Dependency =
    barrier(Stages::COMPUTE, Ways::COMPUTE_WRITE, Stages::TRANSFER, Ways::TRANSFER_READ);
const COPY_TO_COMPUTE: Dependency =
    barrier(Stages::TRANSFER, Ways::TRANSFER_WRITE, Stages::COMPUTE, Ways::COMPUTE_READ);
const COPY_TO_COPY: Dependency = barrier(Stages::TRANSFER, Ways::TRANSFER_WRITE, Stages::TRANSFER, Ways::TRANSFER_READ);
const TO_INDIRECT: Dependency = barrier(Stages::COMPUTE, Ways::COMPUTE_WRITE, Stages::INDIRECT, Ways::INDIRECT_READ);
const EXECUTION: Dependency = barrier(Stages::COMPUTE, Ways::empty(), Stages::TRANSFER, Ways::empty());

const fn barrier(stages: Stages, ways: Ways, to: Stages, to_ways: Ways) -> Dependency {
    Dependency { first: Scope { stages, ways }, second: Scope { stages: to, ways: to_ways }, only: None }
}

/// A device with two queues, kernels and buffers, and what is recorded on it.
struct World {
    session: Session,
    queues: [Arc<Queue>; 2],
    words: Vec<u32>,
    buffers: [Arc<Buffer>; 3],
    commands: CommandBuffer,
    kept: Vec<(Arc<ComputePipeline>, Vec<Arc<DescriptorSet>>)>,
}

impl World {
    fn new(timing: bool) -> World {
        World::on(Machine::standard(), timing)
    }

    fn on(machine: Arc<Machine>, timing: bool) -> World {
        let config = Config { machine, guest_checks: GuestChecks::SYNC, timing, ..Config::checked() };
        let session = Session::with_device(Device::new(&config).unwrap()).unwrap();
        let device = session.device().clone();
        let queues = [device.queue(0, 0).unwrap(), device.queue(1, 0).unwrap()];
        let buffers = ["a", "b", "sum"].map(|name| {
            let buffer = Buffer::with_memory(&device, 512).unwrap();
            buffer.rename(name);
            buffer
        });
        let mut commands = CommandBuffer::new(&device);
        commands.begin();
        World { session, queues, words: words(), buffers, commands, kept: Vec::new() }
    }

    fn bind(&mut self, kernel: &str) {
        let pipeline = self.session.pipeline(&self.words, Some(kernel), &[], None).unwrap();
        let layout = pipeline.layout();
        let pool = DescriptorPool::new(self.session.device(), 1, 8);
        let sets: Vec<_> = layout.sets().iter().map(|l| pool.allocate(l).unwrap()).collect();
        for (binding, buffer) in (0..).zip(&self.buffers) {
            if layout.layout().find(0, binding).is_some() {
                sets[0].write_buffer(binding, 0, buffer, 0, None).unwrap();
            }
        }
        self.commands.bind_pipeline(&pipeline);
        self.commands.bind_descriptor_sets(layout, 0, &sets, &[]);
        self.kept.push((pipeline, sets));
    }

    fn run(&mut self, kernel: &str) {
        self.bind(kernel);
        self.commands.dispatch([1, 1, 1]);
    }

    fn copy(&mut self, from: usize, to: usize) {
        let whole = BufferCopy { source_offset: 0, dest_offset: 0, size: 256 };
        let (from, to) = (self.buffers[from].clone(), self.buffers[to].clone());
        self.commands.copy_buffer(&from, &to, &[whole]);
    }

    fn fill(&mut self, buffer: usize) {
        self.commands.fill_buffer(&self.buffers[buffer].clone(), 0, None, 7);
    }

    fn barrier(&mut self, dependency: Dependency) {
        self.commands.barrier(&[dependency]);
    }

    fn submit(&mut self, queue: usize, waits: Vec<(Arc<Semaphore>, u64)>, signals: Vec<(Arc<Semaphore>, u64)>) {
        self.commands.end().unwrap();
        let info = SubmitInfo { waits, command_buffers: vec![self.commands.recording().unwrap()], signals };
        self.queues[queue].submit(&info, None).unwrap();
        self.commands.begin();
    }

    fn found(mut self) -> Vec<Arc<Finding>> {
        self.submit(0, Vec::new(), Vec::new());
        self.queues.iter().for_each(|q| q.wait_idle().unwrap());
        self.session.device().take_findings().findings
    }
}

/// Name, slug, what is lacking, the two commands, what is recorded: `true` for the mended one.
type Case = (&'static str, &'static str, Lack, [&'static str; 2], fn(&mut World, bool));

const CASES: &[Case] = &[
    ("dispatch, dispatch", "read-after-write", Lack::Barrier, ["write_a", "copy_a"], |w, right| {
        w.run("write_a");
        if right {
            w.barrier(COMPUTE_TO_COMPUTE);
        }
        w.run("copy_a");
    }),
    ("dispatch, copy", "read-after-write", Lack::Barrier, ["write_a", "vkCmdCopyBuffer"], |w, right| {
        w.run("write_a");
        if right {
            w.barrier(COMPUTE_TO_COPY);
        }
        w.copy(0, 1);
    }),
    (
        "dispatch, barrier for shaders, copy",
        "read-after-write",
        Lack::Scope,
        ["write_a", "vkCmdCopyBuffer"],
        |w, right| {
            w.run("write_a");
            w.barrier(if right { COMPUTE_TO_COPY } else { COMPUTE_TO_COMPUTE });
            w.copy(0, 1);
        },
    ),
    ("copy, dispatch", "read-after-write", Lack::Barrier, ["vkCmdCopyBuffer", "copy_a"], |w, right| {
        w.copy(2, 0);
        if right {
            w.barrier(COPY_TO_COMPUTE);
        }
        w.run("copy_a");
    }),
    ("fill, copy", "read-after-write", Lack::Barrier, ["vkCmdFillBuffer", "vkCmdCopyBuffer"], |w, right| {
        w.fill(0);
        if right {
            w.barrier(COPY_TO_COPY);
        }
        w.copy(0, 1);
    }),
    ("fill, dispatch that writes", "write-after-write", Lack::Barrier, ["vkCmdFillBuffer", "write_a"], |w, right| {
        w.fill(0);
        if right {
            w.barrier(COPY_TO_COMPUTE);
        }
        w.run("write_a");
    }),
    ("update, dispatch", "read-after-write", Lack::Barrier, ["vkCmdUpdateBuffer", "copy_a"], |w, right| {
        w.commands.update_buffer(&w.buffers[0].clone(), 16, &[1, 2, 3, 4]);
        if right {
            w.barrier(COPY_TO_COMPUTE);
        }
        w.run("copy_a");
    }),
    (
        "a copy over what a dispatch reads",
        "write-after-read",
        Lack::Barrier,
        ["copy_a", "vkCmdCopyBuffer"],
        |w, right| {
            w.run("copy_a");
            if right {
                w.barrier(EXECUTION);
            }
            w.copy(2, 0);
        },
    ),
    (
        "execution is ordered, memory is not",
        "read-after-write",
        Lack::Scope,
        ["write_a", "vkCmdCopyBuffer"],
        |w, right| {
            w.run("write_a");
            w.barrier(if right { COMPUTE_TO_COPY } else { EXECUTION });
            w.copy(0, 1);
        },
    ),
    ("a barrier for other memory", "read-after-write", Lack::Scope, ["write_a", "copy_a"], |w, right| {
        w.run("write_a");
        let of = &w.buffers[if right { 0 } else { 2 }];
        let only = Some(of.address()..of.address() + of.size());
        w.barrier(Dependency { only, ..COMPUTE_TO_COMPUTE });
        w.run("copy_a");
    }),
    (
        "counts of an indirect dispatch",
        "read-after-write",
        Lack::Scope,
        ["counts", "vkCmdDispatchIndirect"],
        |w, right| {
            w.run("counts");
            w.barrier(if right { TO_INDIRECT } else { COMPUTE_TO_COMPUTE });
            w.bind("count");
            w.commands.dispatch_indirect(&w.buffers[0].clone(), 0);
        },
    ),
    ("two submissions", "read-after-write", Lack::Barrier, ["write_a", "copy_a"], |w, right| {
        w.run("write_a");
        w.submit(0, Vec::new(), Vec::new());
        if right {
            w.barrier(COMPUTE_TO_COMPUTE);
        }
        w.run("copy_a");
    }),
    (
        "two submissions, the host waits in between",
        "read-after-write",
        Lack::Barrier,
        ["write_a", "copy_a"],
        |w, right| {
            w.run("write_a");
            w.submit(0, Vec::new(), Vec::new());
            if right {
                w.queues[0].wait_idle().unwrap();
            }
            w.run("copy_a");
        },
    ),
    ("two submissions and a semaphore", "read-after-write", Lack::Barrier, ["write_a", "copy_a"], |w, right| {
        let semaphore = Semaphore::binary(w.session.device()).unwrap();
        w.run("write_a");
        w.submit(0, Vec::new(), vec![(semaphore.clone(), 0)]);
        w.run("copy_a");
        w.submit(0, if right { vec![(semaphore, 0)] } else { Vec::new() }, Vec::new());
    }),
    ("two queues", "read-after-write", Lack::Semaphore, ["write_a", "copy_a"], |w, right| {
        let semaphore = Semaphore::timeline(w.session.device(), 0).unwrap();
        w.run("write_a");
        w.submit(0, Vec::new(), vec![(semaphore.clone(), 5)]);
        // Waiting for what was signaled before orders nothing.
        let value = if right { 3 } else { 0 };
        w.run("copy_a");
        w.submit(1, if value > 0 { vec![(semaphore, value)] } else { Vec::new() }, Vec::new());
    }),
    (
        "a copy of a secondary command buffer",
        "read-after-write",
        Lack::Barrier,
        ["vkCmdFillBuffer", "copy_a"],
        |w, right| {
            let mut secondary = CommandBuffer::new(w.session.device());
            secondary.begin();
            secondary.fill_buffer(&w.buffers[0].clone(), 0, None, 1);
            secondary.end().unwrap();
            w.commands.execute_commands(&[secondary.recording().unwrap()]);
            if right {
                w.barrier(COPY_TO_COMPUTE);
            }
            w.run("copy_a");
        },
    ),
];

fn name(command: &wavepipe_runtime::hw::finding::Command) -> String {
    let kernel = command.kernel.clone().filter(|_| command.name != "vkCmdDispatchIndirect");
    kernel.unwrap_or_else(|| command.name.clone())
}

#[test]
fn planted_orders_are_found_and_mended_ones_have_none() {
    let mut wrong = Vec::new();
    for (number, (case, slug, lacks, commands, record)) in (0..).zip(CASES) {
        let machines = matrix::of_case(number);
        let how = [(false, false), (true, false), (false, true), (true, true)];
        for (machine, (right, timing)) in machines.iter().flat_map(|m| how.map(|how| (m, how))) {
            let mut world = World::on(machine.clone(), timing);
            record(&mut world, right);
            let found = world.found();
            let told: String = found.iter().map(|f| format!("{f}\n")).collect();
            let good = match &found[..] {
                [] => right,
                [one] if !right => match &one.kind {
                    FindingKind::Unordered(u) => {
                        let (first, second) = (name(&u.first), name(&u.second));
                        one.kind.slug() == *slug && u.lacks == *lacks && [&first[..], &second[..]] == *commands
                    }
                    _ => false,
                },
                _ => false,
            };
            if !good {
                wrong.push(format!("{case}, {}, right: {right}, clock: {timing}:\n{told}", machine.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What does not access the same bytes, or only by atomics, needs no order.
#[test]
fn what_needs_no_order_has_no_finding() {
    for timing in [false, true] {
        let mut w = World::new(timing);
        w.run("write_low");
        w.run("write_high");
        w.run("count");
        w.run("count");
        w.copy(1, 1);
        assert_eq!(w.found().len(), 0);
    }
}

/// Both instructions have their lines, the memory its name.
#[test]
fn a_finding_names_both_instructions() {
    let mut w = World::new(false);
    w.run("write_a");
    w.run("copy_a");
    let found = w.found();
    let [one] = &found[..] else { panic!("{found:?}") };
    let at = |l: &wavepipe_runtime::hw::finding::Location| l.source.as_ref().map_or(0, |s| s.line);
    let other = one.other.as_ref().unwrap();
    assert_eq!((at(&one.site), at(&other.site)), (line("b[i.x] = a[i.x]"), line("a[i.x] = i.x")));
    let access = one.access.as_ref().unwrap();
    assert_eq!((access.name.as_deref(), access.bytes), (Some("a"), 256));
    let message = "vkCmdDispatch of `copy_a` reads what is written by vkCmdDispatch of `write_a`, 256 bytes of `a`, with no barrier in between";
    assert_eq!(one.message(), message);
    assert!(one.id().starts_with("sync-read-after-write-"), "{}", one.id());
}
