//! What the user can set from outside: environment variables, each with a default, each checked.

mod variables;

use crate::engines::Engines;
use crate::error::Error;
use crate::machine::memory_bytes;
use crate::trace::Trace;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Once};
use std::time::Duration;
pub use variables::{VARIABLES, Variable, Wrong};
use wavepipe_compiler::{Checks, Instrument};
use wavepipe_core::{GuestChecks, OutOfLds, Policy};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::observe::Observe;
use wavepipe_isa::Gen;
use wavepipe_jit::HostIsa;

bitflags::bitflags! {
    /// Flags of `WAVEPIPE_DEBUG`, a comma list.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct DebugFlags: u32 {
        /// `api`: trace Vulkan entry points (the driver prints them).
        const API = 1 << 0;
        /// `isa`: print the machine code of every pipeline when it is made.
        const ISA = 1 << 1;
        /// `packets`: print the PM4 packets of every submission.
        const PACKETS = 1 << 2;
        /// `fault`: print a GPU fault or finding at once, not only when a call returns it.
        const FAULT = 1 << 3;
        /// `checks`: the compiler checks what each of its passes made, and code from a cache is compiled again and compared.
        const CHECKS = 1 << 4;
    }
}

/// Name, flag and meaning; the one list that the parser and the error message read.
const DEBUG_FLAGS: &[(&str, DebugFlags)] = &[
    ("api", DebugFlags::API),
    ("isa", DebugFlags::ISA),
    ("packets", DebugFlags::PACKETS),
    ("fault", DebugFlags::FAULT),
    ("checks", DebugFlags::CHECKS),
];

/// What runs as host code, on hosts with AVX-512; the interpreter runs the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Jit {
    Off,
    /// What runs often.
    #[default]
    On,
    /// Everything that can, from the first time on.
    Always,
}

/// What host code may be made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HostEngine {
    /// The best vector instructions that the host has.
    #[default]
    Best,
    Only(HostIsa),
    /// Nothing: the interpreter runs all code.
    Interpreter,
}

