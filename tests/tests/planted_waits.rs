//! Mistakes planted in the waits of compiled kernels, each of which the check of waits is to find. Each wait of a kernel is, in
//! turn, taken out, weakened by one, and made of another counter; the kernel then runs with WAVEPIPE_CHECK=wait.
//!
//! In the kernels written for this test every mistake is found. In random modules a wait for a register may be needed on another
//! path than those that ran, which is seldom; and those of memory barriers are for what other waves may access, and often do not.

use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::wait::{Counter, Counts, Event, Wait};
use wavepipe_runtime::isa::{Gen, Instr, decode, disasm, encode, insts};
use wavepipe_runtime::simple::{Job, Session, entry_point, layout_of};
use wavepipe_runtime::{ComputePipeline, Config, PipelineLayout, ShaderModule, WaveSize};
use wavepipe_tests::matrix;
use wavepipe_tests::spirv::generate::case;

/// A kernel, compiled, and how to run it.
struct Subject {
    name: String,
    machine: Arc<Machine>,
    code: CodeObject,
    layout: Arc<PipelineLayout>,
    job: Job,
}

impl Subject {
    /// `None`: the compiler refuses it.
    fn new(name: &str, words: &[u32], (machine, wave): (&Arc<Machine>, WaveSize), job: Job) -> Option<Subject> {
        let (name, machine) = (format!("{name} {} {wave:?}", machine.name), machine.clone());
        let session = Session::new(&Config { machine: machine.clone(), ..Config::watched() }).unwrap();
        let info = entry_point(words, None).unwrap();
        let layout = layout_of(&info).unwrap();
        let module = ShaderModule::new(words);
        let made = ComputePipeline::new(session.device(), &module, &info.name, &[], &layout, Some(wave));
        let code = made.ok()?.code_object().clone();
        let mut job = job;
        job.buffers.retain(|(set, binding, _)| info.resources.iter().any(|r| (r.set, r.binding) == (*set, *binding)));
        job.push.truncate(info.push_constant_bytes as usize);
        Some(Subject { name, machine, code, layout, job })
    }

    fn isa(&self) -> Gen {
        self.machine.generation()
    }

    /// Runs it with one word of its code changed; what the device says, if it is lost.
    fn run(&self, change: Option<(usize, u32)>) -> Result<(), String> {
        // A fault ends a device.
        let session = Session::new(&Config { machine: self.machine.clone(), threads: 1, ..Config::watched() }).unwrap();
        let mut code = self.code.clone();
        if let Some((at, word)) = change {
            code.text[4 * at..][..4].copy_from_slice(&word.to_le_bytes());
        }
        let pipeline = ComputePipeline::from_code_object(session.device(), code, &self.layout).unwrap();
        session.run_pipeline(&pipeline, &self.job).map(drop).map_err(|e| e.to_string())
    }

    /// Its instructions: index of the first word, and what it is.
    fn instructions(&self) -> Vec<(usize, Instr)> {
        let words = self.code.code_words();
        let (mut at, mut list) = (0, Vec::new());
        while at < words.len() {
            let (instr, size) = decode::decode(&words[at..], self.isa()).unwrap();
            list.push((at, instr));
            at += size;
        }
        list
    }

    fn listing(&self) -> String {
        let text = |(at, i): (usize, Instr)| format!("{at:4} {}", disasm::text(&i, self.isa(), self.code.wave.lanes()));
        self.instructions().into_iter().map(text).collect::<Vec<_>>().join("\n")
    }
}

fn word(instr: &Instr, isa: Gen) -> u32 {
    let mut words = Vec::new();
    encode::encode(instr, isa, &mut words).unwrap();
    words[0]
}

/// The wait with other counts; S_NOP if it waits for nothing any more.
fn with_counts(instr: &Instr, counts: Counts, isa: Gen) -> u32 {
    let mut out = *instr;
    match instr.waits(isa) {
        Some(Wait::Counts(_)) => out.imm = counts.imm(isa),
        Some(Wait::Sum { counter, .. }) => out.imm = counts.get(counter).into(),
        None => unreachable!("a wait"),
    }
    word(if counts == Counts::NONE { const { &Instr::new(insts::S_NOP) } } else { &out }, isa)
}

