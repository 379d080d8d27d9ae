//! Same answer, same cycles: the machine on its clock computes what the machine without one does, and its cycles do not
//! depend on the host's threads, on the run, or on what else the host does.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use wavepipe_tests::share::due;
use wavepipe_tests::{clean, program, root, run, scratch, show};

/// Samples that are one shader with one job, and the shader.
fn jobs() -> Vec<(String, PathBuf)> {
    let folders = std::fs::read_dir(root().join("samples")).unwrap().flatten();
    let mut jobs: Vec<_> = folders
        .filter_map(|folder| {
            let name = folder.file_name().to_string_lossy().into_owned();
            let file = |end: &str| folder.path().join(format!("{name}.{end}"));
            let shader = ["wgsl", "comp"].into_iter().map(file).find(|file| file.exists())?;
            file("toml").exists().then_some((name, shader))
        })
        .collect();
    jobs.sort();
    assert_eq!(jobs.len(), 14);
    jobs
}

#[test]
fn samples_have_the_same_answer_with_and_without_a_clock() {
    for (name, _) in due("samples", jobs(), 2) {
        let raw = |timing: &str| {
            let file = scratch(&format!("clock-{name}-{timing}.raw"));
            let mut command = clean(&program(&format!("examples/{name}")).unwrap());
            command.args(["--host", "runtime", "--raw"]).arg(&file).env("WAVEPIPE_TIMING", timing);
            let output = run(&mut command).unwrap();
            // The sample compares its answer with the CPU's.
            assert!(output.status.success(), "{name}, WAVEPIPE_TIMING={timing}: {}", show(&output));
            std::fs::read(file).unwrap()
        };
        assert!(raw("1") == raw("0"), "{name}: the answers differ");
    }
}

/// All that a run on the clock says but for the host's times.
fn told(command: &mut Command) -> serde_json::Value {
    let output = run(command).unwrap();
    assert!(output.status.success(), "{}", show(&output));
    let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let object = json.as_object_mut().unwrap();
    assert!(object.remove("seconds").is_some() && object.remove("compile_seconds").is_some());
    assert!(object["timing"]["dispatches"][0]["cycles"].as_u64().unwrap() > 1000);
    json
}

#[test]
fn cycles_are_the_same_on_any_host_and_run() {
    let small = ["cas", "fft", "histogram", "reduction", "saxpy", "subgroup_scan"];
    let all = |name: &str, shader: &PathBuf, busy: &str| {
        let on = |threads: &str| {
            let mut command = clean(&program("wavepipe").unwrap());
            command.arg("run").arg(shader).args(["--timing", "--json"]).env("WAVEPIPE_THREADS", threads);
            told(&mut command)
        };
        let first = on("1");
        for threads in ["1", "2", "8"] {
            assert!(on(threads) == first, "{name}, {threads} threads, {busy} host");
        }
        first
    };
    for (name, shader) in jobs().iter().filter(|(name, _)| small.contains(&name.as_str())) {
        let calm = all(name, shader, "calm");
        let done = AtomicBool::new(false);
        let loaded = std::thread::scope(|scope| {
            for _ in 0..2 * std::thread::available_parallelism().map_or(1, |n| n.get()) {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let loaded = std::panic::catch_unwind(|| all(name, shader, "loaded"));
            done.store(true, Ordering::Relaxed);
            loaded
        });
        assert!(loaded.unwrap() == calm, "{name}: other cycles on a loaded host");
    }
}
