//! `wavepipe doctor`: everything between a Vulkan program and wavepipe, tried one after the other as a program would; each fault
//! with its mend.
//!
//! What the loader does is not guessed but tried, in a process of its own ([`probe`]): once as `wavepipe exec` starts programs, once
//! as programs start by themselves. Which variable is at fault is tried too: without it, the fault is gone.

mod probe;

use crate::driver::manifest::{self, Library};
use crate::driver::{Driver, folders};
use crate::exec;
use crate::failure::{Failure, Result};
use probe::{Device, Findings, own_compiler};
use serde::Serialize;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wavepipe_runtime::Config;

const EXAMPLES: &str = "\
Examples:
  wavepipe doctor
  wavepipe doctor --icd /usr/share/vulkan/icd.d/wavepipe_icd.json
  wavepipe doctor --json | jq '.[] | select(.verdict == \"fault\")'

Each line is `ok`, a `note`, or a `fault` with its mend. Exit code 3 if there is a fault.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {
    /// The manifest of the driver to look at; this program's own driver by default
    #[arg(long, value_name = "FILE")]
    icd: Option<PathBuf>,
    /// One JSON array of objects: name, verdict (ok, note, fault), finding, mend
    #[arg(long)]
    json: bool,
    /// Try what a Vulkan program meets, in this process
    #[arg(long, hide = true)]
    probe: bool,
}

/// A probe that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Variables that change which drivers the loader finds.
const OF_LOADER: &[&str] = &[
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_ADD_DRIVER_FILES",
    "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_DRIVERS_DISABLE",
    "VK_LOADER_DEVICE_SELECT",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
];
/// Variables that break programs on a driver that is found.
const OF_PROGRAMS: &[&str] = &[
    "VK_INSTANCE_LAYERS",
    "VK_LOADER_LAYERS_ENABLE",
    "VK_LAYER_PATH",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "WAVEPIPE_ENGINES",
    "WAVEPIPE_CONFORMANCE",
    "WAVEPIPE_MACHINE",
    "WAVEPIPE_TIMEOUT",
    "WAVEPIPE_TRACE",
];

#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Note,
    Fault,
}

/// A line of the report.
#[derive(Serialize, Debug)]
struct Check {
    name: String,
    verdict: Verdict,
    finding: String,
    mend: Option<String>,
}

#[derive(Default)]
struct Report(Vec<Check>);

impl Report {
    fn ok(&mut self, name: &str, finding: impl Into<String>) {
        self.0.push(Check { name: name.into(), verdict: Verdict::Ok, finding: finding.into(), mend: None });
    }

    fn say(&mut self, verdict: Verdict, name: &str, finding: impl Into<String>, mend: impl Into<String>) {
        self.0.push(Check { name: name.into(), verdict, finding: finding.into(), mend: Some(mend.into()) });
    }

    fn fault(&mut self, name: &str, finding: impl Into<String>, mend: impl Into<String>) {
        self.say(Verdict::Fault, name, finding, mend);
    }

    fn note(&mut self, name: &str, finding: impl Into<String>, mend: impl Into<String>) {
        self.say(Verdict::Note, name, finding, mend);
    }
}

pub fn run(args: &DoctorArgs) -> Result<()> {
    if args.probe {
        return probe::run();
    }
    let mut report = Report::default();
    let driver = match Driver::find(args.icd.as_deref()) {
        Ok(driver) => {
            let from = if driver.contained { " (out of this program)" } else { "" };
            let library = driver.library.to_string();
            let library = std::fs::canonicalize(&library).map_or(library, |path| path.display().to_string());
            report.ok("driver", format!("{library}{from}"));
            report.ok("manifest", driver.manifest.display().to_string());
            Some(driver)
        }
        Err(e) => {
            let mend = "Install the package anew, or build it: cargo build --release";
            report.fault("driver", e.to_string(), mend);
            None
        }
    };
    if let Some(driver) = &driver {
        with_driver(driver, &mut report);
    }
    speed(&mut report);
    by_themselves(&mut report);
    let faults = report.0.iter().filter(|c| c.verdict == Verdict::Fault).count();
    match args.json {
        true => println!("{}", serde_json::json!(report.0)),
        false => report.0.iter().for_each(print),
    }
    match faults {
        0 => Ok(()),
        1 => Err(Failure::Driver("one fault".into())),
        n => Err(Failure::Driver(format!("{n} faults"))),
    }
}

fn print(check: &Check) {
    let verdict = match check.verdict {
        Verdict::Ok => "ok   ",
        Verdict::Note => "note ",
        Verdict::Fault => "FAULT",
    };
    println!("{verdict}  {:<14}  {}", check.name, check.finding.replace('\n', "\n                       "));
    if let Some(mend) = &check.mend {
        println!("                       → {mend}");
    }
}

