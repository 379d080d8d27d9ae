//! `--seed` and `--many-seeds`: racy programs differ between seeds and replay exactly, others do not differ; and what a hang and a
//! fault say, with and without a clock.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wavepipe_runtime::simple::{entry_point, layout_of};
use wavepipe_runtime::{
    Buffer, CommandBuffer, ComputePipeline, Config, DescriptorPool, DescriptorSet, Device, Recording, ShaderModule,
    SubmitInfo, WaveSize,
};
use wavepipe_tests::host_time::ample;
use wavepipe_tests::processor::output_within;
use wavepipe_tests::{clean, installed, program, root, run, scratch, show, skip, wavepipe_manifest};

/// Every work-group's first lane adds one, without an atomic.
const LOST: &str = "
    @group(0) @binding(0) var<storage, read_write> total: array<u32>;
    @compute @workgroup_size(64)
    fn main(@builtin(local_invocation_index) i: u32) {
        if (i == 0u) { total[0] += 1u; }
    }";

/// A sum of 0 to 127 in LDS; the barrier is missing where both waves still take part.
const SUM: &str = "#version 450
    layout(local_size_x = 128) in;
    layout(set = 0, binding = 0) buffer B { uint sums[]; };
    shared uint s[128];
    void main() {
        uint i = gl_LocalInvocationID.x;
        s[i] = i;
        for (uint n = 64; n > 0; n >>= 1) {
            if (i < n) s[i] += s[i + n];
            if (n < 64) barrier();
        }
        if (i == 0) sums[gl_WorkGroupID.x] = s[0];
    }";

/// The same with its barrier.
const SUM_MENDED: &str = "#version 450
    layout(local_size_x = 128) in;
    layout(set = 0, binding = 0) buffer B { uint sums[]; };
    shared uint s[128];
    void main() {
        uint i = gl_LocalInvocationID.x;
        s[i] = i;
        for (uint n = 64; n > 0; n >>= 1) {
            barrier();
            if (i < n) s[i] += s[i + n];
        }
        if (i == 0) sums[gl_WorkGroupID.x] = s[0];
    }";

/// Work-group 0 goes to sleep if there is nothing for it; work-group 1 wakes it if it sleeps. Between looking and sleeping
/// the other may come and go.
const WAKEUP: &str = "
    @group(0) @binding(0) var<storage, read_write> b: array<atomic<u32>>;
    @compute @workgroup_size(1)
    fn main(@builtin(workgroup_id) group: vec3<u32>) {
        if (group.x == 0u) {
            if (atomicLoad(&b[0]) == 0u) {
                atomicStore(&b[1], 1u);
                while (atomicLoad(&b[2]) == 0u) {
                }
            }
            atomicStore(&b[3], 7u);
        } else {
            atomicStore(&b[0], 1u);
            if (atomicLoad(&b[1]) == 1u) { atomicStore(&b[2], 1u); }
        }
    }";

/// The lines of WAKEUP's loop, of which a wave that hangs names one.
const WAKEUP_LOOP: [&str; 2] = ["lost-wakeup.wgsl:8", "lost-wakeup.wgsl:9"];

