//! `wavepipe exec -- PROGRAM …`: starts a Vulkan program with this driver as the only one, for that program alone, and says so
//! when it never came to the driver.

pub(crate) mod mark;
pub(crate) mod watch;

use crate::compare::Part;
use crate::driver::Driver;
use crate::failure::{Failure, Result, code, exit_code};
use crate::findings::{self, CheckArgs};
use crate::gpu::{self, GpuArgs};
use crate::seeds::{self, Outcome, SeedArgs};
use mark::{Mark, Reached};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use watch::{Seen, Watch};
use wavepipe_runtime::Config;

const HELP: &str = "\
The program, and all that it starts, sees this driver and no other. If none of it opens the driver, a warning says so, and what it
ran on instead, as far as that is known. Its exit code is the program's; 1 if that is 0 and a check has found something, wherever
the program's messengers put it.

Examples:
  wavepipe exec -- ./a-vulkan-program
  wavepipe exec --check all --findings program.sarif -- python3 program.py
  wavepipe exec --gpu rx5500xt -- ./a-vulkan-program
  wavepipe exec --many-seeds 0..20 -- ./a-vulkan-program

With --many-seeds the program runs once with each seed, and what it writes to its standard output, its exit code and what is found are
compared; its words to stderr are not shown.

The driver is looked for beside this program, where packages put it (share/vulkan/icd.d, lib), in a checkout above it, and in the
program itself.";

/// Variables of the caller's by which the loader would leave out the driver, or take others too.
const FILTERS: [&str; 3] = ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE", "VK_ADD_DRIVER_FILES"];

/// Run a Vulkan program on this driver.
#[derive(clap::Args, Debug)]
#[command(after_help = HELP)]
pub struct ExecArgs {
    /// Wavefront size of its kernels
    #[arg(long, value_parser = ["32", "64"])]
    wave: Option<String>,
    #[command(flatten)]
    gpu: GpuArgs,
    /// The driver's manifest; this program's own driver by default
    #[arg(long, value_name = "FILE")]
    icd: Option<PathBuf>,
    #[command(flatten)]
    checks: CheckArgs,
    #[command(flatten)]
    seeds: SeedArgs,
    /// No word about a program that never opens the driver
    #[arg(long, short)]
    quiet: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<String>,
}

/// Gives a program this driver, and no other.
pub fn choose(command: &mut Command, driver: &Driver) {
    for name in FILTERS {
        command.env_remove(name);
    }
    // Both names: loaders before 1.3.207 know only the second.
    command.env("VK_DRIVER_FILES", &driver.manifest).env("VK_ICD_FILENAMES", &driver.manifest);
}

/// The program with all that it is to see, and the file in which the driver says how far it came: none from another driver.
fn command(args: &ExecArgs, driver: &Driver, seed: Option<u64>) -> (Command, Option<Arc<Mark>>) {
    let mut command = Command::new(&args.program[0]);
    command.args(&args.program[1..]);
    choose(&mut command, driver);
    if let Some(wave) = &args.wave {
        command.env("WAVEPIPE_WAVE", wave);
    }
    if let Some(gpu) = &args.gpu.gpu {
        command.env(gpu::VARIABLE, gpu);
    }
    if let Some(list) = &args.checks.check {
        command.env(findings::VARIABLE, list);
    }
    if let Some(seed) = seed {
        command.env(seeds::VARIABLE, seed.to_string());
    }
    let mark = driver.library.is_ours().then(Mark::new).and_then(|made| made.ok()).map(Arc::new);
    match &mark {
        Some(mark) => command.env(mark::VARIABLE, mark.path()),
        None => command.env_remove(mark::VARIABLE),
    };
    (command, mark)
}

/// A run with one seed: what it writes, how it ends, what is found.
fn with_seed(args: &ExecArgs, driver: &Driver, seed: u64) -> Result<Outcome> {
    let (mut command, mark) = command(args, driver, Some(seed));
    let program = &args.program[0];
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|e| Failure::Driver(format!("cannot start {program}: {e}")))?;
    let findings = mark.map(|mark| mark.findings()).unwrap_or_default();
    let failure =
        (!output.status.success()).then(|| Failure::Driver(format!("{program} ended with {}", output.status)));
    let values = String::from_utf8_lossy(&output.stdout).lines().map(Into::into).collect();
    let parts = vec![Part { name: "line".into(), bytes: output.stdout, values }];
    Ok(Outcome { parts, findings, failure })
}

