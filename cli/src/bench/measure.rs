//! Runs of the sample programs, and what they took.

use crate::failure::{Failure, Result};
use crate::gpu::{self, GpuArgs};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;
use wavepipe::work::config;

/// What a program's environment says of the card that a flag names.
pub fn variable(gpu: &GpuArgs) -> Option<(&'static str, String)> {
    gpu.gpu.clone().map(|name| (gpu::VARIABLE, name))
}

/// Where the built sample programs are.
pub struct Programs {
    folder: PathBuf,
}

/// A driver as the environment of a Vulkan program.
pub struct Driver {
    pub label: &'static str,
    environment: Vec<(&'static str, String)>,
    /// A folder of the driver's own, removed with it.
    cache: Option<PathBuf>,
}

/// One run of a program.
#[derive(Clone, Debug)]
pub struct Done {
    /// From spawn to exit.
    pub whole_ms: f64,
    pub open_ms: f64,
    pub compile_ms: f64,
    pub device_ms: f64,
    pub wave_instructions: Option<u64>,
    /// The most memory that the process had; 0 where the system does not say.
    pub peak_memory_bytes: u64,
    /// What the program said about a wrong answer.
    pub wrong: Option<String>,
    /// What else was said: its standard error.
    pub said: String,
}

/// Wave-instructions a second on a loop of fused multiply-adds.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Rate {
    pub wave_instructions: u64,
    pub ms: f64,
    pub threads: usize,
    pub per_second_and_thread: f64,
}

impl Driver {
    fn of(label: &'static str, manifest: &Path) -> Driver {
        let manifest = manifest.display().to_string();
        // Both names: loaders before 1.3.207 know only the second.
        let environment = vec![("VK_DRIVER_FILES", manifest.clone()), ("VK_ICD_FILENAMES", manifest)];
        Driver { label, environment, cache: None }
    }

    pub fn wavepipe(manifest: Option<&Path>, wave: Option<&str>) -> Result<Driver> {
        let found = manifest.map(Path::to_owned).or_else(|| {
            let exe = std::env::current_exe().ok()?;
            exe.ancestors().map(|folder| folder.join("icd/wavepipe_icd.json")).find(|path| path.exists())
        });
        let found = found.ok_or_else(|| {
            Failure::Driver("icd/wavepipe_icd.json is in no folder above this program; name it with --icd".to_owned())
        })?;
        let mut driver = Driver::of("wavepipe", &found);
        driver.environment.extend(wave.map(|wave| ("WAVEPIPE_WAVE", wave.to_owned())));
        Ok(driver)
    }

    /// Runs with a variable that has this value.
    pub fn set(&mut self, name: &'static str, value: &str) {
        self.environment.push((name, value.to_owned()));
    }

    /// Runs on that card.
    pub fn on(&mut self, gpu: &GpuArgs) {
        self.environment.extend(variable(gpu));
    }

    /// A driver whose disk cache of shaders is off.
    pub fn cold(manifest: &Path) -> Driver {
        let mut driver = Driver::of("lavapipe", manifest);
        for name in ["MESA_SHADER_CACHE_DISABLE", "MESA_GLSL_CACHE_DISABLE"] {
            driver.environment.push((name, "true".to_owned()));
        }
        driver
    }

