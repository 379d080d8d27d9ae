//! What is said of a finding: the same on every host, the first one first, whether the dispatch ends well or not; and the ways
//! on which it comes to a program, a file and an exit code.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;
use wavepipe_runtime::findings::{Found, Report};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::isa::{Gen, Instr, decode, encode, insts};
use wavepipe_runtime::simple::{Job, Session, entry_point, layout_of};
use wavepipe_runtime::{ComputePipeline, Config, Error, FaultKind, PipelineLayout, ShaderModule, WaveSize};
use wavepipe_samples::vulkan::Vulkan;
use wavepipe_samples::{Binding, Host, Shader, Step};
use wavepipe_tests::{root, run, scratch, show, wavepipe, wavepipe_manifest};

fn spirv(wgsl: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(wgsl).unwrap_or_else(|e| panic!("{}", e.emit_to_string(wgsl)));
    // Barriers where they may not be are the point here.
    let flags = naga::valid::ValidationFlags::all() - naga::valid::ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&module).unwrap();
    naga::back::spv::write_vec(&module, &info, &Default::default(), None).unwrap()
}

/// Data are exchanged between the waves of a work-group, again and again: without waits there are more findings than are told.
const SUMS: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    var<workgroup> sums: array<u32, 128>;
    @compute @workgroup_size(128)
    fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
        var sum = data[group.x * 128u + i];
        for (var n = 0u; n < 3u; n++) {
            sums[i] = sum;
            workgroupBarrier();
            sum = sum * 3u + sums[i ^ 64u];
            workgroupBarrier();
        }
        data[group.x * 128u + i] = sum;
    }";

/// The same once.
const EXCHANGE: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    var<workgroup> words: array<u32, 128>;
    @compute @workgroup_size(128)
    fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
        words[i] = data[group.x * 128u + i];
        workgroupBarrier();
        data[group.x * 128u + i] = words[i ^ 64u];
    }";

/// From work-group 5 on wave 0 comes to no barrier, and of wave 1 lane 8 does not.
const LATE: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(128)
    fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
        data[group.x * 128u + i] = i;
        if (group.x < 5u || (i >= 32u && i != 40u)) {
            workgroupBarrier();
        }
        data[group.x * 128u + i] += 1u;
    }";

const GROUPS: u32 = 40;

/// A kernel in wave32, and the job that runs it.
struct Subject {
    code: CodeObject,
    layout: Arc<PipelineLayout>,
    job: Job,
}

impl Subject {
    fn new(wgsl: &str) -> Subject {
        let words = spirv(wgsl);
        let session = Session::new(&Config::checked()).unwrap();
        let info = entry_point(&words, None).unwrap();
        let layout = layout_of(&info).unwrap();
        let module = ShaderModule::new(&words);
        let wave = Some(WaveSize::W32);
        let made = ComputePipeline::new(session.device(), &module, &info.name, &[], &layout, wave).unwrap();
        let buffers = vec![(0, 0, vec![0; 4 * 128 * GROUPS as usize])];
        let job = Job { groups: [GROUPS, 1, 1], buffers, ..Job::default() };
        Subject { code: made.code_object().clone(), layout, job }
    }

    /// The kernel with none of its waits; the last one becomes `last`.
    fn without_waits(wgsl: &str, last: Instr) -> Subject {
        let mut subject = Subject::new(wgsl);
        let words = subject.code.code_words();
        let mut at = 0;
        let mut waits = Vec::new();
        while at < words.len() {
            let (instr, size) = decode::decode(&words[at..], Gen::Gfx1010).unwrap();
            waits.extend(instr.waits(Gen::Gfx1010).map(|_| at));
            at += size;
        }
        let end = *waits.last().unwrap();
        for at in waits {
            let mut word = Vec::new();
            let instr = if at == end { last } else { Instr::new(insts::S_NOP) };
            encode::encode(&instr, Gen::Gfx1010, &mut word).unwrap();
            subject.code.text[4 * at..][..4].copy_from_slice(&word[0].to_le_bytes());
        }
        subject
    }

    fn run(&self, config: &Config) -> (Result<Vec<Vec<u8>>, Error>, Found) {
        let session = Session::new(config).unwrap();
        let made = ComputePipeline::from_code_object(session.device(), self.code.clone(), &self.layout);
        let result = session.run_pipeline(&made.unwrap(), &self.job);
        (result, session.device().findings())
    }
}

