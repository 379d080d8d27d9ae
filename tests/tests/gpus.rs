//! `--gpu`: one name for a card, everywhere; and one shader on several, in a table.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;
use wavepipe_tests::{clean, installed, program, root, run, scratch, show, skip, wavepipe, wavepipe_manifest};

const REDUCTION: &str = "samples/reduction/reduction.wgsl";

fn good(command: &mut Command) -> Output {
    let output = run(command).unwrap();
    assert!(output.status.success(), "{command:?}\n{}", show(&output));
    output
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(command: &mut Command) -> Value {
    serde_json::from_slice(&good(command).stdout).unwrap()
}

/// A file in a folder of this test's own.
fn file(name: &str, text: &str) -> PathBuf {
    let path = scratch(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Each command that a card is chosen for, without its flag; what it is about is there.
fn commands() -> Vec<Vec<String>> {
    let sequence = file("sequence.s", "s_nop 0\n").display().to_string();
    let tests = file("double.test.toml", "shader = 'double.wgsl'\n[fault]\n").display().to_string();
    file("double.wgsl", DOUBLE);
    let all = [
        format!("run {REDUCTION}"),
        format!("compile {REDUCTION}"),
        format!("test {tests}"),
        "launch Cargo.toml --list".into(),
        format!("timing {sequence}"),
        "tunnel".into(),
        "bench".into(),
        "bench kernels".into(),
        "bench machine".into(),
        "bench timing".into(),
        "bench checks".into(),
        "exec".into(),
    ];
    all.iter().map(|words| words.split(' ').map(str::to_owned).collect()).collect()
}

/// `exec` has a program behind its flags.
fn with_gpu(command: &[String], gpu: &str) -> Command {
    let mut out = wavepipe(&[]);
    out.args(command).args(["--gpu", gpu]);
    if command[0] == "exec" {
        out.args(["--", "true"]);
    }
    out
}

const DOUBLE: &str = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&x) { x[id.x] *= 2u; }
}";

#[test]
fn a_wrong_name_is_an_error_of_every_command_and_the_near_one_is_suggested() {
    for command in commands() {
        for (name, near) in [("rx5700", "rx5700xt"), ("RX 5500 XT", "rx5500xt"), ("gfx1011", "gfx1010")] {
            let output = run(&mut with_gpu(&command, name)).unwrap();
            let words = show(&output);
            assert_eq!(output.status.code(), Some(2), "{command:?} {name}: {words}");
            assert!(words.contains(&format!("no machine `{name}`")), "{command:?}: {words}");
            assert!(words.contains(&format!("Did you mean {near}?")), "{command:?}: {words}");
            assert!(Machine::names().all(|known| words.contains(known)), "{command:?}: {words}");
        }
        let output = run(&mut with_gpu(&command, "gfx1201")).unwrap();
        let words = show(&output);
        assert_eq!(output.status.code(), Some(4), "{command:?}: {words}");
        assert!(words.contains("no machine executes gfx1201 yet; the assembler knows it"), "{command:?}: {words}");
        let output = run(&mut with_gpu(&command, "nowhere.toml")).unwrap();
        assert!(output.status.code() == Some(2) && show(&output).contains("nowhere.toml"), "{}", show(&output));
    }
    // These want no machine.
    for words in ["asm -", "disasm bf810000", "explain s_nop", "isa coverage"] {
        let words: Vec<&str> = words.split(' ').collect();
        let output = run(wavepipe(&words).args(["--gpu", "gfx906"])).unwrap();
        let text = show(&output);
        assert!(output.status.code() == Some(2) && text.contains("Did you mean gfx900?"), "{text}");
        assert!(Gen::ALL.iter().all(|g| text.contains(g.name())), "{text}");
    }
    good(&mut wavepipe(&["disasm", "--gpu", "gfx1201", "bfb00000"]));
}

/// Of the variable too, without a flag; a flag wins, over a wrong one as well.
#[test]
fn the_variable_takes_the_same_names() {
    let compiled =
        |gpu: &str| wavepipe(&["compile", REDUCTION, "--stats", "--json"]).env("WAVEPIPE_MACHINE", gpu).output();
    assert!(compiled("gfx1012").unwrap().status.success());
    let output = run(wavepipe(&["run", REDUCTION]).env("WAVEPIPE_MACHINE", "rx5700")).unwrap();
    assert!(output.status.code() == Some(2) && show(&output).contains("mean rx5700xt?"), "{}", show(&output));
    good(wavepipe(&["run", REDUCTION, "--gpu", "rx5700xt", "--quiet"]).env("WAVEPIPE_MACHINE", "rx5700"));
    let output = run(wavepipe(&["exec", "--", "true"]).env("WAVEPIPE_MACHINE", "rx5700")).unwrap();
    assert!(output.status.code() == Some(2) && show(&output).contains("WAVEPIPE_MACHINE=rx5700"), "{}", show(&output));
}

#[test]
fn exec_gives_a_program_that_card() {
    if !installed("vulkaninfo") {
        skip("vulkaninfo").unwrap();
        return;
    }
    for (name, device) in
        [("rx5600xt", "wavepipe (RX 5600 XT, gfx1010)"), ("gfx1012", "wavepipe (RX 5500 XT, gfx1012)")]
    {
        let mut command = wavepipe(&["exec", "--gpu", name, "--icd"]);
        let output = good(command.arg(wavepipe_manifest().unwrap()).args(["--", "vulkaninfo", "--summary"]));
        assert!(said(&output).contains(device), "{}", show(&output));
    }
}

/// The table's figures are those of the commands that are about one machine.
#[test]
fn one_shader_on_every_machine_has_the_figures_of_each() {
    let table = json(&mut wavepipe(&["run", REDUCTION, "--gpu", "all", "--json"]));
    let rows = table["machines"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|r| r["machine"].as_str().unwrap()).collect();
    assert_eq!(names, Machine::names().collect::<Vec<_>>());
    assert_eq!(table["reference"], names[0]);
    for (n, row) in rows.iter().enumerate() {
        let name = names[n];
        let machine = Machine::builtin(name).unwrap();
        assert_eq!(row["generation"], machine.generation().name(), "{row}");
        assert_eq!(row["answer"], if n == 0 { "reference" } else { "equal" }, "{row}");
        let stats = json(&mut wavepipe(&["compile", REDUCTION, "--gpu", name, "--stats", "--json"]));
        for figure in ["instructions", "vgprs", "sgprs", "lds_bytes", "scratch_bytes", "code_bytes"] {
            assert_eq!(row[figure], stats[figure], "{name}: {figure}");
        }
        assert_eq!(row["wave"], serde_json::json!([stats["wave"]]), "{row}");
        let alone = json(&mut wavepipe(&["run", REDUCTION, "--gpu", name, "--timing", "--json"]));
        assert_eq!(row["executed"], alone["wave_instructions"], "{name}");
        let dispatch = &alone["timing"]["dispatches"][0];
        let cycles = dispatch["ended"].as_u64().zip(dispatch["launched"].as_u64()).map(|(end, begin)| end - begin);
        assert_eq!(row["cycles"].as_u64(), cycles, "{name}: {dispatch}");
        assert!(row["waves_per_simd"].as_u64().unwrap() <= machine.simd.wave_slots.value, "{row}");
        let us = row["cycles"].as_f64().unwrap() / machine.clock.shader_mhz.value;
        assert!((row["microseconds"].as_f64().unwrap() - us).abs() < 1e-9, "{row}");
    }
}

/// Of each machine that `bench machine` measures: name and ratio of each peak, which is reached to nineteen parts of twenty and not passed.
fn peaks(arguments: &[&str]) -> Vec<(String, String, f64)> {
    let table = json(wavepipe(&["bench", "machine", "--json"]).args(arguments));
    let rows = table["machines"].as_array().unwrap().iter().flat_map(|of| {
        of["peaks"].as_array().unwrap().iter().map(move |p| {
            let [documented, measured, ratio] = ["documented", "measured", "ratio"].map(|key| p[key].as_f64().unwrap());
            assert!((measured / documented / ratio - 1.0).abs() < 1e-9 && (0.95..=1.0).contains(&ratio), "{of:#}");
            (of["machine"].as_str().unwrap().to_owned(), p["name"].as_str().unwrap().to_owned(), documented)
        })
    });
    rows.collect()
}

fn is_documented(rows: &[(String, String, f64)], table: &[(&str, &str, f64)]) {
    assert_eq!(rows.len(), table.len(), "{rows:?}");
    for ((machine, name, ours), (card, peak, documented)) in rows.iter().zip(table) {
        assert_eq!((machine.as_str(), name.as_str()), (*card, *peak));
        assert!((ours / documented - 1.0).abs() < 0.01, "{machine}, {name}: {ours}, documented {documented}");
    }
}

/// RDNA whitepaper, Table 2: its column of Vega 64; memory is of 2,048 bits at 1.89 Gbit/s.
#[test]
fn vega_reaches_the_peaks_of_table_2() {
    let table = [("FP32", 12.66), ("L0", 6.33), ("L2", 1.58), ("memory", 0.484)].map(|(name, of)| ("vega64", name, of));
    is_documented(&peaks(&["--gpu", "vega64,gfx900", "--only", "FP32,L0,L2,memory"]), &table);
}

/// The article on GCN, of 28 and 40 compute units at 925 MHz and 1 GHz: 64 operations a cycle, each a multiplication and an addition, a quarter
/// and an eighth of them in double precision; 128 bytes a cycle of LDS and 64 of L1; 710 GB/s and 1 TB/s of L2; memory of 384 and 512 bits
/// at 5 and 6 Gbit/s.
#[test]
fn the_first_two_generations_reach_what_is_written_of_them() {
    let card = |name, [single, double, lds, l1, l2, memory]: [f64; 6]| {
        [("FP32", single), ("FP64", double), ("LDS", lds), ("L0", l1), ("L2", l2), ("memory", memory)]
            .map(|(peak, of)| (name, peak, of))
    };
    let table = [
        card("hd7950", [3.315, 3.315 / 4.0, 3.315, 1.658, 0.71, 0.24]),
        card("r9390", [5.12, 5.12 / 8.0, 5.12, 2.56, 1.024, 0.384]),
    ];
    is_documented(&peaks(&["--gpu", "hd7950,r9390"]), table.as_flattened());
}

/// One table over all machines, each in as many rows as peaks were asked for; an unknown peak is an error that names those there are.
#[test]
fn peaks_of_every_machine_are_one_table() {
    let text = said(&good(&mut wavepipe(&["bench", "machine", "--all", "--only", "FP64"])));
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["peak", "machine", "generation", "documented", "measured", "ratio"]);
    assert_eq!(lines[1..].iter().map(|l| l[1]).collect::<Vec<_>>(), Machine::names().collect::<Vec<_>>(), "{text}");
    for line in &lines[1..] {
        let machine = Machine::builtin(line[1]).unwrap();
        assert_eq!((line[0], line[2], line[6]), ("FP64", machine.generation().name(), "TFLOP/s"), "{text}");
        let [documented, measured, ratio] = [3, 4, 5].map(|n| line[n].parse::<f64>().unwrap());
        assert!((documented - machine.peak_flops_double() / 1e12).abs() < 1e-3, "{text}");
        assert!((0.9..=1.0).contains(&ratio) && (measured / documented - ratio).abs() < 0.01, "{text}");
    }
    let output = run(&mut wavepipe(&["bench", "machine", "--only", "FP64,FP8"])).unwrap();
    let words = show(&output);
    assert!(output.status.code() == Some(2) && words.contains("no peak `FP8`; there are: FP32, FP64,"), "{words}");
}