    /// A driver with a disk cache of its own, empty at first.
    pub fn warm(manifest: &Path) -> Result<Driver> {
        let folder = std::env::temp_dir().join(format!("wavepipe-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|source| Failure::File {
            verb: "create",
            path: folder.clone(),
            source,
        })?;
        let mut driver = Driver::of("lavapipe, cached", manifest);
        for name in ["MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR"] {
            driver.environment.push((name, folder.display().to_string()));
        }
        driver.cache = Some(folder);
        Ok(driver)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(folder) = &self.cache {
            // What cannot be removed is left to the system's cleaning of temporary files.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// lavapipe's manifest, where distributions put it.
pub fn lavapipe() -> Option<PathBuf> {
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    files.map(|file| file.path()).find(|path| {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("lvp_icd") && name.ends_with(".json")
    })
}

impl Programs {
    /// The examples' folder beside this program.
    pub fn find() -> Result<Programs> {
        let exe = std::env::current_exe().map_err(|e| Failure::Driver(format!("cannot find this program: {e}")))?;
        let folder = exe.parent().unwrap_or(Path::new(".")).join("examples");
        if !folder.join("mandelbrot").exists() {
            return Err(Failure::usage(format!(
                "the sample programs are not in {}; build them: cargo build --release --workspace --examples",
                folder.display()
            )));
        }
        Ok(Programs { folder })
    }

    /// One run of a sample through the Vulkan loader; its answer is compared with the CPU's if `check`.
    pub fn sample(&self, name: &str, driver: &Driver, check: bool) -> Result<Done> {
        self.run(name, &driver.environment, if check { &[] } else { &["--no-check"] }, driver.label)
    }

    /// One checked run of a sample on the runtime in its process.
    pub fn on_runtime(&self, name: &str, environment: &[(&str, String)]) -> Result<Done> {
        self.run(name, environment, &["--host", "runtime"], "the runtime")
    }

    /// What one run of a program tells through the Vulkan loader, right or wrong.
    pub fn told(&self, name: &str, driver: &Driver, flags: &[&str]) -> Result<serde_json::Value> {
        Ok(self.ask(name, &driver.environment, flags, driver.label)?.0)
    }

    /// What a program tells, and its end.
    fn ask(
        &self,
        name: &str,
        environment: &[(&str, String)],
        flags: &[&str],
        label: &str,
    ) -> Result<(serde_json::Value, Output)> {
        let mut command = Command::new(self.folder.join(name));
        command.args(flags).arg("--json").envs(environment.iter().map(|(k, v)| (k, v))).stdin(Stdio::null());
        let output = command.output().map_err(|e| Failure::Driver(format!("{name} does not start: {e}")))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let told = serde_json::from_str(said.trim()).map_err(|_| {
            let stderr = String::from_utf8_lossy(&output.stderr);
            Failure::Driver(format!("{name} on {label} failed ({}): {}", output.status, stderr.trim()))
        })?;
        Ok((told, output))
    }

    fn run(&self, name: &str, environment: &[(&str, String)], flags: &[&str], label: &str) -> Result<Done> {
        let start = Instant::now();
        let (told, output) = self.ask(name, environment, flags, label)?;
        let whole_ms = start.elapsed().as_secs_f64() * 1e3;
        let ms = |part: &str| told["ms"][part].as_f64().unwrap_or(f64::NAN);
        Ok(Done {
            whole_ms,
            open_ms: ms("open"),
            compile_ms: ms("compile"),
            device_ms: ms("device"),
            wave_instructions: told["wave_instructions"].as_u64(),
            peak_memory_bytes: told["peak_memory_bytes"].as_u64().unwrap_or(0),
            wrong: (!output.status.success()).then(|| wrong(&told, label)),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

/// What a program that failed says of its answer.
pub fn wrong(told: &serde_json::Value, label: &str) -> String {
    let first = told["checks"][0]["first"].as_str().unwrap_or("no detail");
    format!("wrong on {label}: {first}")
}

/// Milliseconds from vkCreateInstance to the first finished dispatch, of an empty shader: the median.
pub fn first_dispatch(programs: &Programs, driver: &Driver, runs: u32) -> Result<f64> {
    let times = (0..runs).map(|_| {
        programs.sample("bench_empty", driver, false).map(|done| done.open_ms + done.compile_ms + done.device_ms)
    });
    Ok(median(times.collect::<Result<_>>()?))
}

/// The rate of the run with the median time, with the settings of a driver.
pub fn rate(programs: &Programs, driver: &Driver, runs: u32) -> Result<Rate> {
    let settings = driver.environment.iter().filter(|(name, _)| name.starts_with("WAVEPIPE_"));
    let environment: Vec<_> = settings.cloned().collect();
    let mut done = (0..runs)
        .map(|_| programs.run("bench_fma", &environment, &["--host", "runtime"], "the runtime"))
        .collect::<Result<Vec<_>>>()?;
    if let Some(why) = done.iter().find_map(|d| d.wrong.clone()) {
        return Err(Failure::Check(format!("bench_fma: {why}")));
    }
    done.sort_by(|a, b| a.device_ms.total_cmp(&b.device_ms));
    let middle = &done[done.len() / 2];
    let threads = match config(None, None)?.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    };
    let wave_instructions = middle.wave_instructions.unwrap_or(0);
    let per_second_and_thread = wave_instructions as f64 / (middle.device_ms / 1e3) / threads as f64;
    Ok(Rate { wave_instructions, ms: middle.device_ms, threads, per_second_and_thread })
}

/// The middle value; NaN of nothing.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}