fn file(name: &str, text: &str) -> PathBuf {
    let path = scratch(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn shader(path: &Path, words: &str) -> Command {
    let mut command = clean(&program("wavepipe").unwrap());
    command.arg("run").arg(path).args(words.split_whitespace());
    command
}

fn output(command: &mut Command) -> Output {
    run(command).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", show(output)))
}

#[test]
fn a_race_differs_between_seeds_and_each_seed_is_one_run_everywhere() {
    let lost = file("lost.wgsl", LOST);
    let words = "--groups 12 --buffer total=[1] --out total=- --quiet";
    let one = |seed: u64, threads: &str, more: &str| {
        let mut command = shader(&lost, &format!("{words} --seed {seed}"));
        let out = output(command.args(more.split_whitespace()).env("WAVEPIPE_THREADS", threads));
        assert!(out.status.success(), "{}", show(&out));
        String::from_utf8(out.stdout).unwrap()
    };
    let mut seen = BTreeSet::new();
    for seed in 0..24 {
        let first = one(seed, "1", "");
        for threads in ["2", "4"] {
            assert_eq!(one(seed, threads, ""), first, "seed {seed}, {threads} threads");
        }
        let by_variable = |timing| {
            let mut command = shader(&lost, words);
            let out = output(command.env("WAVEPIPE_SEED", seed.to_string()).env("WAVEPIPE_TIMING", timing));
            String::from_utf8(out.stdout).unwrap()
        };
        assert_eq!([by_variable("0"), by_variable("1")], [first.clone(), first.clone()], "seed {seed}");
        seen.insert(first);
    }
    assert!(seen.len() > 3 && seen.contains("12\n"), "{seen:?}");
}

/// `--many-seeds` finds what differs, and its last line runs the first of them again.
#[test]
fn many_seeds_find_a_missing_barrier_and_say_how_to_see_it_again() {
    let sum = file("sum.comp", SUM);
    let out = output(&mut shader(&sum, "--groups 2 --buffer sums=[2] --many-seeds 0..40"));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.code() == Some(1) && text.starts_with("40 seeds, "), "{}", show(&out));
    assert!(text.contains("] is "), "{text}");
    let again = text.lines().last().and_then(|line| line.strip_prefix("again: ")).unwrap();
    let said = output(Command::new("sh").args(["-c", &format!("{again} --json")]));
    assert!(again.contains(" --seed ") && again.contains("'sums=[2]'"), "{again}");

    let json_out = json(&output(&mut shader(&sum, "--groups 2 --buffer sums=[2] --many-seeds 0..40 --json")));
    let outcomes = json_out["outcomes"].as_array().unwrap();
    let seeds: usize = outcomes.iter().map(|o| o["seeds"].as_array().unwrap().len()).sum();
    assert!(outcomes.len() > 1 && seeds == 40, "{json_out}");
    assert_eq!(outcomes.iter().filter(|o| o["usual"] == true).count(), 1);
    // What the replay computes is what the list says of that seed.
    let replay: Vec<&str> = json_out["replay"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    let seed = replay[replay.iter().position(|w| *w == "--seed").unwrap() + 1];
    let of_seed = |o: &&Value| o["seeds"].as_array().unwrap().contains(&seed.parse::<u64>().unwrap().into());
    let first = &outcomes.iter().find(of_seed).unwrap()["differs"][0]["first"];
    let values = &json(&said)["buffers"][0]["values"];
    assert_eq!(values[first["index"].as_u64().unwrap() as usize], first["value"], "{json_out}");

    let mended = file("sum-mended.comp", SUM_MENDED);
    let out = output(&mut shader(&mended, "--groups 2 --buffer sums=[2] --many-seeds 0..40"));
    assert_eq!(
        String::from_utf8_lossy(&out.stdout),
        "40 seeds, 1 outcome\n  40 seeds (0, 1, 2, 3, 4, 5, 6, 7, …): the same output, no findings\n"
    );
    assert!(out.status.success(), "{}", show(&out));
}

#[test]
fn findings_count_as_differences() {
    let lost = file("lost-found.wgsl", LOST);
    let out = output(&mut shader(&lost, "--groups 3 --buffer total=[1] --check race --many-seeds 0..3 --json"));
    assert_eq!(out.status.code(), Some(1), "{}", show(&out));
    let outcomes = json(&out)["outcomes"].clone();
    assert!(outcomes.as_array().unwrap().iter().all(|o| o["findings"][0]["check"] == "race"), "{outcomes}");
}

#[test]
fn what_only_some_seeds_hang_is_found_and_hangs_again() {
    let shader_file = file("lost-wakeup.wgsl", WAKEUP);
    let words = "--groups 2 --buffer 0=[4] --quiet";
    // A seed that does not hang is to have enough time, whatever else the host does: more than a whole program takes.
    let mended = file("lost-words.wgsl", LOST);
    let limit = ample(Duration::from_millis(150), 2, || {
        output(&mut shader(&mended, "--groups 1 --buffer total=[1] --quiet --seed 1"));
    });
    let limit = format!("{}ms", limit.as_millis());
    let start = |more: &str| output(shader(&shader_file, &format!("{words} {more}")).env("WAVEPIPE_TIMEOUT", &limit));
    let out = start("--many-seeds 0..30 --json");
    let told = json(&out);
    assert_eq!(out.status.code(), Some(1), "{}", show(&out));
    let outcomes = told["outcomes"].as_array().unwrap();
    let hung = outcomes.iter().find(|o| o["failure"].is_string()).unwrap_or_else(|| panic!("no seed hangs: {told}"));
    let good = outcomes.iter().find(|o| o["failure"].is_null()).unwrap_or_else(|| panic!("all seeds hang: {told}"));
    for (outcome, code) in [(hung, 3), (good, 0)] {
        for _ in 0..3 {
            let out = start(&format!("--seed {}", outcome["seeds"][0]));
            assert_eq!(out.status.code(), Some(code), "{}", show(&out));
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(
                code == 0
                    || said.contains(&format!("still running after {} ms", &limit[..limit.len() - 2]))
                        && WAKEUP_LOOP.iter().any(|l| said.contains(l)),
                "{said}"
            );
        }
    }
    let seed = hung["seeds"][0].to_string();
    assert!(told["replay"].as_array().unwrap().iter().any(|w| w.as_str() == Some(&seed)), "{told}");
}

/// Two queues write one word, with nothing between them.
#[test]
fn the_order_of_queues_is_the_seeds() {
    let text = |n: u32| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
            @compute @workgroup_size(1) fn main() {{ b[0] = {n}u; b[{n}] = b[0]; }}"
        )
    };
    let words = [1, 2].map(|n| {
        let module = naga::front::wgsl::parse_str(&text(n)).unwrap();
        let mut validator = naga::valid::Validator::new(Default::default(), Default::default());
        let info = validator.validate(&module).unwrap();
        naga::back::spv::write_vec(&module, &info, &Default::default(), None).unwrap()
    });
    let once = |seed, threads, timing| {
        let config = Config { seed: Some(seed), threads, timing, cache: None, ..Config::checked() };
        let device = Device::new(&config).unwrap();
        let buffer = Buffer::with_memory(&device, 16).unwrap();
        buffer.write(0, &[0; 16]).unwrap();
        let queues = [0, 1].map(|index| device.queue(1, index).unwrap());
        // The GPU reads descriptors until all is done.
        let commands = [0, 1].map(|n| one_dispatch(&device, &words[n], &buffer));
        for (queue, (commands, ..)) in queues.iter().zip(&commands) {
            let info = SubmitInfo { command_buffers: vec![commands.clone()], ..SubmitInfo::default() };
            queue.submit(&info, None).unwrap();
        }
        queues.iter().for_each(|q| q.wait_idle().unwrap());
        let mut bytes = [0; 16];
        buffer.read(0, &mut bytes).unwrap();
        bytes
    };
    let mut seen = BTreeSet::new();
    for seed in 0..40 {
        let first = once(seed, 1, false);
        assert_eq!([once(seed, 2, false), once(seed, 4, true)], [first, first], "seed {seed}");
        seen.insert(first);
    }
    let last: BTreeSet<u8> = seen.iter().map(|bytes| bytes[0]).collect();
    assert_eq!(last, BTreeSet::from([1, 2]), "{seen:?}");
}