/// A realtime clock ticks at another rate beside each machine's work, so its answer is the machine's own.
#[test]
fn another_answer_is_told_with_its_place_and_the_exit_code() {
    let shader = file(
        "clock.comp",
        "#version 450\n#extension GL_ARB_shader_clock : require\nlayout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer Out { uint ticks[3]; };
        void main() { uint begin = clock2x32ARB().x; ticks[0] = 7; memoryBarrier(); for (uint i = 0; i < 50; i++) atomicAdd(ticks[2], 1);
            ticks[1] = clock2x32ARB().x - begin; }",
    );
    let mut command = wavepipe(&["run", "--gpu", "rx5700xt,rx5500xt", "--buffer", "ticks=[3]"]);
    let output = run(command.arg(&shader)).unwrap();
    let words = show(&output);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("another answer on rx5500xt") && words.contains("rx5500xt: ticks[1] is "), "{words}");
    assert!(said(&output).lines().any(|l| l.starts_with("rx5500xt") && l.contains(" differs ")), "{words}");
    let value: Value = serde_json::from_slice(&run(command.arg("--json")).unwrap().stdout).unwrap();
    let differs = &value["machines"][1]["differs"][0];
    assert_eq!((&differs["name"], &differs["first"]["index"]), (&"ticks".into(), &1.into()), "{value}");
}

