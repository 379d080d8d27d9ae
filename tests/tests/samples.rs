//! Every sample, and every kernel of `bench_kernels` in small, on lavapipe, on this driver through the loader, and straight on the runtime, at both wave sizes: each
//! answer agrees with the CPU, and with lavapipe's (words bit for bit, floats within the sample's tolerance). Through the
//! loader the Khronos validation layer watches, and must have nothing to say; on the runtime every instruction is checked.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::PathBuf;
use std::process::Command;
use wavepipe_runtime::WaveSize;
use wavepipe_runtime::isa::Gen;
use wavepipe_tests::{
    clean, lavapipe_manifest, matrix, program, root, run, scratch, show, skip, wavepipe_manifest, with_driver,
};

use wavepipe_tests::share::is_due;

const LAYER: &str = "VK_LAYER_KHRONOS_validation";

#[derive(Clone, Copy)]
enum On {
    Lavapipe,
    Driver {
        wave: u32,
    },
    /// As that, on a machine of this generation.
    Generation {
        isa: Gen,
        wave: u32,
    },
    Runtime {
        wave: u32,
    },
}

fn main() {
    let arguments = Arguments::from_args();
    let places = [
        ("lavapipe", On::Lavapipe),
        ("driver_wave32", On::Driver { wave: 32 }),
        ("driver_wave64", On::Driver { wave: 64 }),
        ("runtime_wave32", On::Runtime { wave: 32 }),
        ("runtime_wave64", On::Runtime { wave: 64 }),
    ];
    let mut trials = Vec::new();
    for (number, name) in samples().into_iter().chain(kernels()).enumerate() {
        let others: Vec<Gen> = matrix::generations().iter().skip(1).map(|m| m.generation()).collect();
        // Each sample on one of them each day.
        let due = (0..others.len()).filter(|place| is_due(number + place, others.len()));
        for isa in due.map(|place| others[place]) {
            for wave in [WaveSize::W32, WaveSize::W64].into_iter().filter(|wave| wave.is_of(isa)).map(WaveSize::lanes) {
                let (sample, on) = (name.clone(), On::Generation { isa, wave });
                let place = format!("{}_wave{wave}::{name}", isa.name());
                trials.push(Trial::test(place, move || case(&sample, on).map_err(Failed::from)));
            }
        }
        for (place, on) in places {
            let sample = name.clone();
            trials.push(Trial::test(format!("{place}::{name}"), move || case(&sample, on).map_err(Failed::from)));
        }
    }
    trials.push(Trial::test("a_wrong_answer_is_noticed", || a_wrong_answer_is_noticed().map_err(Failed::from)));
    trials.push(Trial::test("steady_work_is_repeated", || steady_work_is_repeated().map_err(Failed::from)));
    trials.push(Trial::test("every_sample_is_complete", || every_sample_is_complete().map_err(Failed::from)));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Samples that are not written for two hosts, and have tests of their own.
const OTHERS: &[&str] = &["reverb"];

/// The folders of samples/ that hold a program and a job file.
fn samples() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("samples")).expect("samples/").flatten();
    let mut names: Vec<_> = folders
        .filter(|folder| folder.path().join("main.rs").exists())
        .map(|folder| folder.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with("bench_") && !OTHERS.contains(&&**name))
        .collect();
    names.sort();
    names
}

/// The kernels of `bench_kernels`, each with the words that start it, small.
fn kernels() -> Vec<String> {
    let files = std::fs::read_dir(root().join("samples/bench_kernels")).expect("bench_kernels/").flatten();
    let names = files.filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".comp")?.to_owned()));
    let mut names: Vec<_> = names.map(|name| format!("bench_kernels {name} --small")).collect();
    names.sort();
    names
}

fn example(name: &str) -> Result<PathBuf, String> {
    program(&format!("examples/{}", name.split(' ').next().unwrap_or(name)))
}

/// What stands behind a program's name.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(' ').skip(1)
}