/// A recording of a work-group whose only buffer is `buffer`, with what its descriptors live in.
fn one_dispatch(
    device: &Arc<Device>,
    words: &[u32],
    buffer: &Arc<Buffer>,
) -> (Arc<Recording>, Arc<DescriptorPool>, Arc<DescriptorSet>) {
    let info = entry_point(words, None).unwrap();
    let layout = layout_of(&info).unwrap();
    let module = ShaderModule::new(words);
    let pipeline = ComputePipeline::new(device, &module, &info.name, &[], &layout, Some(WaveSize::W32)).unwrap();
    let pool = DescriptorPool::new(device, 1, u32::MAX);
    let set = pool.allocate(&layout.sets()[0]).unwrap();
    set.write_buffer(0, 0, buffer, 0, None).unwrap();
    let mut commands = CommandBuffer::new(device);
    commands.begin();
    commands.bind_pipeline(&pipeline);
    commands.bind_descriptor_sets(&layout, 0, std::slice::from_ref(&set), &[]);
    commands.dispatch([1, 1, 1]);
    commands.end().unwrap();
    (commands.recording().unwrap(), pool, set)
}

/// Samples have no races: all seeds compute what no seed does.
#[test]
fn samples_have_the_same_answer_with_every_seed() {
    for name in
        ["bitonic_sort", "cas", "fft", "histogram", "reduction", "saxpy", "sha256", "subgroup_scan", "transpose"]
    {
        let raw = |seed: &str| {
            let out = scratch(&format!("seeds-{name}-{seed}.raw"));
            let mut command = clean(&program(&format!("examples/{name}")).unwrap());
            command.args(["--host", "runtime", "--raw"]).arg(&out).env("WAVEPIPE_SEED", seed);
            // The sample compares its answer with the CPU's.
            let output = run(&mut command).unwrap();
            assert!(output.status.success(), "{name}, seed {seed}: {}", show(&output));
            std::fs::read(out).unwrap()
        };
        let plain = raw("");
        for seed in ["0", "5"] {
            assert!(raw(seed) == plain, "{name}, seed {seed}: the answers differ");
        }
    }
}

