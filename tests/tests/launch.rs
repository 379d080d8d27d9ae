//! `wavepipe launch`: what it computes, what it says when something is wrong, and its exit codes.

use std::path::PathBuf;
use std::process::{Command, Output};
use wavepipe_tests::{clean, installed, program, root, run, scratch, show, skip};

const KERNELS: &str = r#"
typedef struct { int add; float scale; } Options;

#define PACKET ((__constant ushort *)__builtin_amdgcn_dispatch_ptr())
static uint id(void) { return __builtin_amdgcn_workgroup_id_x() * PACKET[2] + __builtin_amdgcn_workitem_id_x(); }

kernel void saxpy(global const float *x, global float *y, float a) { uint i = id(); y[i] = a * x[i] + y[i]; }

kernel void options(global int *out, Options options, char c, ulong u) {
    uint i = id();
    out[i] = (int)(i * options.scale) + options.add + c + (int)(u >> 32);
}

kernel void turn(global int *data, local int *tile) {
    uint i = __builtin_amdgcn_workitem_id_x();
    tile[i] = data[id()];
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    data[id()] = tile[PACKET[2] - 1 - i];
}

/* The hidden arguments of code object v5: block counts, sizes, remainders, dimensions. */
kernel void hidden(global uint *out) {
    __constant uint *words = (__constant uint *)__builtin_amdgcn_implicitarg_ptr();
    __constant ushort *halves = (__constant ushort *)words;
    if (id() == 0 && __builtin_amdgcn_workgroup_id_y() == 0) {
        for (int n = 0; n < 3; n++) { out[n] = words[n]; out[3 + n] = halves[6 + n]; out[6 + n] = halves[9 + n]; }
        out[9] = halves[32];
    }
}

kernel void picture(read_only image2d_t image, global int *out) { out[id()] = 1; }
kernel void wild(global int *out) { out[(ulong)id() << 40] = 1; }
kernel void endless(global volatile int *out) { while (out[0] == 0) out[1] = 1; }

/* Each work-group adds one; without an atomic some are lost. */
kernel void lossy(global volatile uint *out) { if (__builtin_amdgcn_workitem_id_x() == 0) out[0] += 1; }
"#;

/// The kernels, compiled; `None` (said by name) without the compiler.
fn code(name: &str, flags: &[&str]) -> Option<PathBuf> {
    code_of(KERNELS, name, &[flags, &["-cl-kernel-arg-info"]].concat())
}

fn code_of(text: &str, name: &str, flags: &[&str]) -> Option<PathBuf> {
    if !installed("clang-19") {
        skip("clang-19").unwrap();
        return None;
    }
    // The linker that this clang starts.
    let linker =
        run(Command::new("clang-19").args(["-target", "amdgcn-amd-amdhsa", "-print-prog-name=ld.lld"])).unwrap();
    if !installed(String::from_utf8_lossy(&linker.stdout).trim()) {
        skip("lld-19").unwrap();
        return None;
    }
    let (source, out) = (scratch(&format!("{name}.cl")), scratch(&format!("{name}.co")));
    std::fs::write(&source, text).unwrap();
    let mut clang = Command::new("clang-19");
    clang.args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib"]);
    let output = run(clang.args(flags).arg("-o").arg(&out).arg(&source)).unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", show(&output));
    Some(out)
}

const GFX1010: &[&[&str]] = &[
    &["-mcpu=gfx1010", "-O0"],
    &["-mcpu=gfx1010", "-O3"],
    &["-mcpu=gfx1010", "-O0", "-mwavefrontsize64"],
    &["-mcpu=gfx1010", "-O3", "-mwavefrontsize64"],
];

fn launch(file: &PathBuf, arguments: &[&str]) -> Command {
    let mut command = clean(&program("wavepipe").unwrap());
    command.current_dir(root()).arg("launch").arg(file).args(arguments);
    command
}

