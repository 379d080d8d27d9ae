//! `wavepipe bench kernels`, in small.

use wavepipe_tests::{root, run, show, skip, wavepipe, wavepipe_manifest};

fn code(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(&mut wavepipe(arguments)).unwrap();
    (output.status.code(), show(&output))
}

/// The kernels whose shaders are there, and the samples.
#[test]
fn bench_kernels_knows_every_kernel() {
    let (refused, said) = code(&["bench", "kernels", "--only", "saxpy,none"]);
    let (_, names) = said.split_once("no kernel `none`; there are: ").unwrap_or_else(|| panic!("{said}"));
    let known: Vec<&str> = names.lines().next().unwrap().split(", ").collect();
    let files = std::fs::read_dir(root().join("samples/bench_kernels")).unwrap().flatten();
    let names = files.filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".comp")?.to_owned()));
    let missing: Vec<String> = names.filter(|name| !known.contains(&name.as_str())).collect();
    assert!(refused == Some(2) && missing.is_empty() && known.contains(&"saxpy"), "{missing:?} {said}");
    assert_eq!(code(&["bench", "kernels", "--host", "mmx"]).0, Some(2));
    assert_eq!(code(&["bench", "kernels", "--alone", "--beside", "file.json"]).0, Some(2));
}

/// Both drivers in turns: what is derived follows from what was measured, and a wrong answer fails.
#[test]
fn kernels_are_measured_in_turns() {
    let manifest = wavepipe_manifest().unwrap();
    let bench = |more: &[&str]| {
        let fixed = ["bench", "kernels", "--small", "--seconds", "0.02", "--turns", "2", "--threads", "2", "--json"];
        let output = run(wavepipe(&fixed).arg("--icd").arg(&manifest).args(more)).unwrap();
        let json: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}{}", show(&output)));
        (output, json)
    };
    let number = |json: &serde_json::Value| json.as_f64().unwrap_or_else(|| panic!("{json}"));
    let (output, json) = bench(&["--only", "fma_chains,stream_copy,hash,saxpy", "--host", "interpreter"]);
    assert!(output.status.success(), "{}", show(&output));
    let drivers = json["drivers"].as_array().unwrap();
    let labels: Vec<_> = drivers.iter().map(|driver| driver["label"].as_str().unwrap()).collect();
    assert_eq!(labels[..2], ["wavepipe", "wavepipe interpreter"]);
    assert_eq!((&drivers[1]["host"], &drivers[0]["ours"]), (&"interpreter".into(), &true.into()));
    let kernels = json["kernels"].as_array().unwrap();
    let names: Vec<_> = kernels.iter().map(|kernel| kernel["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["fma_chains", "hash", "stream_copy", "saxpy"]);
    assert_eq!(kernels[0]["tolerance"], "exact");
    let (fma, copy) = (&json["host"]["vectors"][0]["fmas_per_second"], &json["host"]["copied_bytes_per_second"]);
    for (kernel, work, limit) in [(&kernels[0], "fmas", fma), (&kernels[2], "bytes", copy)] {
        for timing in kernel["timings"].as_array().unwrap() {
            let rate = number(&kernel[work]) / number(&timing["least_ms"]) * 1e3;
            let share = rate / number(&limit["all_threads"]);
            assert!((number(&timing["per_second"]) / rate - 1.0).abs() < 1e-9, "{kernel}");
            assert!((number(&timing["share_of_host"]) / share - 1.0).abs() < 1e-9, "{kernel}");
            assert!(number(&limit["one_thread"]) > 0.0, "{json}");
        }
    }
    for timing in kernels.iter().flat_map(|kernel| kernel["timings"].as_array().unwrap()) {
        assert!(number(&timing["median_ms"]) >= number(&timing["least_ms"]), "{timing}");
        assert!(number(&timing["dispatches"]) >= 6.0 && timing["failed"].is_null(), "{timing}");
    }
    if labels.len() < 3 {
        skip("lavapipe").unwrap();
    } else {
        assert!(labels[2] == "lavapipe" && drivers[2]["device"].as_str().unwrap().contains("llvmpipe"), "{json}");
        let mut product = 1.0;
        for kernel in kernels {
            let timings = &kernel["timings"];
            let ratio = number(&timings[2]["median_ms"]) / number(&timings[0]["median_ms"]);
            assert!((number(&timings[0]["times_as_fast"]) / ratio - 1.0).abs() < 1e-9, "{kernel}");
            assert!(kernel["tolerance"] != "exact" || timings[0]["bits_equal"] == true, "{kernel}");
            let least = number(&timings[2]["least_ms"]) / number(&timings[0]["least_ms"]);
            assert!((number(&timings[0]["least_times_as_fast"]) / least - 1.0).abs() < 1e-9, "{kernel}");
            product *= ratio;
        }
        let mean = number(&json["means"][0]["geometric_mean"]);
        assert!((mean / product.powf(0.25) - 1.0).abs() < 1e-9, "{json}");
    }
    // One sample whose answer is words, and one whose answer may be off by a little.
    for name in ["hash", "saxpy"] {
        let (output, json) = bench(&["--only", name, "--plant"]);
        let timing = &json["kernels"][0]["timings"][0];
        assert_eq!(output.status.code(), Some(1), "{}", show(&output));
        assert!(timing["median_ms"].is_null() && timing["times_as_fast"].is_null(), "{json}");
        assert!(timing["failed"].as_str().unwrap().contains("wrong on wavepipe"), "{json}");
        assert!(show(&output).contains(&format!("{name}, wavepipe: ")), "{}", show(&output));
    }
}