fn case(name: &str, on: On) -> Result<(), String> {
    let mut command = match on {
        On::Lavapipe => match lavapipe_manifest() {
            Some(manifest) => with_driver(&example(name)?, &manifest),
            None => return skip("lavapipe"),
        },
        On::Driver { wave } | On::Generation { wave, .. } => {
            let mut command = with_driver(&example(name)?, &wavepipe_manifest()?);
            command.env("WAVEPIPE_WAVE", wave.to_string());
            if let On::Generation { isa, .. } = on {
                command.env("WAVEPIPE_MACHINE", matrix::name(isa));
            }
            command
        }
        On::Runtime { wave } => {
            let mut command = clean(&example(name)?);
            command
                .args(["--host", "runtime"])
                .env("WAVEPIPE_WAVE", wave.to_string())
                .env("WAVEPIPE_CHECK", "mem,race,sync,wait,stop");
            command
        }
    };
    command.args(words(name));
    if !matches!(on, On::Lavapipe) {
        match lavapipe_bytes(name)? {
            Some(path) => {
                command.arg("--against").arg(path);
            }
            None => skip("lavapipe")?,
        }
    }
    let watched = !matches!(on, On::Runtime { .. });
    let told = judge(&mut command, watched)?;
    let device = told["device"].as_str().unwrap_or("");
    let size = told["subgroup_size"].as_u64();
    match on {
        On::Lavapipe if !device.contains("llvmpipe") => Err(format!("ran on {device:?}")),
        On::Generation { isa, wave } if !device.contains(isa.name()) || size != Some(wave.into()) => {
            Err(format!("ran on {device:?} with subgroups of {size:?}"))
        }
        On::Driver { wave } | On::Runtime { wave } if !device.contains("wavepipe") || size != Some(wave.into()) => {
            Err(format!("ran on {device:?} with subgroups of {size:?}"))
        }
        _ => Ok(()),
    }
}

/// Runs a sample that must be right and quiet; what it tells about itself.
fn judge(command: &mut Command, watched: bool) -> Result<serde_json::Value, String> {
    if watched {
        command.env("VK_INSTANCE_LAYERS", LAYER).env("VK_LOADER_DEBUG", "error,layer");
    }
    let output = run(command.arg("--json"))?;
    if !output.status.success() {
        return Err(show(&output));
    }
    let layer_ran = String::from_utf8_lossy(&output.stderr).contains("libVkLayer_khronos_validation");
    if watched && !layer_ran {
        skip("vulkan-validationlayers")?;
    }
    // The layer writes to standard output: one line of JSON alone means that it said nothing.
    let said = String::from_utf8_lossy(&output.stdout);
    let told: serde_json::Value = serde_json::from_str(said.trim()).map_err(|_| show(&output))?;
    let checks = told["checks"].as_array().map_or(0, Vec::len);
    if told["good"] != true || checks == 0 {
        return Err(show(&output));
    }
    Ok(told)
}

/// A file with lavapipe's answer; `None` without lavapipe.
fn lavapipe_bytes(name: &str) -> Result<Option<PathBuf>, String> {
    let Some(manifest) = lavapipe_manifest() else { return Ok(None) };
    let path = scratch(&format!("{}.lavapipe", name.replace(' ', "_")));
    // Two wave sizes may ask at once: each writes a file of its own, and renaming is atomic.
    let own = path.with_extension(format!("{:?}", std::thread::current().id()));
    if !path.exists() {
        let mut command = with_driver(&example(name)?, &manifest);
        let output = run(command.args(words(name)).arg("--no-check").arg("--raw").arg(&own))?;
        if !output.status.success() {
            return Err(show(&output));
        }
        std::fs::rename(&own, &path).map_err(|e| e.to_string())?;
    }
    Ok(Some(path))
}

/// The tests above can fail: a sample that is compared with something else says so.
fn a_wrong_answer_is_noticed() -> Result<(), String> {
    let Some(manifest) = lavapipe_manifest() else { return skip("lavapipe") };
    let path = scratch("wrong");
    let mut bytes =
        std::fs::read(lavapipe_bytes("histogram")?.ok_or("lavapipe was here")?).map_err(|e| e.to_string())?;
    bytes[17] ^= 1;
    std::fs::write(&path, &bytes).map_err(|e| e.to_string())?;
    let output = run(with_driver(&example("histogram")?, &manifest).arg("--against").arg(&path))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.code() != Some(1) || !text.contains("WRONG: 1 of 256") {
        return Err(show(&output));
    }
    Ok(())
}

/// Each of these changes what it reads, so that only work from the same buffers leads to the same answer again.
fn steady_work_is_repeated() -> Result<(), String> {
    for name in ["nbody", "fft", "subgroup_scan", "life"] {
        let mut command = clean(&example(name)?);
        let told = judge(command.args(["--host", "runtime", "--steady", "1"]), false)?;
        let times = told["steady"]["ms"].as_array().map_or(0, Vec::len);
        if times < 3 || told["steady"]["equal"] != true {
            return Err(format!("{name}: {told}"));
        }
    }
    Ok(())
}

fn every_sample_is_complete() -> Result<(), String> {
    let names = samples();
    if names.len() != 14 {
        return Err(format!("fourteen samples, not {}: {names:?}", names.len()));
    }
    let has = |name: &str, end: &str| root().join("samples").join(name).join(format!("{name}.{end}")).exists();
    match names.iter().find(|n| !has(n, "toml") || has(n, "wgsl") == has(n, "comp")) {
        Some(name) => Err(format!("samples/{name} needs {name}.toml and one shader, {name}.wgsl or {name}.comp")),
        None => Ok(()),
    }
}