fn config(check: &str, threads: usize, timing: bool) -> Config {
    let mut config = Config { threads, timing, ..Config::checked() };
    config.set("WAVEPIPE_CHECK", check).unwrap();
    config
}

fn reports(found: &Found) -> Vec<Report> {
    assert_eq!(found.more, 0);
    found.findings.iter().map(|f| Report::from(&**f)).collect()
}

#[test]
fn a_report_is_the_same_for_every_number_of_threads_and_on_the_clock() {
    let nop = Instr::new(insts::S_NOP);
    for (subject, check) in [(Subject::without_waits(SUMS, nop), "wait"), (Subject::new(LATE), "all")] {
        let mut first: Option<(Vec<Report>, u64)> = None;
        let ways = [(1, false), (4, false), (3, false), (1, true), (4, true)];
        for (threads, timing) in ways {
            let (result, found) = subject.run(&config(check, threads, timing));
            result.unwrap_or_else(|e| panic!("a finding stops nothing: {e}"));
            let reports = (found.findings.iter().map(|f| Report::from(&**f)).collect::<Vec<_>>(), found.more);
            assert!(!reports.0.is_empty() && (reports.1 > 0) == (check == "wait"), "{}", reports.1);
            assert_eq!(first.get_or_insert_with(|| reports.clone()), &reports, "{threads} threads, clock {timing}");
        }
    }
}

#[test]
fn what_is_missing_in_all_work_groups_is_told_of_the_first() {
    let (_, found) = Subject::without_waits(EXCHANGE, Instr::new(insts::S_NOP)).run(&config("wait", 4, false));
    let reports = reports(&found);
    let kinds: std::collections::BTreeSet<&str> = reports.iter().map(|r| r.kind.as_str()).collect();
    assert!(kinds.contains("early-read") && kinds.contains("lds-behind-barrier"), "{kinds:?}");
    let ids: std::collections::BTreeSet<&str> = reports.iter().map(|r| r.id.as_str()).collect();
    assert_eq!(ids.len(), reports.len(), "{reports:#?}");
    for r in &reports {
        assert_eq!((r.check.as_str(), r.kernel.as_str(), r.place.group), ("wait", "main", [0; 3]));
        let other = r.other.as_ref().unwrap();
        // Where wave 0 alone writes, as it does the zeroes of LDS, another wave is the first to meet them.
        let first = if r.place.wave > 0 { other.wave } else { r.place.wave };
        // As often in each work-group.
        assert_eq!((first, r.count % u64::from(GROUPS)), (0, 0), "{r:?}");
        assert!(other.pc_offset != r.place.pc_offset && !other.instruction.is_empty());
    }
}

#[test]
fn the_lowest_work_group_wave_and_lane_are_named() {
    let (_, found) = Subject::new(LATE).run(&config("sync", 4, false));
    let reports = reports(&found);
    let [r] = &reports[..] else { panic!("{reports:#?}") };
    assert_eq!(
        (r.check.as_str(), r.kind.as_str(), r.place.instruction.as_str()),
        ("sync", "lanes-absent", "s_barrier")
    );
    assert_eq!((r.place.group, r.place.wave, r.place.lane), ([5, 0, 0], 1, 0));
    assert_eq!((r.place.lanes.as_str(), r.count), ("0xfffffeff", u64::from(GROUPS) - 5));
}

/// Of 5120 words, the first work-group's last eight items write behind the end.
#[test]
fn a_store_beside_its_buffer_is_named_with_its_first_lane() {
    let beside = |by: u32| {
        let store = format!("data[group.x * 128u + i + {by}u] = i;");
        let main = "fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>)";
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @compute @workgroup_size(128) {main} {{ {store} }}"
        );
        let (result, found) = Subject::new(&text).run(&config("mem", 4, false));
        result.unwrap();
        reports(&found)
    };
    assert_eq!(beside(0), []);
    let reports = beside(5000);
    let [r] = &reports[..] else { panic!("{reports:#?}") };
    assert_eq!((r.check.as_str(), r.kind.as_str()), ("mem", "out-of-bounds"));
    assert_eq!((r.place.group, r.place.wave, r.place.lane, r.place.lanes.as_str()), ([0; 3], 3, 24, "0xff000000"));
    let access = r.place.access.as_ref().unwrap();
    assert_eq!((access.kind.as_str(), access.space.as_str(), access.bytes), ("write", "global", 4));
    assert!(access.name.is_some() && r.message.contains("offset 20480 of a buffer of 20480 bytes"), "{r:?}");
    // Wave 3 of the first work-group, and all waves of the others.
    assert_eq!(r.count, 1 + 4 * (u64::from(GROUPS) - 1));
}