/// A wait's mistakes, by name.
fn mistakes(instr: &Instr, isa: Gen) -> Vec<(String, u32)> {
    let counts = instr.waits(isa).unwrap().counts(|_| 0);
    let mut out = Vec::new();
    for counter in Counter::ALL {
        let Some(n) = counts.asked(counter) else { continue };
        let without = counts.without(counter);
        out.push((format!("no {}", counter.name()), with_counts(instr, without, isa)));
        out.push((format!("{} one later", counter.name()), with_counts(instr, counts.with(counter, n + 1), isa)));
        let other = if counter == Counter::Vm { Counter::Lgkm } else { Counter::Vm };
        if instr.op == insts::S_WAITCNT && counts.asked(other).is_none() {
            let wrong = without.with(other, n);
            out.push((format!("{} instead of {}", other.name(), counter.name()), with_counts(instr, wrong, isa)));
        }
    }
    out
}

#[derive(Default)]
struct Tally {
    found: usize,
    unneeded: Vec<String>,
    /// Not found, of a memory barrier: stores are waited for, or a barrier or what empties a cache is behind.
    at_barriers: usize,
    /// By the counter that was to be waited for, what was found.
    by_counter: BTreeMap<&'static str, usize>,
    not_reached: usize,
}

/// Plants every mistake in every wait.
fn plant(subject: &Subject, tally: &mut Tally) {
    let isa = subject.isa();
    let trap = {
        let mut trap = Instr::new(insts::S_TRAP);
        trap.imm = 1;
        word(&trap, isa)
    };
    subject.run(None).unwrap_or_else(|e| panic!("{}: {e}\n{}", subject.name, subject.listing()));
    let instructions = subject.instructions();
    for (n, &(at, instr)) in instructions.iter().enumerate().filter(|(_, (_, i))| i.waits(isa).is_some()) {
        let ordering = [insts::S_WAITCNT_VSCNT, insts::S_BARRIER, insts::BUFFER_GL0_INV, insts::BUFFER_GL1_INV];
        let at_barrier = instructions[n..].iter().take(2).any(|(_, i)| ordering.contains(&i.op));
        if !subject.run(Some((at, trap))).is_err_and(|e| e.contains("trapped")) {
            tally.not_reached += 1;
            continue;
        }
        for (mistake, damaged) in mistakes(&instr, isa) {
            match subject.run(Some((at, damaged))) {
                Err(e) if e.contains("was to be waited for") => {
                    tally.found += 1;
                    let counter = Counter::ALL.into_iter().find(|c| e.contains(&format!(" {}(", c.name())));
                    *tally.by_counter.entry(counter.map_or("", Counter::name)).or_default() += 1;
                }
                // A wait may also be what keeps clear of a bug of the silicon.
                Err(e) if e.contains("a card may compute something else here") => tally.found += 1,
                Ok(()) if at_barrier => tally.at_barriers += 1,
                Ok(()) => {
                    let listing = subject.listing();
                    let around: Vec<&str> = listing.lines().skip(n.saturating_sub(4)).take(9).collect();
                    tally.unneeded.push(format!("{} word {at}: {mistake}, in\n{}", subject.name, around.join("\n")));
                }
                Err(e) => panic!("{} word {at}, {mistake}: {e}\n{}", subject.name, subject.listing()),
            }
        }
    }
}

fn spirv(wgsl: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(wgsl).unwrap_or_else(|e| panic!("{}", e.emit_to_string(wgsl)));
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
    let info = validator.validate(&module).unwrap();
    naga::back::spv::write_vec(&module, &info, &Default::default(), None).unwrap()
}