/// A card with half of the LDS, which is not enough.
#[test]
fn a_machine_that_cannot_run_it_says_why_and_spoils_nothing() {
    let text = "name = 'small'\nproduct = 'Small'\nbase = 'rx5700xt'\n[lds]\nworkgroup_bytes = { value = 32768, source = 'assumed' }\n";
    let small = file("small.toml", text);
    let shader = file(
        "large.wgsl",
        "var<workgroup> tile: array<u32, 12288>;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            tile[i * 192u] = i; workgroupBarrier(); x[i] = tile[(63u - i) * 192u];
        }",
    );
    let on = |list: &str| run(wavepipe(&["run", "--buffer", "x=[64]", "--gpu", list]).arg(&shader)).unwrap();
    let output = on(&format!("{},rx5500xt", small.display()));
    let (words, table) = (show(&output), said(&output));
    assert_eq!(output.status.code(), Some(0), "{words}");
    assert!(
        table.lines().any(|l| l.starts_with("small ")
            && l.contains("49152 bytes of shared memory, a work-group can have 32768 on small: make")),
        "{words}"
    );
    assert!(table.lines().any(|l| l.starts_with("rx5500xt") && l.contains("reference")), "{words}");
    let output = on(&format!("{0},{0}", small.display()));
    assert!(output.status.code() == Some(4) && show(&output).contains("49152 bytes"), "{}", show(&output));
}