/// Runs a probe in a process of its own; what it said on stderr comes along.
fn probed(change: impl FnOnce(&mut Command)) -> std::result::Result<(Findings, String), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.args(["doctor", "--probe"]).env("VK_LOADER_DEBUG", "error,warn");
    change(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let read = |pipe: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.map(|p| p.take(1 << 20).read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let out = read(child.stdout.take().map(|p| Box::new(p) as _));
    let err = read(child.stderr.take().map(|p| Box::new(p) as _));
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if begun.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("a Vulkan program did not end within {} s", PATIENCE.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    let last = out.lines().last().unwrap_or_default();
    match serde_json::from_str(last) {
        Ok(findings) => Ok((findings, err)),
        Err(_) => Err(format!("a Vulkan program ended with {status}\n{}", tail(&err))),
    }
}

/// What kernels that run often become on this host; without it all that is right stays right, and takes some times as long.
fn speed(report: &mut Report) {
    let environment = Config::from_env();
    let Ok(config) = environment.accepted() else { return };
    match config.host_code() {
        Some(target) => report.ok("host code", format!("what runs often becomes {} instructions", target.name())),
        None => {
            let blame = ["WAVEPIPE_HOST", "WAVEPIPE_JIT", "WAVEPIPE_TIMING", "WAVEPIPE_TRACE", "WAVEPIPE_SEED"];
            let set = blame.into_iter().find(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
            let mend = match set {
                Some(name) => format!("unset {name} for speed ({})", value(name)),
                None => "It is made for AVX-512, for AVX2 with FMA, F16C and BMI, and for NEON".into(),
            };
            report.note("host code", "none: the interpreter runs all kernels", mend);
        }
    }
}

/// The last lines of what was said.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(4)..].join("\n")
}

/// The first set variable of a list without which a probe is as it should be.
fn guilty(
    names: &[&'static str],
    start: &dyn Fn(&mut Command),
    good: &dyn Fn(&Findings) -> bool,
) -> Option<&'static str> {
    let set = names.iter().copied().filter(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
    set.into_iter().find(|name| {
        let without = probed(|command| {
            start(command);
            command.env_remove(name);
        });
        without.is_ok_and(|(findings, _)| good(&findings))
    })
}

fn value(name: &str) -> String {
    format!("{name}={}", std::env::var_os(name).unwrap_or_default().to_string_lossy())
}

/// As `wavepipe exec` starts programs.
fn with_driver(driver: &Driver, report: &mut Report) {
    let start = |command: &mut Command| exec::choose(command, driver);
    let (found, words) = match probed(start) {
        Ok(found) => found,
        Err(why) => {
            let blame = guilty(OF_PROGRAMS, &start, &|f| matches!(f.dispatch, Some(Ok(()))));
            let mend = blame
                .map_or("The output above says where.".into(), |name| format!("unset {name}: without it this works"));
            return report.fault("program", why, mend);
        }
    };
    let blamed = |good: &dyn Fn(&Findings) -> bool, otherwise: &str| {
        let blame = guilty(OF_PROGRAMS, &start, good);
        blame.map_or(otherwise.to_owned(), |name| format!("unset {name}: without it this works ({})", value(name)))
    };
    match &found.loader {
        Some(Ok((version, file))) => report.ok("loader", format!("{file}, Vulkan {version}")),
        Some(Err(why)) => {
            let mend = blamed(
                &|f| matches!(f.loader, Some(Ok(_))),
                "Install the Vulkan loader; on Debian: apt install libvulkan1",
            );
            return report.fault("loader", format!("libvulkan.so.1 cannot be opened: {why}"), mend);
        }
        None => return report.fault("loader", "nothing was said of it", "Run `wavepipe doctor --probe`"),
    }
    let ours = |f: &Findings| own(f).next().is_some();
    match &found.devices {
        Some(Ok(_)) if ours(&found) => {}
        Some(Ok(all)) => {
            let names: Vec<&str> = all.iter().map(|d| d.name.as_str()).collect();
            let shown = if names.is_empty() { "no device".into() } else { names.join(", ") };
            let mend = blamed(&ours, "VK_LOADER_DEBUG=all shows what the loader does");
            return report.fault(
                "device",
                format!("the loader shows {shown}, and not wavepipe\n{}", tail(&words)),
                mend,
            );
        }
        Some(Err(why)) => {
            let mend = blamed(&ours, "VK_LOADER_DEBUG=all shows what the loader does");
            return report.fault("device", format!("{why}\n{}", tail(&words)), mend);
        }
        None => return,
    }
    for device in own(&found) {
        match device.compiler == own_compiler() {
            true => report.ok("version", format!("{}: driver and program are of one build", device.name)),
            false => report.fault(
                "version",
                format!("{}: the driver is of another build than this program ({})", device.name, driver.library),
                "Build or install both together: cargo build --release, or the package anew",
            ),
        }
    }
    let computes = |f: &Findings| matches!(f.dispatch, Some(Ok(())));
    match &found.dispatch {
        Some(Ok(())) => report.ok("dispatch", "one lane through the loader computed what it should"),
        Some(Err(why)) => {
            let mend = blamed(&computes, "WAVEPIPE_DEBUG=api,fault shows where it fails");
            report.fault("dispatch", format!("{why}\n{}", tail(&words)), mend);
        }
        None => {}
    }
    for program in &found.programs {
        let told = |f: &Findings| f.programs.iter().any(|p| p.name == program.name && p.missing.is_empty());
        match program.missing.is_empty() {
            true => report.ok(&program.name, format!("finds what it demands: {}", program.demands)),
            false => report.fault(
                &program.name,
                format!("takes no device without {}", program.missing.join(", ")),
                blamed(&told, "This driver has it; the one that was found is older: install it anew"),
            ),
        }
    }
}

fn own(findings: &Findings) -> impl Iterator<Item = &Device> {
    let devices = findings.devices.iter().flatten().flatten();
    devices.filter(|d| d.is_ours())
}

/// The variable without which programs find a device.
fn misled() -> Option<&'static str> {
    guilty(OF_LOADER, &|_| {}, &|f| f.devices.iter().flatten().any(|all| !all.is_empty()))
}

/// As programs start by themselves.
fn by_themselves(report: &mut Report) {
    let installed = folders::installed();
    for (path, _) in &installed {
        if let Err(why) = manifest::check(path) {
            report.fault("installed", why, "`wavepipe icd install` makes it anew, `wavepipe icd uninstall` removes it");
        }
    }
    let found = match probed(|_| {}) {
        Ok((found, _)) => found,
        Err(why) => {
            let good = |f: &Findings| matches!(f.devices, Some(Ok(_)));
            let blame = guilty(&[OF_LOADER, OF_PROGRAMS].concat(), &|_| {}, &good);
            let mend = blame
                .map_or("VK_LOADER_DEBUG=all shows which driver or layer was last".into(), |n| format!("unset {n}"));
            return report.fault("by itself", why, mend);
        }
    };
    let devices: Vec<&Device> = found.devices.iter().flatten().flatten().collect();
    let names = |of: &[&Device]| of.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ");
    let ours: Vec<&Device> = own(&found).collect();
    let chosen = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().find(|n| names_us(n));
    let absent = installed.is_empty() && chosen.is_none();
    let misled = if devices.is_empty() && absent { misled() } else { None };
    match (ours.len(), absent, misled) {
        (0, true, Some(name)) => {
            let finding = format!("programs find no device: {} misleads the loader", value(name));
            report.fault("by itself", finding, format!("unset {name}"));
        }
        (0, true, None) => report.note(
            "by itself",
            format!(
                "programs find {} without wavepipe exec",
                if devices.is_empty() { "no device".into() } else { names(&devices) }
            ),
            "`wavepipe icd install` lets every program find wavepipe",
        ),
        (0, false, _) => {
            let seen = |f: &Findings| own(f).next().is_some();
            let blame = guilty(OF_LOADER, &|_| {}, &seen).or_else(|| guilty(OF_PROGRAMS, &|_| {}, &seen));
            let (why, mend) = match blame {
                Some(name) => (format!("{} hides it", value(name)), format!("unset {name}")),
                None => ("the loader does not take it".into(), "VK_LOADER_DEBUG=all shows why".into()),
            };
            report.fault("by itself", format!("wavepipe is installed, and programs do not find it: {why}"), mend);
        }
        (1, ..) => match ours[0].compiler == own_compiler() {
            true => report.ok("by itself", format!("programs find {}", names(&devices))),
            false => report.fault(
                "by itself",
                "the wavepipe that programs find is of another build than this program",
                "`wavepipe icd install` installs this one",
            ),
        },
        (n, ..) => report.fault(
            "by itself",
            format!("programs find wavepipe {n} times: {}", manifests(&installed)),
            "Remove all manifests but one; `wavepipe icd uninstall` removes ours",
        ),
    }
}

/// Whether a variable that lists manifests lists one of wavepipe's.
fn names_us(variable: &str) -> bool {
    let list = std::env::var_os(variable).unwrap_or_default();
    std::env::split_paths(&list).any(|path| manifest::read(&path).is_ok_and(|library| library.is_ours()))
}

fn manifests(installed: &[(PathBuf, std::result::Result<Library, String>)]) -> String {
    installed.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