/// How a device is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The card that is emulated. `WAVEPIPE_MACHINE` = what [`Machine::open`] takes: a machine (`rx5700xt` by default), a
    /// generation, or a description's path that ends in `.toml`.
    pub machine: Arc<Machine>,
    /// Wave size of pipelines that do not ask for one; `None`: 32 where the machine has such waves, of Vulkan programs' pipelines 64
    /// where they cannot tell and nobody looks. `WAVEPIPE_WAVE` = `32` or `64`.
    pub wave: Option<WaveSize>,
    /// A dispatch that runs longer loses the device; `None` = never. `WAVEPIPE_TIMEOUT` = `60s` (default), `500ms`, a plain
    /// number of milliseconds, or `off`.
    pub timeout: Option<Duration>,
    /// Host threads that execute work-groups; 0 = one per hardware thread. `WAVEPIPE_THREADS`.
    pub threads: usize,
    /// What an access outside of a work-group's LDS does. `WAVEPIPE_LDS` = `fault` (default) or `ignore`.
    pub out_of_lds: OutOfLds,
    /// What the device takes note of, for [`Device::last_writer`](crate::Device::last_writer) and
    /// [`Device::coverage`](crate::Device::coverage); counting costs cycles on a clock.
    pub observe: Observe,
    /// What guest code is checked for, and whether a finding is a fault. `WAVEPIPE_CHECK`, a comma list.
    pub guest_checks: GuestChecks,
    /// The machine runs on a clock of its own, in cycles of the card. `WAVEPIPE_TIMING` = `1` or `0` (default).
    pub timing: bool,
    /// Waves, work-groups and queues go in the order of this seed, one instruction at a time, on the machine with a clock.
    /// `WAVEPIPE_SEED` = a number; none by default.
    pub seed: Option<u64>,
    /// Records what happens when, which needs that clock. `WAVEPIPE_TRACE` = a path; `WAVEPIPE_TRACE_DETAIL` = `waves`
    /// (default) or `instructions`.
    pub trace: Option<Trace>,
    /// What queues of HIGH and REALTIME priority do to others while they have work; `None`: REALTIME tunnels, HIGH limits.
    /// `WAVEPIPE_TUNNEL` = `share`, `limit` or `tunnel`.
    pub policy: Option<Policy>,
    /// Compute units that each REALTIME queue has for its own. `WAVEPIPE_RESERVE_CUS`, 0 by default.
    pub reserve_cus: u32,
    /// `WAVEPIPE_JIT` = `on` (default), `off` or `always`.
    pub jit: Jit,
    /// What host code may be made for. `WAVEPIPE_HOST` = `avx512`, `avx2`, `neon` or `interpreter`; by default the best that the host has.
    pub host: HostEngine,
    /// Folder of compiled code that outlives the process; `None` = no such cache. `WAVEPIPE_CACHE` = `off` or a folder; by
    /// default `wavepipe` in the user's cache folder (`XDG_CACHE_HOME`, or `.cache` at home).
    pub cache: Option<PathBuf>,
    /// `WAVEPIPE_DEBUG`.
    pub debug: DebugFlags,
    /// No queue family shows GRAPHICS. `WAVEPIPE_COMPUTE_ONLY` = `1` or `0` (default).
    pub compute_only: bool,
    /// The device says that it is the Radeon. `WAVEPIPE_IDENTITY` = `radeon`, or nothing (default).
    pub radeon: bool,
    /// What programs of a name are shown beyond the truth. `WAVEPIPE_ENGINES` = `off`, or a path that ends in `.toml`.
    pub engines: Engines,
    /// Whether compiled code has a table of where source variables are, for who inspects the machine. It costs time to compile.
    pub names: bool,
    /// The version of Vulkan's conformance tests to report to everybody: none, as nobody has submitted results.
    /// `WAVEPIPE_CONFORMANCE` = `1.3.0.0`, say, for programs that hide a driver which names none.
    pub conformance: Option<[u8; 4]>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            machine: Machine::standard(),
            wave: None,
            timeout: Some(wavepipe_core::Config::default().timeout),
            threads: 0,
            out_of_lds: OutOfLds::Fault,
            observe: Observe::empty(),
            guest_checks: GuestChecks::empty(),
            timing: false,
            seed: None,
            trace: None,
            policy: None,
            reserve_cus: 0,
            jit: Jit::On,
            host: HostEngine::Best,
            cache: None,
            debug: DebugFlags::empty(),
            compute_only: false,
            radeon: false,
            engines: Engines::Standard,
            names: false,
            conformance: None,
        }
    }
}

impl Config {
    /// What the emulated GPU is made with.
    pub fn emulated(&self) -> wavepipe_core::Config {
        wavepipe_core::Config {
            machine: self.machine.clone(),
            threads: self.threads,
            timeout: self.timeout.unwrap_or(Duration::ZERO),
            memory_bytes: memory_bytes(),
            out_of_lds: self.out_of_lds,
            guest_checks: self.guest_checks,
            observe: self.observe,
            policy: self.policy,
        }
    }

    /// The generation whose code the device runs.
    pub fn isa(&self) -> Gen {
        self.machine.generation()
    }

    /// The wave size of a pipeline that asks for this one, or for none.
    ///
    /// # Errors
    /// The machine has no such waves.
    pub fn wave_size(&self, asked: Option<WaveSize>) -> Result<WaveSize, Error> {
        let isa = self.isa();
        match asked.or(self.wave) {
            None => Ok(WaveSize::least(isa)),
            Some(wave) if wave.is_of(isa) => Ok(wave),
            Some(wave) => {
                let message = format!("waves of {} lanes; {} has waves of 64 only", wave.lanes(), isa.name());
                Err(Error::Invalid(message))
            }
        }
    }

    /// Whether somebody sees guest code run, for whom all kernels have waves of the same size.
    pub fn is_looked_at(&self) -> bool {
        let on_a_clock = self.timing || self.seed.is_some() || self.trace.is_some();
        on_a_clock || self.names || !self.guest_checks.is_empty() || !self.observe.is_empty()
    }