/// A Vulkan program under `exec`: once with one seed, and with many.
#[test]
fn exec_takes_seeds() {
    if !installed("vulkaninfo") {
        skip("vulkaninfo").unwrap();
        return;
    }
    let exec = |words: &[&str]| {
        let mut command = clean(&program("wavepipe").unwrap());
        command.arg("exec").args(["--icd"]).arg(wavepipe_manifest().unwrap()).args(words);
        output(&mut command)
    };
    let out = exec(&["--many-seeds", "3..6", "--", "vulkaninfo", "--summary"]);
    assert!(
        out.status.success() && String::from_utf8_lossy(&out.stdout).starts_with("3 seeds, 1 outcome\n"),
        "{}",
        show(&out)
    );
    let out = exec(&["--quiet", "--many-seeds=0..4", "--", "sh", "-c", "exit $((WAVEPIPE_SEED == 2))"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.code() == Some(1) && text.contains("1 seed (2): sh ended with exit status: 1"),
        "{}",
        show(&out)
    );
    let again = text.lines().last().unwrap();
    assert!(again.ends_with("--quiet --seed 2 -- sh -c 'exit $((WAVEPIPE_SEED == 2))'"), "{again}");
    let out = exec(&["--quiet", "--seed", "7", "--", "sh", "-c", "echo $WAVEPIPE_SEED"]);
    assert_eq!(String::from_utf8_lossy(&out.stdout), "7\n", "{}", show(&out));
}

#[test]
fn what_seeds_do_not_go_with_is_refused() {
    let lost = file("refused-seeds.wgsl", LOST);
    for (words, says) in [
        ("--seed=-1", "--seed"),
        ("--seed 1 --many-seeds 0..2", "cannot be used with"),
        ("--many-seeds 4..4", "write A..B"),
        ("--many-seeds 4", "write A..B"),
        ("--many-seeds 0..2 --out total=-", "--many-seeds compares, and writes nothing"),
        ("--many-seeds 0..2 --timing", "--many-seeds compares, and writes nothing"),
    ] {
        let out = output(&mut shader(&lost, &format!("--groups 1 --buffer total=[1] {words}")));
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && said.contains(says), "{words}: {}", show(&out));
    }
}