/// Whether there is such a card, and has such waves: what the driver would refuse, or leave out with a word, is an error here.
fn card(args: &ExecArgs) -> Result<()> {
    match (&args.gpu.gpu, gpu::lanes(args.wave.as_deref())) {
        (None, None) => Config::parse(|name| std::env::var_os(name)).accepted().map(|_| ())?,
        (_, wave) => drop(args.gpu.config(wave)?),
    }
    Ok(())
}

/// Becomes the program's exit code; 1 in place of 0 if there were findings, 3 if the driver or the program cannot be started.
pub fn run(args: &ExecArgs) -> ExitCode {
    let failed = |why: String| {
        eprintln!("error: {why}");
        ExitCode::from(code::DRIVER)
    };
    if let Err(failure) = card(args) {
        eprintln!("error: {failure}");
        return ExitCode::from(exit_code(&failure));
    }
    let driver = match Driver::find(args.icd.as_deref()) {
        Ok(driver) => driver,
        Err(e) => return failed(e.to_string()),
    };
    if let Some(seeds) = &args.seeds.many_seeds {
        let told = match args.checks.findings {
            Some(_) => Err(Failure::usage("--many-seeds compares, and writes nothing: leave out --findings")),
            None => seeds::many(seeds.clone(), false, |seed| with_seed(args, &driver, seed)),
        };
        return match told {
            Ok(()) => ExitCode::from(code::GOOD),
            Err(failure) => {
                eprintln!("error: {failure}");
                ExitCode::from(exit_code(&failure))
            }
        };
    }
    let (mut command, mark) = command(args, &driver, args.seeds.seed);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => return failed(format!("cannot start {}: {e}", args.program[0])),
    };
    let watch = mark.as_ref().filter(|_| !args.quiet).map(|mark| Watch::start(child.id(), mark));
    let ended = child.wait();
    if let (Some(mark), Some(watch)) = (&mark, watch)
        && let Some(words) = complaint(&args.program[0], &mark.read(), &watch.end())
    {
        eprintln!("wavepipe: warning: {words}");
    }
    let found = mark.map(|mark| mark.findings()).unwrap_or_default();
    if !found.is_empty() {
        eprintln!("wavepipe: {} in `{}`", found.count(), args.program[0]);
    }
    if let Err(failure) = args.checks.write(&found) {
        eprintln!("error: {failure}");
        return ExitCode::from(exit_code(&failure));
    }
    match ended {
        Ok(status) if status.success() && !found.is_empty() => ExitCode::from(code::CHECK_FAILED),
        Ok(status) => ExitCode::from(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(code::DRIVER)),
        Err(e) => failed(format!("{}: {e}", args.program[0])),
    }
}

/// What is to be said of a program that came so far, and was seen with that.
pub fn complaint(program: &str, reached: &Reached, seen: &Seen) -> Option<String> {
    let instead: Vec<String> = seen
        .others
        .iter()
        .map(|(what, w)| format!("It ran on {what}: process {} ({}) has {}.", w.pid, w.program, w.library))
        .collect();
    // One that looks at the device and takes none, as vulkaninfo --summary does, has done what it should.
    if reached.device || (reached.instance.is_some() && instead.is_empty()) {
        return None;
    }
    let stripped = seen.others.values().find(|w| w.stripped && w.library.contains("vulkan"));
    let reason = match (&reached.instance, stripped) {
        (Some(name), _) => {
            let name = if name.is_empty() { "a program without a name" } else { name };
            format!(
                "It asked wavepipe as {name} and made no device there. `wavepipe doctor` says what WebGPU and Slang demand; \
                 WAVEPIPE_DEBUG=api prints what it asked."
            )
        }
        (None, Some(w)) => format!(
            "The process {} ({}) was started without VK_DRIVER_FILES: sudo, env -i, a service or a container takes what exec sets.",
            w.pid, w.program
        ),
        (None, None) if reached.opened => "The loader opened the driver, and no instance was made on it.".to_owned(),
        (None, None) if seen.loader => {
            "It loaded the Vulkan loader, which did not open the driver: VK_LOADER_DEBUG=all prints why, `wavepipe doctor` \
             tries it."
                .to_owned()
        }
        (None, None) if seen.anything => {
            "None of its processes was seen with the Vulkan loader (libvulkan.so.1): it does not use Vulkan, or not through the \
             system's loader."
                .to_owned()
        }
        (None, None) => "It ended before it could be looked at. Does it use Vulkan?".to_owned(),
    };
    let head = match reached.instance {
        Some(_) => format!("`{program}` computed nothing on wavepipe."),
        None => format!("`{program}` never opened wavepipe."),
    };
    Some([&[head][..], &instead, &[reason]].concat().join("\n  "))
}