    /// The default, but that the compiler checks itself: for tests.
    pub fn checked() -> Self {
        Config { debug: DebugFlags::CHECKS, ..Config::default() }
    }

    /// As that, and the interpreter runs all guest code and checks its waits; what it finds is a fault.
    pub fn watched() -> Self {
        Config { guest_checks: GuestChecks::WAIT | GuestChecks::STOP, ..Config::checked() }
    }

    /// Whether the compiler checks itself.
    pub fn checks(&self) -> Checks {
        if self.debug.contains(DebugFlags::CHECKS) { Checks::On } else { Checks::Off }
    }

    /// What code is to tell of itself, for the checks that need it.
    pub fn instrument(&self) -> Instrument {
        let needs = [
            (GuestChecks::MEM, Instrument::INDEX),
            (GuestChecks::NUM, Instrument::NUM),
            (GuestChecks::RACE | GuestChecks::SYNC, Instrument::ORDER),
            (GuestChecks::INIT, Instrument::UNDEFINED),
        ];
        let needed = needs.into_iter().filter(|(check, _)| self.guest_checks.intersects(*check)).map(|(_, what)| what);
        let counts = self.observe.contains(Observe::COVERAGE).then_some(Instrument::COVERAGE);
        needed.chain(counts).collect()
    }

    /// Reads the environment. What is wrong there is reported on stderr once per process.
    pub fn from_env() -> Environment {
        let environment = Self::parse(|name| std::env::var_os(name));
        static REPORTED: Once = Once::new();
        if !environment.complaints.is_empty() {
            REPORTED.call_once(|| environment.complaints.iter().for_each(|c| report(c)));
        }
        environment
    }

    /// Sets what an environment variable would.
    ///
    /// # Errors
    /// There is no such variable, or it does not take this; nothing is changed then.
    pub fn set(&mut self, variable: &str, text: &str) -> Result<(), String> {
        let found = VARIABLES.iter().find(|v| v.name == variable);
        let Variable { takes, set, .. } = found.ok_or_else(|| format!("there is no variable {variable}"))?;
        set(self, text).map_err(|why| format!("{why}; use {takes}"))
    }

    /// Whether the machine runs on a clock of its own.
    pub fn timed(&self) -> bool {
        self.timing || self.trace.is_some() || self.seed.is_some()
    }

    /// What host code is made for, if any is: what runs on a clock or by a seed is the interpreter's.
    pub fn host_code(&self) -> Option<HostIsa> {
        let target = match self.host {
            HostEngine::Best => wavepipe_jit::best(),
            HostEngine::Only(target) => Some(target),
            HostEngine::Interpreter => None,
        };
        target.filter(|target| target.is_present() && self.jit != Jit::Off && !self.timed())
    }

    /// The same from any source of variables; reports nothing.
    pub fn parse(var: impl Fn(&str) -> Option<OsString>) -> Environment {
        Config { cache: users_cache(&var), ..Config::default() }.under(var)
    }

    /// This, with what variables say laid over it.
    pub fn under(self, var: impl Fn(&str) -> Option<OsString>) -> Environment {
        let config = self;
        let mut environment = Environment { config, complaints: Vec::new(), refusal: None };
        for Variable { name, takes, wrong, set } in VARIABLES {
            let Some(value) = var(name) else { continue };
            let complaint = match value.to_str().map(str::trim) {
                Some("") => continue,
                Some(text) => set(&mut environment.config, text).err(),
                None => Some("not Unicode".into()),
            };
            let Some(why) = complaint else { continue };
            let told = format!("{name}={}: {why}; use {takes}", value.display());
            match wrong {
                Wrong::Default => environment.complaints.push(told),
                Wrong::Refused => environment.refusal = Some(told),
            }
        }
        environment
    }
}

/// What the environment says.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// With the default in place of each value that makes no sense.
    pub config: Config,
    /// Values that make no sense, each with what would.
    pub complaints: Vec<String>,
    /// The same of one in whose place no default is meant: who would run another card than the one that was asked for, runs
    /// nothing.
    pub refusal: Option<String>,
}