/// Loops that never end, and their lines.
const HANGS: &[(&str, &[u32], &str)] = &[
    (
        "while.wgsl",
        &[6, 7],
        "
    @group(0) @binding(0) var<storage, read_write> b: array<atomic<u32>>;
    @compute @workgroup_size(64)
    fn main() {
        atomicStore(&b[1], 1u);
        while (atomicLoad(&b[0]) == 0u) {
        }
        atomicStore(&b[2], 1u);
    }",
    ),
    (
        "loop.wgsl",
        &[6, 7, 8, 9, 10, 11, 12],
        "
    @group(0) @binding(0) var<storage, read_write> b: array<u32>;
    @compute @workgroup_size(64)
    fn main(@builtin(local_invocation_index) i: u32) {
        var x = i;
        loop {
            x = x * 5u + 1u;
            if (b[0] != 0u && x != 0u) { break; }
            continuing {
                b[1] = x;
            }
        }
        b[2] = 1u;
    }",
    ),
    (
        "while.comp",
        &[7, 8, 9, 10],
        "
    layout(local_size_x = 64) in;
    layout(set = 0, binding = 0) buffer B { uint b[]; };
    void main() {
        uint x = gl_LocalInvocationID.x;
        b[3] = 1u;
        while (x != 0xffffffffu || b[0] == 0u) {
            x = x * 1664525u + 1013904223u;
            if (x == 5u) b[1] = x;
        }
        b[2] = 1u;
    }",
    ),
    (
        "do.comp",
        &[6, 7, 8],
        "
    layout(local_size_x = 64) in;
    layout(set = 0, binding = 0) buffer B { uint b[]; };
    void main() {
        uint i = 0u;
        do {
            i++;
        } while (b[0] == 0u);
        b[2] = i;
    }",
    ),
];

#[test]
fn a_hang_is_found_in_the_time_stated_and_names_its_line() {
    for (name, lines, text) in HANGS {
        let version = if name.ends_with(".comp") { "#version 450" } else { "" };
        let path = file(&format!("hang-{name}"), &format!("{version}{text}"));
        for (limit, more) in [(300, ""), (300, "--timing"), (283, "--timing"), (317, "--timing"), (291, "--seed 1")] {
            let begin = Instant::now();
            let mut command = shader(&path, "--groups 3 --buffer 0=u32[16] --quiet");
            command.args(more.split_whitespace()).env("WAVEPIPE_TIMEOUT", format!("{limit}ms"));
            // Compiling takes some of that in a build without optimisation, and on each of three threads the hang itself.
            let out = output_within(6, &mut command);
            let took = begin.elapsed();
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(
                out.status.code() == Some(3) && said.contains(&format!("still running after {limit} ms")),
                "{}",
                show(&out)
            );
            let at = |line: &u32| said.lines().any(|l| l.ends_with(&format!("hang-{name}:{line}")));
            assert!(lines.iter().any(at), "{name} {more}: {said}");
            assert!(took >= Duration::from_millis(limit), "{name} {more}: {took:?}");
        }
    }
}

/// From work-group 5 on every third has lanes that leave LDS, in two of its waves; the lower the number, the later.
const FAULTS: &str = "
    @group(0) @binding(0) var<storage, read_write> b: array<u32>;
    var<workgroup> words: array<u32, 128>;
    @compute @workgroup_size(128)
    fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
        var x = i;
        for (var n = 0u; n < (40u - min(group.x, 39u)) * 100u + (128u - i) * 4u; n++) {
            x = x * 1664525u + 1013904223u;
        }
        if (group.x >= 5u && group.x % 3u == 2u && i % 32u == 9u) {
            words[20000u + (x & 1023u)] = x;
        }
        words[i] = x;
        workgroupBarrier();
        b[group.x] = words[i ^ 1u];
    }";

