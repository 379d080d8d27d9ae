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
pub const DEBUG_FLAGS: &[(&str, DebugFlags)] = &[
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