fn json(file: &PathBuf, arguments: &[&str]) -> serde_json::Value {
    let output = run(launch(file, arguments).arg("--json")).unwrap();
    assert!(output.status.success(), "{}", show(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn integers(value: &serde_json::Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect()
}

#[test]
fn buffers_come_back_with_what_the_kernel_made() {
    for (n, flags) in GFX1010.iter().enumerate() {
        let Some(file) = code(&format!("good{n}"), flags) else { return };
        let out = scratch(&format!("y{n}.bin"));
        let target = format!("1={}", out.display());
        // 100 work-items in groups of 64: the second group is partial, and y[100] stays.
        let arguments = ["--kernel", "saxpy", "--grid", "100", "--block", "64", "--arg", "f32[101]:iota", "--arg"];
        let mut command = launch(&file, &arguments);
        let output = run(command.args(["f32[101]:iota", "--arg", "f32=2.5", "--quiet", "--out", &target])).unwrap();
        assert!(output.status.success() && output.stdout.is_empty(), "{}", show(&output));
        let bytes = std::fs::read(&out).unwrap();
        let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let expected: Vec<f32> = (0..101).map(|i| if i < 100 { 3.5 * i as f32 } else { i as f32 }).collect();
        assert_eq!(numbers, expected);

        let bytes = scratch(&format!("options{n}.bin"));
        std::fs::write(&bytes, [7i32.to_le_bytes(), 1.5f32.to_le_bytes()].concat()).unwrap();
        let structure = format!("bytes={}", bytes.display());
        let arguments =
            ["--kernel", "options", "--grid", "40", "--block", "40", "--arg", "i32[40]", "--arg", &structure];
        let mut all = arguments.to_vec();
        all.extend(["--arg", "i8=-3", "--arg", "u64=0x300000000"]);
        let value = json(&file, &all);
        let expected: Vec<i64> = (0..40).map(|i| i * 3 / 2 + 7 - 3 + 3).collect();
        assert_eq!(integers(&value["buffers"][0]["values"]), expected);
        assert_eq!(value["wave"], if n < 2 { 32 } else { 64 });

        let arguments =
            ["--kernel", "turn", "--grid", "96", "--block", "48", "--arg", "i32[96]:iota", "--arg", "local=192"];
        let value = json(&file, &arguments);
        let expected: Vec<i64> = (0..96).map(|i| i / 48 * 48 + 47 - i % 48).collect();
        assert_eq!(integers(&value["buffers"][0]["values"]), expected);

        let arguments = ["--kernel", "hidden", "--grid", "70,9", "--block", "32,4", "--arg", "u32[10]"];
        let value = json(&file, &arguments);
        assert_eq!(integers(&value["buffers"][0]["values"]), [2, 2, 1, 32, 4, 1, 6, 1, 0, 2]);
    }
}

/// What no work-group of the card can have is refused, and nothing ran.
#[test]
fn more_local_memory_than_the_card_has_is_refused() {
    let cards: [(&str, u32, &str); 3] =
        [("gfx600", 32 << 10, "hd7950"), ("gfx900", 64 << 10, "vega64"), ("gfx1010", 64 << 10, "rx5700xt")];
    for (target, most, card) in cards {
        let Some(file) = code(&format!("local-{target}"), &[&format!("-mcpu={target}"), "-O3"]) else { return };
        let with = |bytes: u32| {
            let local = format!("local={bytes}");
            let fixed = ["--gpu", card, "--kernel", "turn", "--grid", "96", "--block", "48", "--arg", "i32[96]:iota"];
            said(launch(&file, &[&fixed[..], &["--arg", &local]].concat()))
        };
        let (status, words) = with(most);
        assert_eq!(status, Some(0), "{target}: {words}");
        for bytes in [most + 4, 10 * most] {
            let (status, words) = with(bytes);
            let why =
                format!("kernel `turn` has {bytes} bytes of shared memory, a work-group can have {most} on {card}");
            assert!(status == Some(4) && words.contains(&why), "{target}: {words}");
            assert!(!words.contains("lost") && words.contains("give it less local memory"), "{words}");
        }
    }
}

/// Exit code and everything said.
fn said(mut command: Command) -> (Option<i32>, String) {
    let output: Output = run(&mut command).unwrap();
    (output.status.code(), show(&output))
}

#[test]
fn mistakes_are_said_by_name() {
    let Some(file) = code("mistakes", GFX1010[1]) else { return };
    let buffers = ["--arg", "f32[4]", "--arg", "f32[4]"];
    let cases: [(&[&str], &[&str]); 9] = [
        (&["--grid", "4"], &["several kernels", "saxpy, options, turn, hidden, picture, wild, endless"]),
        (&["--grid", "4", "--kernel", "sax"], &["no kernel `sax`", "saxpy"]),
        (&["--grid", "4", "--kernel", "saxpy"], &["has 3 arguments, 2 are given; next is 2 (`float a`"]),
        (&["--grid", "4", "--kernel", "saxpy", "--arg", "f32=1", "--arg", "f32=2"], &["too many"]),
        (&["--grid", "4", "--kernel", "saxpy", "--arg", "f64=1"], &["argument 2 (`float a`", "is given 8 bytes"]),
        (&["--grid", "4", "--kernel", "saxpy", "--arg", "u32[4]"], &["argument 2 (`float a`", "is given a buffer"]),
        (&["--grid", "4", "--kernel", "saxpy", "--arg", "what"], &["--arg what", "TYPE[N]"]),
        (&["--grid", "4", "--kernel", "saxpy", "--arg", "f32=1", "--out", "2=x.bin"], &["argument 2 is no buffer"]),
        (
            &["--grid", "4", "--kernel", "saxpy", "--arg", "f32=1", "--block", "2000"],
            &["2000 × 1 × 1", "takes 1 to 256"],
        ),
    ];
    for (arguments, words) in cases {
        let (status, text) = said(launch(&file, &[&buffers[..], arguments].concat()));
        assert_eq!(status, Some(2), "{arguments:?}: {text}");
        assert!(words.iter().all(|w| text.contains(w)), "{words:?}: {text}");
    }
    let (status, text) = said(launch(&file, &["--list"]));
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("options  wave32") && text.contains("1 (`Options options`, 8 bytes by value)"), "{text}");
    let (status, text) =
        said(launch(&file, &["--kernel", "picture", "--grid", "4", "--arg", "null", "--arg", "i32[4]"]));
    assert_eq!(status, Some(4), "{text}");
    assert!(text.contains("`picture` takes argument 0 (`image2d_t image`, image)"), "{text}");
    let (status, text) = said(launch(&"Cargo.toml".into(), &["--grid", "4"]));
    assert_eq!(status, Some(2), "{text}");
}

#[test]
fn a_code_object_disassembles_by_function() {
    let Some(file) = code("disasm", GFX1010[3]) else { return };
    let mut command = clean(&program("wavepipe").unwrap());
    let (status, text) = said({
        command.arg("disasm").arg(&file);
        command
    });
    assert_eq!(status, Some(0), "{text}");
    for part in ["saxpy:    ; kernel, wave64", "turn:", "s_barrier", "global_store_dword", "s_endpgm"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains(".long"), "{text}");
}

#[test]
fn code_for_another_gpu_is_unsupported() {
    let Some(file) = code("other", &["-mcpu=gfx1100", "-O3"]) else { return };
    let (status, text) = said(launch(&file, &["--grid", "4", "--kernel", "saxpy"]));
    assert_eq!(status, Some(4), "{text}");
    assert!(text.contains("code for gfx1100") && text.contains("no machine of wavepipe runs it"), "{text}");
}

/// Whoever names no machine gets one that runs the code; one that is named, by flag or variable, has to be of its generation.
#[test]
fn the_code_chooses_the_machine() {
    let numbers: Vec<f64> = (0..100).map(|i| 3.5 * f64::from(i)).collect();
    let arguments = ["--kernel", "saxpy", "--grid", "100", "--arg", "f32[100]:iota", "--arg", "f32[100]:iota"];
    let arguments = [&arguments[..], &["--arg", "f32=2.5"]].concat();
    for (processor, wave) in [("gfx600", 64), ("gfx701", 64), ("gfx900", 64), ("gfx1010", 32), ("gfx1030", 32)] {
        let flag = format!("-mcpu={processor}");
        let Some(file) = code(&format!("chooses.{processor}"), &[&flag, "-O3"]) else { return };
        for gpu in [&[][..], &["--gpu", processor]] {
            let value = json(&file, &[&arguments, gpu].concat());
            let got: Vec<f64> =
                value["buffers"][1]["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
            assert_eq!((got, value["wave"].as_u64()), (numbers.clone(), Some(wave)), "{processor}");
        }
        let other = if processor == "gfx900" { "gfx1030" } else { "gfx900" };
        let by_flag = launch(&file, &[&arguments[..], &["--gpu", other]].concat());
        let mut by_variable = launch(&file, &arguments);
        by_variable.env("WAVEPIPE_MACHINE", other);
        for command in [by_flag, by_variable] {
            let (status, text) = said(command);
            assert_eq!(status, Some(4), "{text}");
            let says = format!("code for {processor}; this GPU is {other}: choose a machine of {processor} with --gpu");
            assert!(text.contains(&says), "{text}");
        }
    }
}

#[test]
fn faults_lose_the_device_with_a_report() {
    for (n, flags) in GFX1010.iter().enumerate() {
        let Some(file) = code(&format!("fault{n}"), flags) else { return };
        let (status, text) = said(launch(&file, &["--kernel", "wild", "--grid", "64", "--arg", "i32[4]"]));
        assert_eq!(status, Some(3), "{text}");
        for part in [
            "kernel `wild`: write of 4 bytes",
            "in no allocation",
            "wave 0, lane 1 (mask 0x",
            "_store_dword",
            "exec 0x",
            ": lane 1 0x",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let mut command = launch(&file, &["--kernel", "endless", "--grid", "64", "--arg", "i32[4]"]);
        command.env("WAVEPIPE_TIMEOUT", "200ms");
        let (status, text) = said(command);
        assert_eq!(status, Some(3), "{text}");
        assert!(text.contains("kernel `endless`: still running after 200 ms") && text.contains("exec 0x"), "{text}");
    }
}

/// Of code with debug information findings have file and line, in text, JSON and SARIF: those of the program's own file, also of
/// what was inlined from another one.
#[test]
fn findings_have_source_lines() {
    let own = "#include \"lines.h\"
kernel void lost(global uint *out) {
    out[0] += 1;
}
kernel void lost_inside(global uint *out) {
    out[2] = 0;
    add(out,
        1);
}
";
    let header = "static inline void add(global uint *to, uint n) {\n    *to += n;\n}\n";
    std::fs::write(scratch("lines.h"), header).unwrap();
    for (flags, has) in [(&["-mcpu=gfx1010", "-O2", "-g"][..], true), (&["-mcpu=gfx1010", "-O2"], false)] {
        let Some(file) = code_of(own, "lines", flags) else { return };
        for (kernel, line) in [("lost", 3), ("lost_inside", 7)] {
            let found = scratch("lines.json");
            let arguments = ["--kernel", kernel, "--grid", "4", "--block", "1", "--arg", "u32[4]", "--quiet"];
            let all = |out: &std::path::Path| {
                let mut command = launch(&file, &arguments);
                command.args(["--check", "race", "--findings"]).arg(out);
                said(command)
            };
            let (status, text) = all(&found);
            assert_eq!(status, Some(1), "{text}");
            let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&found).unwrap()).unwrap();
            let sarif = scratch("lines.sarif");
            all(&sarif);
            let sarif: serde_json::Value = serde_json::from_slice(&std::fs::read(&sarif).unwrap()).unwrap();
            let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
            let finding = &json["findings"][0];
            if !has {
                assert!(finding["line"].is_null() && place["region"]["startLine"].is_null(), "{json}\n{sarif}");
                continue;
            }
            for place in [finding, &finding["other"]] {
                assert_eq!(place["line"], line, "{json}");
                assert!(place["file"].as_str().unwrap().ends_with("lines.cl"), "{json}");
            }
            assert!(text.contains(&format!("lines.cl:{line}\n")), "{text}");
            assert_eq!(place["region"]["startLine"], line, "{sarif}");
        }
    }
}

/// What goes past a local argument, be it through a generic pointer, is told by the argument's name, as debug information or metadata
/// have it, or by its number. Without the check the next argument lies there.
#[test]
fn what_goes_past_a_local_argument_names_it() {
    let text = "__attribute__((noinline)) static uint get(const uint *p, uint i) { return p[i]; }
kernel void past(global uint *out, local uint *first, local uint *second) {
    uint i = __builtin_amdgcn_workitem_id_x();
    first[i] = i;
    second[i] = 100 + i;
    out[i] = first[i + 1];
}
kernel void past_generic(global uint *out, local uint *first, local uint *second) {
    uint i = __builtin_amdgcn_workitem_id_x();
    first[i] = i;
    second[i] = 100 + i;
    out[i] = get(first, i + 1);
}
";
    for (n, (how, name)) in
        [("-g", "first"), ("-cl-kernel-arg-info", "first"), ("-g0", "argument 1")].into_iter().enumerate()
    {
        for level in ["-O0", "-O2"] {
            let Some(file) = code_of(text, &format!("past{n}{level}"), &["-mcpu=gfx1010", how, level]) else { return };
            for kernel in ["past", "past_generic"] {
                let told = |check: &[&str]| {
                    let arguments =
                        ["--kernel", kernel, "--grid", "32", "--block", "32", "--arg", "u32[32]", "--arg", "local=128"];
                    let mut command = launch(&file, &arguments);
                    let output = run(command.args(["--arg", "local=128", "--json"]).args(check)).unwrap();
                    let json = serde_json::from_slice::<serde_json::Value>(&output.stdout);
                    (output.status.code(), json.unwrap_or_else(|e| panic!("{e}: {}", show(&output))))
                };
                let (status, json) = told(&[]);
                assert_eq!(
                    (status, &json["buffers"][0]["values"][31]),
                    (Some(0), &100.into()),
                    "{how} {level} {kernel}"
                );
                let (status, json) = told(&["--check", "mem"]);
                let [finding] = json["findings"].as_array().unwrap().as_slice() else {
                    panic!("{how} {level} {kernel}: {json}")
                };
                let message = format!("right behind the 128 bytes of `{name}`");
                assert!(finding["message"].as_str().unwrap().ends_with(&message), "{how} {level} {kernel}: {json}");
                assert_eq!((status, &finding["access"]["name"]), (Some(1), &name.into()), "{json}");
                assert_eq!(
                    (&finding["lanes"], &finding["kind"]),
                    (&"0x80000000".into(), &"outside-local".into()),
                    "{json}"
                );
            }
        }
    }
}

#[test]
fn seeds_find_what_an_order_shows() {
    let Some(co) = code("seeds", &["-mcpu=gfx1010", "-O3"]) else { return };
    let many = |kernel: &str, arguments: &[&str]| {
        let fixed = ["--kernel", kernel, "--grid", "512", "--block", "64", "--many-seeds", "0..24"];
        let all = [&fixed[..], arguments].concat();
        let output = run(&mut launch(&co, &all)).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = many("lossy", &["--arg", "u32[1]"]);
    assert!(code == Some(1) && text.contains("argument 0[0] is ") && text.contains("again: "), "{text}");
    let (code, text) = many("turn", &["--arg", "i32[512]:iota", "--arg", "local=256"]);
    assert!(code == Some(0) && text.starts_with("24 seeds, 1 outcome\n"), "{text}");
}