#[test]
fn the_fault_that_is_told_is_always_the_same() {
    let path = file("faults.wgsl", FAULTS);
    let place = |more: &str, threads: &str| {
        let mut command = shader(&path, &format!("--groups 60 --buffer b=[64] --quiet {more}"));
        let out = output(command.env("WAVEPIPE_THREADS", threads));
        assert_eq!(out.status.code(), Some(3), "{}", show(&out));
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        said.lines().find(|l| l.contains("work-group (")).unwrap().to_owned()
    };
    let seen: BTreeSet<String> = (0..24).map(|round| place("", ["1", "2", "4", "3"][round % 4])).collect();
    let only = seen.first().unwrap();
    assert!(seen.len() == 1 && only.contains("work-group (5, 0, 0), wave 0, lane 9"), "{seen:?}");
    // The first in time, which has no host in it.
    for more in ["--timing", "--seed 3", "--seed 4 --timing"] {
        let seen: BTreeSet<String> = ["1", "2", "4"].map(|threads| place(more, threads)).into();
        assert_eq!(seen.len(), 1, "{more}: {seen:?}");
    }
}

/// Work-group 0 waits for a flag of work-group 1, which has a fault before it sets that; and wave 0 for one of wave 1.
const GONE: [(&str, &str); 2] = [
    (
        "work-group (1, 0, 0), wave 0, lane 0",
        "if (group.x == 0u) { while (atomicLoad(&b[0]) == 0u) { } } else { words[i + 20000u] = 1u; atomicStore(&b[0], 1u); }",
    ),
    (
        "work-group (0, 0, 0), wave 1, lane 0",
        "atomicAdd(&b[1], 1u); if (i < 32u) { while (atomicLoad(&flag) == 0u) { } } else { words[i + 20000u] = 1u; atomicStore(&flag, 1u); }",
    ),
];

/// Who goes on in front of a fault does so for a while only: it may wait for the one that is gone.
#[test]
fn who_waits_for_a_wave_with_a_fault_holds_up_nobody() {
    for (n, (place, text)) in GONE.iter().enumerate() {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> b: array<atomic<u32>>;
            var<workgroup> words: array<u32, 128>;
            var<workgroup> flag: atomic<u32>;
            @compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {{ {text} }}"
        );
        let path = file(&format!("gone-{n}.wgsl"), &text);
        for threads in ["1", "2"] {
            let mut command = shader(&path, "--groups 2 --buffer b=[4] --quiet");
            // A second, and what the host takes to compile; there is no limit of a dispatch that would end it.
            let out = output_within(30, command.env("WAVEPIPE_THREADS", threads).env("WAVEPIPE_TIMEOUT", "off"));
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.code() == Some(3) && said.contains(place), "{threads} threads: {}", show(&out));
        }
    }
}

/// The page's commands and what they print are those of the program.
#[test]
fn the_page_shows_what_the_program_says() {
    let page = std::fs::read_to_string(root().join("docs/schedules.md")).unwrap();
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let block = |kind: &str, n: usize| blocks.iter().filter_map(|b| b.strip_prefix(kind)).nth(n).unwrap();
    let folder = scratch("schedules-page");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("count.wgsl"), block("wgsl\n", 0)).unwrap();
    for n in 0..2 {
        let shown = block("console\n", n);
        let (command, says) = shown.split_once('\n').unwrap();
        let words = command.strip_prefix("$ wavepipe ").unwrap();
        let mut wavepipe = clean(&program("wavepipe").unwrap());
        let out = output(wavepipe.current_dir(&folder).args(words.split_whitespace()));
        let printed =
            String::from_utf8_lossy(&out.stdout).replace(program("wavepipe").unwrap().to_str().unwrap(), "wavepipe");
        let printed = format!("{printed}{}", String::from_utf8_lossy(&out.stderr));
        assert_eq!(printed, says, "{command}");
    }
}