/// Tahiti's work-groups have half of what others have: the kernel is refused, and nothing ran.
#[test]
fn more_shared_memory_than_a_card_has_is_refused_before_it_runs() {
    let shader = file(
        "tahiti.wgsl",
        "var<workgroup> tile: array<u32, 8193>;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            tile[i * 128u] = i; workgroupBarrier(); x[i] = tile[(63u - i) * 128u];
        }",
    );
    let on = |gpu: &str| run(wavepipe(&["run", "--buffer", "x=[64]", "--gpu", gpu]).arg(&shader)).unwrap();
    for gpu in ["gfx701", "gfx900"] {
        assert!(on(gpu).status.success(), "{}", show(&on(gpu)));
    }
    let (output, why) = (on("gfx600"), "has 32772 bytes of shared memory, a work-group can have 32768 on hd7950: make");
    let words = show(&output);
    assert!(output.status.code() == Some(4) && words.contains(why) && words.contains("tahiti.wgsl"), "{words}");
    assert!(!words.contains("lost"), "{words}");
}

/// Names of columns stand over their figures, in each row as many.
#[test]
fn the_table_is_aligned_and_explained() {
    let text = said(&good(&mut wavepipe(&["run", REDUCTION, "--gpu", "rx5500xt,rx5700xt,gfx1010"])));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.iter().filter(|l| l.starts_with("rx5700xt ")).count(), 1, "asked for twice, it runs once: {text}");
    let ends = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
    for (column, figure) in [("VGPRs", "4"), ("LDS bytes", "1024"), ("waves/SIMD", "20/20")] {
        let end = ends(lines[0], column).unwrap();
        assert!(lines[1..3].iter().all(|l| l[..end].ends_with(figure)), "{column}: {text}");
    }
    assert!(lines[1].contains("reference") && lines[2].contains("equal"), "{text}");
    assert!(text.contains("answer: beside rx5500xt's, bit for bit."), "{text}");
    assert!(lines.iter().all(|l| l.chars().count() <= 140), "{text}");
}

#[test]
fn what_is_of_one_machine_is_not_of_all() {
    for flags in
        ["--timing", "-o x.csv", "--out x=x.csv", "--trace x.pftrace", "--many-seeds 0..2", "--findings x.json"]
    {
        let mut command = wavepipe(&["run", REDUCTION, "--gpu", "all"]);
        let output = run(command.args(flags.split(' '))).unwrap();
        let flag = flags.split(' ').next().unwrap();
        assert!(output.status.code() == Some(2) && show(&output).contains(flag), "{}", show(&output));
    }
}

