//! The page of a shader as its user makes it: from the samples, from a code object, from assembly, and with mistakes. docs/view.md has
//! what is held here.

use std::process::Command;
use wavepipe_tests::{installed, root, run, scratch, show, skip, wavepipe};

const SHADER: &str = "samples/reduction/reduction.wgsl";

fn good(arguments: &[&str]) -> String {
    let output = run(&mut wavepipe(arguments)).unwrap();
    assert!(output.status.success(), "{}", show(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// A page that some flags make.
fn page(name: &str, arguments: &[&str]) -> String {
    let file = scratch(name);
    let _ = std::fs::remove_file(&file);
    good(&[arguments, &["-o", file.to_str().unwrap()]].concat());
    std::fs::read_to_string(&file).unwrap()
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&good(&[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn a_sample_has_a_page_with_all_that_the_documentation_names() {
    let page = page("view.html", &["view", SHADER]);
    for part in [
        "<h2>Occupancy</h2>",
        "Next step:",
        "<h2>Roofline</h2>",
        "Where the waves’ time went",
        "Waves on each SIMD",
        "aria-label=\"Source\"",
        "aria-label=\"ir\"",
        "aria-label=\"Machine code\"",
        "<g class=\"branch\"",
        "<g class=\"wait\"",
        "class=\"v peak\"",
        "workgroupBarrier",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["http:", "https:", "<link", "<img", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let looped = self::page("loop.html", &["view", "samples/mandelbrot/mandelbrot.wgsl", "--no-run"]);
    assert!(looped.contains("<g class=\"loop\""), "a loop is drawn");
    // From a line with code to an instruction, and back.
    let (line, rest) =
        page.split_once("<a href=\"#c").map(|(a, b)| (a.rsplit("<tr id=\"").next().unwrap(), b)).unwrap();
    let (line, row) = (line.split('"').next().unwrap(), rest.split('"').next().unwrap());
    let own = page.split(&format!("<tr id=\"c{row}\"")).nth(1).and_then(|r| r.split("</tr>").next()).unwrap();
    assert!(own.contains(&format!("href=\"#{line}\"")), "{line} {row}: {own}");
}

#[test]
fn a_run_makes_the_page_of_the_clock() {
    let file = scratch("run.html");
    good(&["run", SHADER, "--quiet", "--html", file.to_str().unwrap()]);
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains("Waves on each SIMD") && page.contains("waited for"));
    let still = self::page("still.html", &["view", SHADER, "--no-run"]);
    assert!(!still.contains("Waves on each SIMD") && still.contains("<h2>Occupancy</h2>"));
}

/// What the page says of a run is what `run --timing` says of it.
#[test]
fn cycles_are_those_of_the_profile() {
    let sheet = json(&["view", SHADER]);
    let timing = json(&["run", SHADER, "--timing"]);
    let dispatches = timing["timing"]["dispatches"].as_array().unwrap();
    // The page is of the first kernel, the job has two dispatches of one or of two.
    let first = sheet["run"]["cycles"].as_u64().unwrap();
    let all: u64 = dispatches.iter().map(|d| d["cycles"].as_u64().unwrap()).sum();
    assert!(first > 0 && first <= all, "{first} of {all}");
    let rows = sheet["run"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), sheet["code"].as_array().unwrap().len());
    let instructions = timing["timing"]["instructions"].as_array().unwrap();
    for (row, cost) in sheet["code"].as_array().unwrap().iter().zip(rows) {
        let same = |i: &&serde_json::Value| i["offset"] == row["offset"] && i["issued"] == cost["issued"];
        assert!(instructions.iter().any(|i| same(&i)), "{row} {cost}");
    }
}

#[test]
fn text_and_json_say_the_same_and_registers_are_at_most_those_allocated() {
    for shader in ["samples/reduction/reduction.wgsl", "samples/saxpy/saxpy.comp", "samples/mandelbrot/mandelbrot.wgsl"]
    {
        for wave in ["32", "64"] {
            let sheet = json(&["isa", shader, "--wave", wave]);
            assert_eq!((sheet["schema"].as_str(), sheet["version"].as_u64()), (Some("wavepipe-sheet"), Some(1)));
            let (peak, all) = (sheet["peak_vgprs"]["registers"].as_u64().unwrap(), sheet["vgprs"].as_u64().unwrap());
            assert!(0 < peak && peak <= all, "{shader}: {peak} of {all} VGPRs");
            assert!(sheet["peak_sgprs"]["registers"].as_u64() <= sheet["sgprs"].as_u64(), "{shader}");
            let text = good(&["isa", shader, "--wave", wave]);
            for row in sheet["code"].as_array().unwrap() {
                assert!(text.contains(row["text"].as_str().unwrap()), "{row}");
            }
            assert!(text.contains(sheet["next_step"].as_str().unwrap()));
        }
    }
}

#[test]
fn two_stand_beside_each_other() {
    let page = page("diff.html", &["view", SHADER, "--no-run", "--diff", "wave=64"]);
    assert!(page.contains("wave32 on") && page.contains("wave64 on") && page.contains("of the left alone"));
    let both = json(&["isa", SHADER, "--diff", "gpu=rx6800xt", "--diff", "wave=64"]);
    assert_eq!(both["schema"], "wavepipe-comparison");
    assert_eq!((both["left"]["isa"].as_str(), both["right"]["isa"].as_str()), (Some("gfx1010"), Some("gfx1030")));
    assert_eq!((both["left"]["wave"].as_u64(), both["right"]["wave"].as_u64()), (Some(32), Some(64)));
    let text = good(&["isa", SHADER, "--diff", "samples/saxpy/saxpy.comp"]);
    assert!(text.contains("right  main of samples/saxpy/saxpy.comp"), "{text}");
}

#[test]
fn assembly_has_live_registers_too() {
    let file = scratch("small.s");
    std::fs::write(&file, "v_add_f32 v2, v0, v1\nBB0:\ns_add_i32 s0, s0, -1\ns_cbranch_scc1 BB0\ns_endpgm\n").unwrap();
    let text = good(&["isa", file.to_str().unwrap(), "--gpu", "gfx1010"]);
    assert!(text.contains("3 VGPRs (at most 2 live, at 0x0)") && text.contains("└─"), "{text}");
}

/// clang's code, whose registers are no choice of ours.
#[test]
fn a_code_object_has_a_page() {
    if !installed("clang-19") {
        skip("clang-19").unwrap();
        return;
    }
    let (source, object) = (scratch("view.cl"), scratch("view.co"));
    let text = "kernel void saxpy(global float *y, global const float *x, float a) {\n    size_t i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();\n    \
                if (x[i] > 0) y[i] += a * x[i];\n}\n";
    std::fs::write(&source, text).unwrap();
    let flags =
        ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-mcpu=gfx1010", "-O2", "-g", "-o"];
    let made = run(Command::new("clang-19").args(flags).arg(&object).arg(&source)).unwrap();
    assert!(made.status.success(), "{}", show(&made));
    let sheet = json(&["isa", object.to_str().unwrap()]);
    assert_eq!((sheet["entry"].as_str(), sheet["machine"].as_str()), (Some("saxpy"), Some("rx5700xt")));
    assert!(sheet["peak_vgprs"]["registers"].as_u64().unwrap() <= sheet["vgprs"].as_u64().unwrap());
    assert!(sheet["code"].as_array().unwrap().iter().all(|r| r["reached"] == true));
    assert!(!sheet["waits"].as_array().unwrap().is_empty());
    let page = page("object.html", &["view", object.to_str().unwrap()]);
    assert!(page.contains("workgroup_id_x") && page.contains("<g class=\"wait\""));
}

#[test]
fn mistakes_are_said() {
    let said = |arguments: &[&str], code: i32, part: &str| {
        let output = run(&mut wavepipe(arguments)).unwrap();
        let text = show(&output);
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(part), "{text}");
    };
    said(&["view", SHADER], 2, "FILE.html");
    said(&["view", "no.wgsl", "-o", "x.html"], 2, "no.wgsl");
    said(&["view", SHADER, "-o", "x.html", "--diff", "wave=16"], 2, "waves have 32 or 64 lanes");
    said(&["view", SHADER, "-o", "x.html", "--diff", "color=red"], 2, "there is no color");
    said(&["isa"], 2, "isa coverage");
    said(&["run", SHADER, "--html", "x.html", "--trace", "x.pftrace"], 2, "leave out --trace");
    said(&["run", SHADER, "--html", "x.html", "--gpu", "all"], 2, "--html");
}

/// Commands of the documentation that name samples.
#[test]
fn documented_commands_work() {
    let text = std::fs::read_to_string(root().join("docs/view.md")).unwrap();
    let commands = text.lines().filter(|l| l.starts_with("wavepipe ") && l.contains("samples/"));
    let mut tried = 0;
    for line in commands {
        let words: Vec<String> = line.split(' ').skip(1).map(str::to_owned).collect();
        let words = words.iter().map(|w| match w.strip_suffix(".html") {
            Some(_) => scratch(w).to_str().unwrap().to_owned(),
            None => w.clone(),
        });
        let words: Vec<String> = words.collect();
        good(&words.iter().map(String::as_str).collect::<Vec<_>>());
        tried += 1;
    }
    assert!(tried >= 4, "{tried}");
}