/// Kernels in which every wait is needed on every path.
const KERNELS: [(&str, &str); 5] = [
    (
        "gather",
        "@group(0) @binding(0) var<storage, read> a: array<u32, 256>;
         @group(0) @binding(1) var<storage, read> b: array<u32, 256>;
         @group(0) @binding(2) var<storage, read_write> out: array<u32, 256>;
         @compute @workgroup_size(128)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             let i = id.x;
             let far = a[i] & 127u;
             out[i] = b[far] * a[255u - i] + b[i] + (a[i ^ 64u] ^ b[i ^ 32u]);
         }",
    ),
    (
        "sums",
        "@group(0) @binding(0) var<storage, read> a: array<u32, 256>;
         @group(0) @binding(2) var<storage, read_write> out: array<u32, 256>;
         var<workgroup> sums: array<u32, 128>;
         @compute @workgroup_size(128)
         fn main(@builtin(local_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
             var sum = a[group.x * 128u + id.x];
             for (var n = 0u; n < 3u; n++) {
                 sums[id.x] = sum;
                 workgroupBarrier();
                 sum = sum * 3u + sums[id.x ^ 64u];
                 workgroupBarrier();
             }
             out[group.x * 128u + id.x] = sum;
         }",
    ),
    (
        "loop",
        "@group(0) @binding(0) var<storage, read> a: array<u32, 256>;
         @group(0) @binding(1) var<storage, read> b: array<u32, 256>;
         @group(0) @binding(2) var<storage, read_write> out: array<u32, 256>;
         @compute @workgroup_size(128)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             var sum = 0u;
             let rounds = 3u + (b[0] & 1u);
             for (var k = 0u; k < rounds; k++) {
                 sum = sum * 3u + a[(id.x + k * 7u) & 255u] + b[k];
             }
             out[id.x] = sum;
         }",
    ),
    (
        "exchange",
        "@group(0) @binding(0) var<storage, read> a: array<u32, 256>;
         @group(0) @binding(2) var<storage, read_write> out: array<u32, 256>;
         @compute @workgroup_size(128)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             out[id.x] = a[id.x];
             storageBarrier();
             workgroupBarrier();
             let other = out[id.x ^ 64u];
             storageBarrier();
             workgroupBarrier();
             out[id.x] = other + 1u;
         }",
    ),
    (
        "atomics",
        "@group(0) @binding(0) var<storage, read> a: array<u32, 256>;
         @group(0) @binding(2) var<storage, read_write> out: array<atomic<u32>, 256>;
         @compute @workgroup_size(128)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             let before = atomicAdd(&out[id.x], a[id.x]);
             let more = atomicMax(&out[id.x], before + a[255u - id.x]);
             atomicXor(&out[id.x], more);
         }",
    ),
];

/// The machines that kernels have their waits damaged on: all generations whose counters differ.
fn machines() -> Vec<Arc<Machine>> {
    let others = [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900];
    let others = others.map(|isa| Arc::new(Machine::open(&matrix::name(isa)).unwrap()));
    std::iter::once(Machine::standard()).chain(others).collect()
}

#[test]
fn every_mistake_in_a_needed_wait_is_found() {
    for machine in machines() {
        let mut tally = Tally::default();
        for (name, text) in KERNELS {
            let words = spirv(text);
            let data = |n: u32| (0..256u32).flat_map(|i| (i.wrapping_mul(n) >> 3).to_le_bytes()).collect::<Vec<u8>>();
            let buffers = vec![(0, 0, data(0x9e37)), (0, 1, data(0x85eb)), (0, 2, vec![0; 1024])];
            let job = Job { groups: [2, 1, 1], buffers, ..Job::default() };
            for wave in matrix::waves(&machine) {
                let subject = Subject::new(name, &words, (&machine, *wave), job.clone()).expect("it compiles");
                plant(&subject, &mut tally);
                assert_eq!((&tally.unneeded[..], tally.at_barriers), (&[][..], 0), "{}", subject.listing());
            }
        }
        assert_eq!(tally.not_reached, 0);
        println!("{}: {} found {:?}", machine.name, tally.found, tally.by_counter);
        let both = matrix::waves(&machine).len();
        let stores = Event::VectorStore.counted(machine.generation()).unwrap().counter;
        let least = [("vmcnt", 20 * both), ("lgkmcnt", 20 * both), (stores.name(), 1)];
        let few = least.iter().filter(|(c, n)| tally.by_counter.get(c).is_none_or(|found| found < n));
        assert_eq!(few.count(), 0, "{}, found by counter: {:?}", machine.name, tally.by_counter);
    }
}

/// Waits of random modules.
#[test]
fn mistakes_in_random_modules_are_found() {
    let mut tally = Tally::default();
    for seed in 1..41 {
        let case = case(seed, 20);
        let words = case.module.words();
        let buffers = (0..).zip(case.buffers.clone()).map(|(n, bytes)| (0, n, bytes)).collect();
        let job = Job { groups: case.groups, buffers, push: case.push.clone(), ..Job::default() };
        let wave = if seed % 2 == 0 { WaveSize::W32 } else { WaveSize::W64 };
        if let Some(subject) = Subject::new(&format!("seed {seed}"), &words, (&Machine::standard(), wave), job) {
            plant(&subject, &mut tally);
        }
    }
    let Tally { found, unneeded, at_barriers, by_counter, not_reached } = &tally;
    println!("{found} found {by_counter:?}, {at_barriers} at barriers not, {not_reached} waits not reached");
    assert!(*found >= 100 && 20 * unneeded.len() <= *found, "{found} found, but not\n{}", unneeded.join("\n"));
}