#[test]
fn a_job_file_names_a_card_and_the_flag_wins() {
    let shader = file("job.wgsl", DOUBLE);
    let description = "name = 'beside'\nproduct = 'P'\nbase = 'rx5500xt'\n";
    file("beside.toml", description);
    let job =
        file("job.toml", "gpu = 'beside.toml'\nwave = 64\nbuffer = [{ name = 'x', init = 'iota', type = '[64]' }]\n");
    let machine = |gpu: &[&str]| {
        let mut command = wavepipe(&["run", "--timing", "--json", "--job"]);
        let value = json(command.arg(&job).arg(&shader).args(gpu));
        value["timing"]["machine"]["name"].as_str().or(value["timing"]["machine"].as_str()).unwrap_or("none").to_owned()
    };
    assert_eq!(machine(&[]), "beside");
    assert_eq!(machine(&["--gpu", "rx5700xt"]), "rx5700xt");
}

/// A case that names a card stays on it; the others are cases on each.
#[test]
fn tests_run_on_the_cards_that_are_named() {
    let folder = scratch("cards");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("double.wgsl"), DOUBLE).unwrap();
    let text = "buffer = [{ name = 'x', values = [1, 2] }]\nexpect = [{ name = 'x', values = [2, 4] }]
[[test]]\nname = 'own'\ngpu = 'gfx1010'\n[[test]]\nname = 'any'\n";
    std::fs::write(folder.join("double.test.toml"), text).unwrap();
    let test = |arguments: &[&str]| {
        let mut command: Command = clean(&program("wavepipe").unwrap());
        run(command.arg("test").args(arguments).current_dir(&folder)).unwrap()
    };
    let output = test(&["--gpu", "rx5600xt,rx5500xt"]);
    let words = show(&output);
    assert!(output.status.success() && words.contains("3 passed"), "{words}");
    let names = ["double.test.toml::own", "double.test.toml::any on rx5600xt", "double.test.toml::any on rx5500xt"];
    assert!(names.iter().all(|name| said(&output).lines().any(|l| l == format!("pass  {name}"))), "{words}");
    let output = test(&["--gpu", "all", "--list"]);
    assert_eq!(said(&output).lines().count(), 1 + Machine::names().count(), "{}", show(&output));
    // A failure says how to see it again.
    std::fs::write(folder.join("double.test.toml"), text.replace("[2, 4]", "[2, 5]")).unwrap();
    let output = test(&["--gpu", "rx5500xt", "--case", "any"]);
    assert!(output.status.code() == Some(1), "{}", show(&output));
    assert!(said(&output).contains("wavepipe test double.test.toml --case any --gpu rx5500xt"), "{}", show(&output));
}

/// Waves of a size that the machine has not: one after the other, where there is such a machine.
#[test]
fn a_wave_size_that_a_machine_has_not_is_told() {
    let output =
        run(wavepipe(&["asm", "--gpu", "gfx900", "--wave", "32", "-"]).stdin(std::process::Stdio::null())).unwrap();
    assert!(
        output.status.code() == Some(4) && show(&output).contains("gfx900 has waves of 64 only"),
        "{}",
        show(&output)
    );
    for machine in Machine::all().filter(|m| !m.generation().caps().wave32) {
        let name = machine.name.as_str();
        let output = run(&mut wavepipe(&["run", REDUCTION, "--wave", "32", "--gpu", name])).unwrap();
        let words = show(&output);
        let why = format!("{} has waves of 64 only", machine.generation().name());
        assert!(output.status.code() == Some(4) && words.contains(&why), "{words}");
        let output = good(&mut wavepipe(&["run", REDUCTION, "--wave", "32", "--gpu", &format!("rx5700xt,{name}")]));
        assert!(said(&output).contains(&why), "{}", show(&output));
    }
}

/// The lines behind one in a document, up to the next one that begins so.
fn behind<'a>(text: &'a str, line: &str, end: &str) -> &'a str {
    let at = text.find(line).unwrap_or_else(|| panic!("{line} is not there")) + line.len();
    let len = text[at..].find(end).unwrap_or(text.len() - at);
    &text[at..at + len]
}

/// Replaces a part of a document, if that is asked for; what it is to be.
fn held(part: &str, wanted: &str, same: impl Fn(&str) -> String) {
    let path = root().join("docs/machines.md");
    if std::env::var_os("WAVEPIPE_BLESS").is_some() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches(part).count(), 1);
        std::fs::write(&path, text.replace(part, wanted)).unwrap();
        return;
    }
    assert_eq!(same(part), same(wanted), "docs/machines.md; WAVEPIPE_BLESS=1 writes it");
}

