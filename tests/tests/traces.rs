//! Traces of whole programs: of `wavepipe run` and of Vulkan programs, read by a plain reader and by Perfetto's own
//! message definitions.

#[path = "../../emulator/timing/tests/common/perfetto.rs"]
mod perfetto;

use crate::listings;
use perfetto::{Slice, Trace};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use wavepipe_tests::{
    built, installed, program, root, run, scratch, show, skip, wavepipe, wavepipe_manifest, with_driver,
};

fn good(command: &mut Command) -> Vec<u8> {
    let output = run(command).unwrap();
    assert!(output.status.success(), "{}", show(&output));
    output.stdout
}

fn read(path: &Path) -> Trace {
    Trace::read(&std::fs::read(path).unwrap())
}

/// Python with Perfetto's definitions, made once for a build; `None` if it cannot be had.
fn python() -> Option<PathBuf> {
    let (venv, wanted) = (built().join("perfetto-venv"), root().join("tests/perfetto/requirements.txt"));
    let (python, stamp) = (venv.join("bin/python"), venv.join("installed"));
    let wanted_text = std::fs::read_to_string(&wanted).unwrap();
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == wanted_text) {
        return Some(python);
    }
    let done = |command: &mut Command| run(command).is_ok_and(|o| o.status.success());
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    let made = done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))
        && done(Command::new(&python).args(pip).arg(&wanted));
    made.then(|| std::fs::write(&stamp, wanted_text).ok()).flatten().map(|()| python)
}

/// A shader without branches, whose waves wait for memory and for each other.
const SHADER: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(128) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let before = data[id.x];
        workgroupBarrier();
        data[id.x] = before * 3u + id.x;
    }";

#[test]
fn a_run_is_traced_as_the_statistics_count_it() {
    let (shader, trace) = (scratch("traced.wgsl"), scratch("run.pftrace"));
    std::fs::write(&shader, SHADER).unwrap();
    let detail = ["--trace-detail", "instructions", "--json"];
    let mut command = wavepipe(&["run", "--groups", "300", "--buffer", "0=u32[38400]:iota", "--trace"]);
    let said = good(command.arg(&trace).args(detail).arg(&shader));
    let said: serde_json::Value = serde_json::from_slice(&said).unwrap();
    let trace_read = read(&trace);
    let count = |category| trace_read.of(category).count() as u64;
    // Wave32: 128 work-items are four waves.
    assert_eq!((count("wave"), count("dispatch")), (1200, 1));
    assert_eq!(Some(count("instruction")), said["wave_instructions"].as_u64());
    assert!(trace_read.of("wave").all(|s| s.name == "main" && s.end.is_some()));
    let stalls: BTreeSet<&str> = trace_read.of("stall").map(|s| s.name.as_str()).collect();
    assert!(stalls.contains("vmcnt") && stalls.contains("lgkmcnt"), "{stalls:?}");

    let Some(python) = python() else {
        skip("perfetto").unwrap();
        return;
    };
    let out = good(Command::new(python).arg(root().join("tests/perfetto/check.py")).arg(&trace));
    let theirs: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(theirs["tracks"], trace_read.tracks.len());
    assert_eq!(theirs["waves"], 1200);
    for category in ["wave", "dispatch", "packet", "instruction", "stall"] {
        assert_eq!(theirs["slices"][category], count(category), "{category}");
    }
    let nanoseconds: u64 = trace_read.slices.iter().map(|s| s.end.unwrap() - s.begin).sum();
    assert_eq!(theirs["nanoseconds"], nanoseconds);
    let names: BTreeSet<&str> = trace_read.slices.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(theirs["names"], serde_json::json!(names));
    for (name, values) in theirs["counters"].as_object().unwrap() {
        assert_eq!(values, trace_read.counter(name).len(), "{name}");
    }
}