#[test]
fn a_dispatch_that_faults_tells_what_was_found() {
    let mut trap = Instr::new(insts::S_TRAP);
    trap.imm = 1;
    let subject = Subject::without_waits(EXCHANGE, trap);
    for timing in [false, true] {
        let (result, found) = subject.run(&config("wait", 1, timing));
        let error = result.unwrap_err();
        assert!(error.to_string().contains("trapped"), "{error}");
        let reports = reports(&found);
        assert!(reports.iter().any(|r| r.kind == "early-read" && r.place.group == [0; 3]), "{reports:#?}");
    }
}

#[test]
fn stop_makes_the_first_finding_a_fault() {
    let subject = Subject::without_waits(EXCHANGE, Instr::new(insts::S_NOP));
    let late = Subject::new(LATE);
    for timing in [false, true] {
        for (subject, check, slug) in [(&subject, "wait,stop", "early-read"), (&late, "sync,stop", "lanes-absent")] {
            let (result, found) = subject.run(&config(check, 1, timing));
            let Err(Error::DeviceLost(fault)) = result else { panic!("{check}: {result:?}") };
            let FaultKind::Finding(finding) = &fault.kind else { panic!("{fault}") };
            assert_eq!(finding.kind.slug(), slug);
            assert_eq!(fault.site.as_ref().unwrap().disassembly, finding.site.disassembly, "{fault}");
            assert!(reports(&found).iter().any(|r| r.id == finding.id()), "{fault}");
        }
        // The same checks without it, and it without the check: what nobody asked for stops nobody.
        late.run(&config("all", 1, timing)).0.unwrap();
        late.run(&config("stop", 1, timing)).0.unwrap();
    }
}

/// The fields of every object in a value, by the names that objects have in it.
fn fields(value: &serde_json::Value, into: &mut std::collections::BTreeSet<String>) {
    let Some(object) = value.as_object() else { return };
    for (name, value) in object {
        into.insert(name.clone());
        fields(value, into);
    }
}

/// docs/findings.md has each field of the JSON, and no other.
#[test]
fn the_fields_are_documented() {
    let (_, found) = Subject::without_waits(EXCHANGE, Instr::new(insts::S_NOP)).run(&config("wait", 1, false));
    let mut there = std::collections::BTreeSet::new();
    for mut report in reports(&found) {
        // What the modules of this test have not.
        report.place.file.get_or_insert_default();
        report.place.line.get_or_insert_default();
        report.place.function.get_or_insert_default();
        report.place.access.iter_mut().for_each(|a| a.name = Some(String::new()));
        fields(&serde_json::to_value(&report).unwrap(), &mut there);
    }
    let text = std::fs::read_to_string(root().join("docs/findings.md")).unwrap();
    let rows = text.lines().filter(|l| l.starts_with("| `"));
    let mut named: std::collections::BTreeSet<String> = rows
        .clone()
        .flat_map(|row| row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect();
    let access = rows.clone().find(|row| row.starts_with("| `access`")).unwrap();
    let inside = ["kind", "space", "address", "bytes", "name"];
    named.extend(inside.into_iter().filter(|name| access.contains(&format!("`{name}`"))).map(str::to_owned));
    assert_eq!(there, named);
}

/// A shader of the user's with a barrier that not all come to, in line 7, and one that is good.
fn shader(name: &str, condition: &str) -> PathBuf {
    let path = scratch(name);
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {{
  data[i] = i;
  if ({condition}) {{
    data[i] = 1u;
    workgroupBarrier();
  }}
}}"
    );
    std::fs::write(&path, text).unwrap();
    path
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", show(output)))
}