/// Figures are the compiler's and the clock's, and change with them.
fn without_figures(text: &str) -> String {
    let words = |line: &str| {
        line.split_whitespace().filter(|w| !w.starts_with(|c: char| c.is_ascii_digit())).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(words).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_document_shows_what_the_program_prints() {
    let text = std::fs::read_to_string(root().join("docs/machines.md")).unwrap();
    let begin = format!("```sh\nwavepipe run {REDUCTION} --gpu all\n```\n\n```text\n");
    let shown = format!("{begin}{}```", behind(&text, &begin, "```"));
    let printed = said(&good(&mut wavepipe(&["run", REDUCTION, "--gpu", "all"])));
    held(&shown, &format!("{begin}{printed}```"), without_figures);
}

/// What each generation has, as the program has it.
#[test]
fn the_document_says_what_each_generation_has() {
    let text = std::fs::read_to_string(root().join("docs/machines.md")).unwrap();
    let begin = "|---|---|---|---|---|---|---|\n";
    let shown = format!("{begin}{}", behind(&text, begin, "\n\n"));
    let rows: Vec<String> = Gen::ALL.into_iter().map(has).collect();
    held(&shown, &format!("{begin}{}", rows.iter().map(|r| format!("{r}\n")).collect::<String>()), str::to_owned);
}

fn has(generation: Gen) -> String {
    let name = generation.name();
    let word = |yes: bool| if yes { "yes" } else { "no" };
    let what = match generation {
        Gen::Gfx600 => "GCN 1, Southern Islands",
        Gen::Gfx701 => "GCN 2, Sea Islands",
        Gen::Gfx900 => "GCN 5, Vega",
        Gen::Gfx1010 => "RDNA 1",
        Gen::Gfx1030 => "RDNA 2",
        Gen::Gfx1100 => "RDNA 3",
        Gen::Gfx1150 => "RDNA 3.5",
        Gen::Gfx1201 => "RDNA 4",
    };
    let waves = if generation.caps().wave32 { "32, 64" } else { "64" };
    // The end of every program is an instruction of every generation.
    let text = file(&format!("{name}.s"), "s_endpgm\n");
    let assembled = run(wavepipe(&["asm", "--gpu", name]).arg(&text)).unwrap().status.success();
    let machines: Vec<Machine> = Machine::all().filter(|m| m.generation() == generation).collect();
    let described: Vec<String> = machines.iter().map(|m| format!("{} (`{}`)", m.product, m.name)).collect();
    let there = if described.is_empty() { "none".to_owned() } else { described.join(", ") };
    let executes = Machine::executes(generation);
    let compiles = executes && samples().iter().all(|shader| compiles(shader, generation));
    let [assembled, executes, compiles] = [assembled, executes, compiles].map(word);
    format!("| `{name}` | {what} | {waves} | {assembled} | {executes} | {compiles} | {there} |")
}

/// The shaders of all samples.
fn samples() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("samples")).unwrap().flatten();
    let names = folders.map(|f| f.file_name().to_string_lossy().into_owned());
    let shader = |name: String, end| format!("samples/{name}/{name}.{end}");
    let shaders = names.flat_map(|name| [shader(name.clone(), "wgsl"), shader(name, "comp")]);
    let all: Vec<String> = shaders.filter(|path| root().join(path).exists()).collect();
    assert!(all.len() >= 14, "{all:?}");
    all
}

/// On a machine of the generation, or on a description that tests have where there is none.
fn compiles(shader: &str, generation: Gen) -> bool {
    let gpu = match Machine::open(generation.name()) {
        Ok(machine) => machine.name,
        Err(_) => root().join(format!("tests/machines/{}.toml", generation.name())).display().to_string(),
    };
    run(&mut wavepipe(&["compile", shader, "--stats", "--gpu", &gpu])).unwrap().status.success()
}

/// Links of the documents lead to this one.
#[test]
fn readers_find_it() {
    for document in ["README.md", "docs/run.md"] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        assert!(text.contains("machines.md)"), "{document}");
    }
    assert!(Path::new(root()).join("docs/machines.md").is_file());
}