fn json(path: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn numbers(value: &serde_json::Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect()
}

/// What ROCprof Compute Viewer takes from a folder, in the shapes that its reader (src/data/json_emitter.cpp,
/// src/data/wavemanager.cpp, src/code/codeload.cpp) expects.
#[test]
fn a_folder_for_rocprof_compute_viewer_has_what_its_reader_wants() {
    let (shader, folder) = (scratch("viewed.wgsl"), scratch("viewed"));
    std::fs::write(&shader, SHADER).unwrap();
    let mut command = wavepipe(&["run", "--groups", "300", "--buffer", "0=u32[38400]:iota", "--json", "--trace"]);
    let said = good(command.arg(format!("{}/", folder.display())).arg(&shader));
    let said: serde_json::Value = serde_json::from_slice(&said).unwrap();
    let dispatch = folder.join("ui_output_agent_1_dispatch_1");
    let entries = |path: &Path| std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(entries(&folder), std::slice::from_ref(&dispatch));
    assert!(entries(&dispatch).iter().all(|p| p.extension().is_some_and(|e| e != "part")));

    // Code: ten columns, and a line's third is its place. The shader has no branches: all waves execute all of it.
    let code = json(&dispatch.join("code.json"));
    let rows = code["code"].as_array().unwrap();
    for (i, row) in rows.iter().enumerate() {
        assert_eq!((row.as_array().unwrap().len(), row[2].as_u64()), (10, Some(i as u64)), "{row}");
    }
    assert!(rows[0][0].as_str().unwrap().starts_with("; main"));
    let hits: u64 = rows.iter().map(|r| r[6].as_u64().unwrap()).sum();
    assert_eq!(Some(hits), said["wave_instructions"].as_u64());
    let end = rows.iter().find(|r| r[0] == "s_endpgm").unwrap();
    assert_eq!(end[6], 1200);
    let loads = rows.iter().filter(|r| r[0].as_str().unwrap().contains("_load_")).count();
    assert!(loads > 0 && rows.iter().all(|r| r[8].as_i64() <= r[7].as_i64()), "no more is stalled than it takes");

    // Waves: of one work-group processor of each shader engine.
    let names = json(&dispatch.join("filenames.json"));
    assert_eq!((&names["gfxip"], &names["gfxv"], &names["thread_trace"]), (&10.into(), &"navi".into(), &true.into()));
    let mut waves = 0;
    let mut processors = BTreeSet::new();
    for (engine, simds) in names["wave_filenames"].as_object().unwrap() {
        for (simd, slots) in simds.as_object().unwrap() {
            for (slot, list) in slots.as_object().unwrap() {
                for (turn, entry) in list.as_object().unwrap() {
                    let name = entry[0].as_str().unwrap();
                    assert_eq!(name, format!("se{engine}_sm{simd}_sl{slot}_wv{turn}.json"));
                    let wave = &json(&dispatch.join(name))["wave"];
                    let (begin, end) = (entry[1].as_i64().unwrap(), entry[2].as_i64().unwrap());
                    assert_eq!((wave["begin"].as_i64(), wave["end"].as_i64()), (Some(begin), Some(end)));
                    processors.insert((engine.clone(), wave["cu"].as_u64().unwrap()));
                    let instructions = wave["instructions"].as_array().unwrap();
                    assert_eq!(instructions.len(), rows.iter().filter(|r| r[6] != 0).count());
                    let mut last = begin;
                    for instruction in instructions {
                        let [time, category, stall, duration, line] = numbers(instruction)[..] else { panic!() };
                        assert!(time >= last && time + stall <= end && stall < duration, "{instruction} in {name}");
                        assert!((1..=11).contains(&category) && rows[line as usize][6] == 1200);
                        last = time + stall;
                    }
                    let timeline: Vec<_> = wave["timeline"].as_array().unwrap().iter().map(numbers).collect();
                    assert_eq!(timeline.iter().map(|t| t[1]).sum::<i64>(), end - begin, "{name}");
                    assert!(timeline.windows(2).all(|w| w[0][0] != w[1][0]) && timeline.iter().all(|t| t[0] < 5));
                    waves += 1;
                }
            }
        }
    }
    // The RX 5700 XT has two shader engines of ten work-group processors.
    assert_eq!(processors.len(), 2);
    assert!((80..=200).contains(&waves), "{waves} of 1200 waves on two of twenty processors");

    // Occupancy: every wave comes and goes.
    let occupancy = json(&dispatch.join("occupancy.json"));
    assert_eq!(occupancy["dispatches"]["1"], "main");
    let mut comings = [0, 0];
    for engine in ["0", "1"] {
        for event in occupancy[engine].as_array().unwrap() {
            let event = numbers(event);
            let [_, processor, simd, slot, start, kernel, ..] = event[..] else { panic!("{event:?}") };
            assert!(event.len() == 11 && processor < 10 && simd < 4 && slot < 20 && kernel == 1, "{event:?}");
            comings[start as usize] += 1;
        }
    }
    assert_eq!(comings, [1200, 1200]);
    let started = &occupancy["events"]["0"][0];
    assert_eq!((&started["kind"], &started["kernel_name"]), (&"dispatch".into(), &"main".into()));
    assert_eq!(started["thread_dim_x"], 128);

    // Waves by state, and the clocks.
    for state in 2..5 {
        let states = json(&dispatch.join(format!("wstates{state}.json")));
        let (time, waves) = (numbers(&states["time"]), numbers(&states["state"]));
        assert!(time.len() == waves.len() && time.is_sorted() && waves.iter().all(|w| (0..=1600).contains(w)));
    }
    let clocks = json(&dispatch.join("realtime.json"));
    assert_eq!(clocks["metadata"]["frequency"], 100_000_000);
    assert_eq!(clocks["SE0"], clocks["SE1"]);
    assert!(json(&dispatch.join("snapshots.json")).is_object());
}

/// A branch has the label that an instruction of the trace has in front of it.
#[test]
fn branches_of_a_trace_name_where_they_go() {
    let (shader, trace) = (scratch("branches.wgsl"), scratch("branches.pftrace"));
    std::fs::write(&shader, listings::SHADER).unwrap();
    let mut command = wavepipe(&["run", "--groups", "1", "--buffer", "data=[256]:iota", "--quiet"]);
    good(command.args(["--trace-detail", "instructions", "--trace"]).arg(&trace).arg(&shader));
    let trace = read(&trace);
    let places: BTreeSet<&String> = trace.of("instruction").filter_map(|s| s.texts.get("label")).collect();
    let mut branches = 0;
    for slice in trace.of("instruction") {
        for target in listings::targets(&slice.name) {
            branches += 1;
            assert!(places.contains(&target.to_owned()), "{}: {places:?}", slice.name);
        }
    }
    assert!(branches > 3, "{branches}");
}

#[test]
fn two_runs_have_one_trace() {
    let traces = [1, 8].map(|threads| {
        let trace = scratch(&format!("threads{threads}.pftrace"));
        let mut command = wavepipe(&["run", "samples/reduction/reduction.wgsl", "--quiet", "--trace"]);
        let output = run(command.arg(&trace).env("WAVEPIPE_THREADS", threads.to_string())).unwrap();
        let said = show(&output);
        assert!(output.status.success() && said.contains(&format!("wrote {}", trace.display())), "{said}");
        std::fs::read(trace).unwrap()
    });
    assert!(traces[0].len() > 1000 && traces[0] == traces[1]);
}

#[test]
fn a_vulkan_program_is_traced() {
    let Some(_) = installed("vulkaninfo").then_some(()) else {
        skip("vulkaninfo").unwrap();
        return;
    };
    let trace = scratch("vulkan.pftrace");
    let sample = program("examples/saxpy").unwrap();
    let mut command = with_driver(&sample, &wavepipe_manifest().unwrap());
    good(command.args(["--host", "vulkan"]).env("WAVEPIPE_TRACE", &trace));
    let read = read(&trace);
    let waves: Vec<&Slice> = read.of("wave").collect();
    assert!(!waves.is_empty() && waves.iter().all(|s| s.end.is_some()));
    assert!(read.of("packet").any(|s| s.name == "RELEASE_MEM"));
    assert!(read.of("dispatch").all(|s| read.path(s.track).contains("/command processor/")));
    // A program that only looks around leaves no file.
    let none = scratch("none.pftrace");
    let mut command = with_driver(Path::new("vulkaninfo"), &wavepipe_manifest().unwrap());
    good(command.arg("--summary").env("WAVEPIPE_TRACE", &none));
    assert!(!none.exists());
}

#[test]
fn what_cannot_be_written_is_told_before_anything_runs() {
    for (path, why) in [("no/such/folder/x.pftrace", "no/such/folder"), ("x.txt", ".pftrace")] {
        let output = run(&mut wavepipe(&["run", "samples/reduction/reduction.wgsl", "--trace", path])).unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", show(&output));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(path) && text.contains(why), "{text}");
    }
    if cfg!(target_os = "linux") {
        // A file that takes nothing: a link, since its name has to end as a trace's.
        let full = scratch("full.pftrace");
        let _ = std::fs::remove_file(&full);
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let output = run(wavepipe(&["run", "samples/reduction/reduction.wgsl", "--trace"]).arg(&full)).unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", show(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains("the rest of it is missing"), "{}", show(&output));
    }
}