impl Environment {
    /// The configuration.
    ///
    /// # Errors
    /// The refusal.
    pub fn accepted(&self) -> Result<&Config, Error> {
        self.refusal.as_ref().map_or(Ok(&self.config), |why| Err(Error::Environment(why.clone())))
    }

    /// Everything that is wrong with it.
    pub fn wrong(&self) -> impl Iterator<Item = &String> {
        self.refusal.iter().chain(&self.complaints)
    }
}

/// `wavepipe` in the user's folder of caches, as the XDG Base Directory Specification has it: a relative path does not count.
fn users_cache(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| var(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let user = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    user.map(|folder| folder.join("wavepipe"))
}

/// Diagnostics go to stderr; a closed stderr is no reason to fail.
pub(crate) fn report(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "wavepipe: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &'static str, value: &'static str) -> (Config, Vec<String>) {
        told(Config::parse(|n| (n == name).then(|| value.into())))
    }

    fn told(environment: Environment) -> (Config, Vec<String>) {
        let complaints = environment.wrong().cloned().collect();
        (environment.config, complaints)
    }

    #[test]
    fn values() {
        assert_eq!(parse("WAVEPIPE_MACHINE", "rx5500xt").0.machine.name, "rx5500xt");
        assert_eq!(parse("WAVEPIPE_WAVE", "64").0.wave, Some(WaveSize::W64));
        assert_eq!(parse("WAVEPIPE_TIMEOUT", "1.5s").0.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(parse("WAVEPIPE_TIMEOUT", "250").0.timeout, Some(Duration::from_millis(250)));
        assert_eq!(parse("WAVEPIPE_TIMEOUT", "250ms").0.timeout, Some(Duration::from_millis(250)));
        assert_eq!(parse("WAVEPIPE_TIMEOUT", "off").0.timeout, None);
        assert_eq!(parse("WAVEPIPE_CACHE", "off").0.cache, None);
        assert_eq!(parse("WAVEPIPE_CACHE", "folder").0.cache, Some("folder".into()));
        assert_eq!(parse("WAVEPIPE_CACHE", "folder/in/it").0.cache, Some("folder/in/it".into()));
        assert_eq!(parse("XDG_CACHE_HOME", "/var").0.cache, Some("/var/wavepipe".into()));
        assert_eq!(parse("HOME", "/var").0.cache, Some("/var/.cache/wavepipe".into()));
        assert_eq!(parse("HOME", "var").0.cache, None);
        assert_eq!(parse("WAVEPIPE_LDS", "ignore").0.out_of_lds, OutOfLds::Ignore);
        assert_eq!(parse("WAVEPIPE_CHECK", "wait").0.guest_checks, GuestChecks::WAIT);
        assert_eq!(parse("WAVEPIPE_CHECK", "all, stop").0.guest_checks, GuestChecks::ALL | GuestChecks::STOP);
        let named = GuestChecks::NAMES.iter().fold(GuestChecks::empty(), |all, (_, check)| all | *check);
        assert_eq!(named, GuestChecks::all());
        assert!(parse("WAVEPIPE_TIMING", "1").0.timing);
        let seeded = parse("WAVEPIPE_SEED", "18446744073709551615").0;
        assert!(seeded.seed == Some(u64::MAX) && seeded.timed() && !seeded.timing);
        let traced = parse("WAVEPIPE_TRACE", "x.pftrace").0;
        assert!(traced.timed() && traced.trace == Trace::at("x.pftrace").ok());
        assert_eq!(parse("WAVEPIPE_TUNNEL", "share").0.policy, Some(Policy::Share));
        assert_eq!(parse("WAVEPIPE_TUNNEL", "limit").0.policy, Some(Policy::Limit));
        assert_eq!(parse("WAVEPIPE_TUNNEL", "tunnel").0.policy, Some(Policy::Tunnel));
        assert_eq!(parse("WAVEPIPE_RESERVE_CUS", "4").0.reserve_cus, 4);
        assert_eq!(parse("WAVEPIPE_RESERVE_CUS", "38").0.reserve_cus, 38);
        assert_eq!(parse("WAVEPIPE_JIT", "off").0.jit, Jit::Off);
        assert_eq!(parse("WAVEPIPE_JIT", "always").0.jit, Jit::Always);
        assert_eq!(parse("WAVEPIPE_HOST", "interpreter").0.host, HostEngine::Interpreter);
        for target in HostIsa::ALL {
            let (config, warnings) = parse("WAVEPIPE_HOST", target.name());
            assert_eq!(config.host == HostEngine::Only(target), target.is_present());
            assert_eq!(warnings.is_empty(), target.is_present());
        }
        assert_eq!(parse("WAVEPIPE_DEBUG", "isa, packets").0.debug, DebugFlags::ISA | DebugFlags::PACKETS);
        assert_eq!(parse("WAVEPIPE_DEBUG", "checks").0, Config::checked());
        let check = VARIABLES.iter().find(|v| v.name == "WAVEPIPE_CHECK").unwrap();
        assert!(GuestChecks::NAMES.iter().all(|(name, _)| check.takes.contains(name)), "{}", check.takes);
        let debug = VARIABLES.iter().find(|v| v.name == "WAVEPIPE_DEBUG").unwrap();
        assert!(DEBUG_FLAGS.iter().all(|(name, _)| debug.takes.contains(name)), "{}", debug.takes);
        assert_eq!((Config::checked().checks(), Config::default().checks()), (Checks::On, Checks::Off));
        assert!(parse("WAVEPIPE_COMPUTE_ONLY", "1").0.compute_only);
        assert!(parse("WAVEPIPE_IDENTITY", "radeon").0.radeon);
        assert_eq!(parse("WAVEPIPE_CONFORMANCE", "1.3.7.12").0.conformance, Some([1, 3, 7, 12]));
        assert_eq!(parse("WAVEPIPE_ENGINES", "off").0.engines, Engines::off());
    }

    #[test]
    fn waves_are_those_of_the_machine() {
        let on = |machine: &str, wave: &str| {
            let machine = format!("{}/../tests/machines/{machine}.toml", env!("CARGO_MANIFEST_DIR"));
            let set = [("WAVEPIPE_MACHINE", machine), ("WAVEPIPE_WAVE", wave.to_owned())];
            told(Config::parse(|n| set.iter().find(|(name, _)| *name == n).map(|(_, value)| value.into())))
        };
        for (machine, least) in [("gfx1030", 32), ("gfx900", 64), ("gfx701", 64), ("gfx600", 64)] {
            let (config, complaints) = on(machine, "");
            assert_eq!((config.isa().name(), complaints), (machine, Vec::new()));
            assert_eq!(config.wave_size(None).unwrap().lanes(), least);
            assert_eq!(crate::machine::Info::of(&config.machine).subgroup_sizes, [least, 64]);
            assert_eq!(config.wave_size(Some(WaveSize::W64)).unwrap(), WaveSize::W64);
            let told = on(machine, "32").1.join("\n");
            let refused = format!("{machine} has waves of 64 only; use ");
            assert_eq!((told.contains(&refused), told.is_empty()), (least == 64, least == 32), "{told}");
            assert_eq!(config.wave_size(Some(WaveSize::W32)).is_ok(), least == 32);
        }
    }

    /// For each variable values that make no sense; every row of the table has some.
    const NONSENSE: &[(&str, &[&str])] = &[
        ("WAVEPIPE_MACHINE", &["rx6800", "nowhere/mine.toml", "/proc/self/mem.toml", "/"]),
        ("WAVEPIPE_WAVE", &["16", "sixty-four", "32 64"]),
        ("WAVEPIPE_TIMEOUT", &["soon", "-1", "0", "1e-9", "NaN", "infs", "1e300s"]),
        ("WAVEPIPE_THREADS", &["many", "-1", "1025", "1.5", "18446744073709551616"]),
        ("WAVEPIPE_TIMING", &["soon", "yes", "2"]),
        ("WAVEPIPE_SEED", &["random", "-1", "1.5", "0x10", "18446744073709551616", "1..4"]),
        ("WAVEPIPE_LDS", &["maybe"]),
        ("WAVEPIPE_TUNNEL", &["dig"]),
        ("WAVEPIPE_RESERVE_CUS", &["-1", "39", "1000000", "4294967297", "all"]),
        ("WAVEPIPE_JIT", &["sometimes"]),
        ("WAVEPIPE_HOST", &["fast", "avx512,avx2", "AVX2"]),
        ("WAVEPIPE_CACHE", &["/dev/null", "/dev/null/x", "/proc/version/a/b"]),
        ("WAVEPIPE_TRACE", &["trace.txt", "no/such/folder/x.pftrace"]),
        ("WAVEPIPE_TRACE_DETAIL", &["all", "instructions"]),
        ("WAVEPIPE_CHECK", &["weight", "wait;race", "wait,weight"]),
        ("WAVEPIPE_DEBUG", &["everything", "api;isa", "api,radeon"]),
        ("WAVEPIPE_COMPUTE_ONLY", &["maybe", "true"]),
        ("WAVEPIPE_IDENTITY", &["geforce", "Radeon"]),
        (
            "WAVEPIPE_ENGINES",
            &["on", "no/such.toml", "/proc/self/mem.toml", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")],
        ),
        ("WAVEPIPE_CONFORMANCE", &["a.b", "1.3.7", "1.3.7.12.1", "1.3.x.0", "1.3.256.0"]),
    ];

    #[test]
    fn nonsense_is_reported_and_sets_nothing() {
        let names = |list: Vec<&'static str>| std::collections::BTreeSet::from_iter(list);
        let all = names(VARIABLES.iter().map(|v| v.name).collect());
        assert_eq!(names(NONSENSE.iter().map(|(name, _)| *name).collect()), all);
        assert_eq!(all.len(), VARIABLES.len());
        for Variable { name, takes, .. } in VARIABLES {
            let (_, values) = NONSENSE.iter().find(|(n, _)| n == name).unwrap();
            for value in *values {
                let (config, complaints) = parse(name, value);
                assert_eq!(config, Config::default(), "{name}={value}");
                let [complaint] = &complaints[..] else { panic!("{name}={value}: {complaints:?}") };
                assert!(
                    complaint.starts_with(&format!("{name}={value}: ")) && complaint.ends_with(takes),
                    "{complaint}"
                );
            }
            let raw = std::os::unix::ffi::OsStringExt::from_vec(vec![b'3', 0xff]);
            let raw = told(Config::parse(|n| (n == *name).then_some(&raw).cloned()));
            assert!(raw.0 == Config::default() && raw.1.len() == 1 && raw.1[0].contains("not Unicode"), "{:?}", raw.1);
            assert_eq!(parse(name, " "), (Config::default(), vec![]), "{name}: nothing is nothing");
        }
    }

    #[test]
    fn another_card_than_the_one_that_was_asked_for_runs_nothing() {
        let environment =
            |name: &'static str, value: &'static str| Config::parse(|n| (n == name).then(|| value.into()));
        let refused = |value| environment("WAVEPIPE_MACHINE", value).accepted().unwrap_err().to_string();
        let why = refused("rx5700");
        assert!(why.contains("mean rx5700xt?"), "{why}");
        assert!(refused("gfx1201").contains("no machine executes gfx1201"));
        assert_eq!(environment("WAVEPIPE_MACHINE", "gfx1012").accepted().unwrap().machine.name, "rx5500xt");
        assert_eq!(environment("WAVEPIPE_WAVE", "16").accepted().unwrap(), &Config::default());
    }

    #[test]
    fn the_documents_list_the_variables_that_there_are() {
        let listed = include_str!("../../docs/environment.md");
        let listed = listed.lines().filter_map(|line| line.strip_prefix("| `WAVEPIPE_"));
        let listed: Vec<String> =
            listed.map(|rest| format!("WAVEPIPE_{}", rest.split(['=', '`']).next().unwrap())).collect();
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        assert_eq!(sorted(listed), sorted(VARIABLES.iter().map(|v| v.name.into()).collect()));
    }
}