#[test]
fn run_says_what_was_found_and_exits_with_1() {
    let run_it = |name: &str, condition: &str, more: &[&str]| {
        let mut command = wavepipe(&["run", "--buffer", "0=u32[64]", "--wave", "32", "--json"]);
        run(command.args(more).arg(shader(name, condition))).unwrap()
    };
    let good = run_it("uniform.wgsl", "arrayLength(&data) == 7u", &["--check", "all"]);
    let value = json(&good);
    assert_eq!(
        (good.status.code(), &value["findings"], &value["more_findings"]),
        (Some(0), &serde_json::json!([]), &0.into())
    );
    let (list, sarif) = (scratch("found.json"), scratch("found.sarif"));
    for file in [&list, &sarif] {
        let bad = run_it("diverges.wgsl", "i != 3u", &["--findings", file.to_str().unwrap()]);
        assert_eq!(bad.status.code(), Some(1), "{}", show(&bad));
        let value = json(&bad);
        let [finding] = &value["findings"].as_array().unwrap()[..] else { panic!("{value}") };
        assert_eq!((finding["check"].as_str(), finding["line"].as_u64()), (Some("sync"), Some(7)));
        assert!(finding["file"].as_str().unwrap().ends_with("diverges.wgsl"), "{finding}");
        assert_eq!(
            (&finding["group"], &finding["wave"], &finding["lane"]),
            (&serde_json::json!([0, 0, 0]), &0.into(), &0.into())
        );
        let words = String::from_utf8_lossy(&bad.stderr).into_owned();
        let id = finding["id"].as_str().unwrap();
        assert!(words.contains(id) && words.contains("diverges.wgsl:7") && words.contains("1 finding"), "{words}");
        let written: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        match file == &list {
            true => assert_eq!(written, serde_json::json!({ "findings": value["findings"], "more": 0 })),
            false => assert_eq!(written["runs"][0]["results"][0]["partialFingerprints"]["wavepipeId/v1"], id),
        }
    }
    // A check that stops: the buffers are not there to be shown.
    let stopped = run_it("diverges.wgsl", "i != 3u", &["--check", "sync,stop"]);
    assert_eq!((stopped.status.code(), stopped.stdout.is_empty()), (Some(1), true), "{}", show(&stopped));
    // What is not there is refused by name.
    for wrong in [&["--check", "weight"][..], &["--check", "sync;wait"], &["--findings", "found.txt"]] {
        let refused = run_it("uniform.wgsl", "false", wrong);
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}: {}", show(&refused));
    }
}

/// What `wavepipe exec` starts below: a Vulkan program whose shader diverges where it was told so.
#[test]
fn the_child() {
    let Ok(condition) = std::env::var("WAVEPIPE_TEST_CHILD") else { return };
    let mut vulkan = Vulkan::open("findings").unwrap();
    let host: &mut dyn Host = &mut vulkan;
    let words = spirv(&std::fs::read_to_string(shader("child.wgsl", &condition)).unwrap());
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let shader = Shader { spirv: &bytes, entry: "main", bindings: &[Binding::Storage], push_bytes: 0, spec: &[] };
    let pipeline = host.pipeline(&shader).unwrap();
    let buffer = host.zeros(64).unwrap();
    host.run(&[Step::dispatch(pipeline, &[buffer], &[], [1, 1, 1])]).unwrap();
    if let Ok(code) = std::env::var("WAVEPIPE_TEST_CODE") {
        std::process::exit(code.parse().unwrap());
    }
}

#[test]
fn exec_exits_with_1_where_the_program_has_0_and_findings() {
    let program = std::env::current_exe().unwrap();
    let exec = |condition: &str, code: Option<&str>, more: &[&str]| {
        let mut command: Command = wavepipe(&["exec", "--icd"]);
        command.arg(wavepipe_manifest().unwrap()).args(more).arg("--").arg(&program);
        command
            .args(["--exact", "findings::the_child"])
            .env("WAVEPIPE_TEST_CHILD", condition)
            .env("WAVEPIPE_WAVE", "32");
        command.envs(code.map(|code| ("WAVEPIPE_TEST_CODE", code)));
        let output = run(&mut command).unwrap();
        assert_eq!(output.status.signal(), None);
        (output.status.code(), show(&output))
    };
    assert_eq!(exec("arrayLength(&data) == 7u", None, &["--check", "all"]).0, Some(0));
    let file = scratch("exec.sarif");
    for quiet in [&["-q"][..], &[]] {
        let (code, words) = exec("i != 3u", None, &[&["--findings", file.to_str().unwrap()], quiet].concat());
        assert_eq!(code, Some(1), "{words}");
        assert!(words.contains("1 finding in `"), "{words}");
        let log: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(log["runs"][0]["results"][0]["ruleId"], "sync/lanes-absent");
    }
    // The end of a program that ends at once, and the program's own failure.
    assert_eq!(exec("i != 3u", Some("0"), &[]).0, Some(1));
    assert_eq!(exec("i != 3u", Some("9"), &[]).0, Some(9));
}
