//! What the user can set from outside: environment variables, each with a default, each checked.

use crate::trace::Trace;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Once};
use std::time::Duration;
use wavepipe_compiler::Checks;
use wavepipe_core::{OutOfLds, Policy};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::machine::Machine;
use wavepipe_timing::trace::Detail;

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
        /// `fault`: print a GPU fault at once, not only when a call returns it.
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

/// How a device is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The card that is emulated. `WAVEPIPE_MACHINE` = `rx5700xt` (default), `rx5600xt`, `rx5500xt`, or a description's path
    /// that ends in `.toml`.
    pub machine: Arc<Machine>,
    /// Wave size of pipelines that do not ask for one. `WAVEPIPE_WAVE` = `32` (default) or `64`.
    pub wave: WaveSize,
    /// A dispatch that runs longer loses the device; `None` = never. `WAVEPIPE_TIMEOUT` = `60s` (default), `500ms`, a plain
    /// number of milliseconds, or `off`.
    pub timeout: Option<Duration>,
    /// Host threads that execute work-groups; 0 = one per hardware thread. `WAVEPIPE_THREADS`.
    pub threads: usize,
    /// What an access outside of a work-group's LDS does. `WAVEPIPE_LDS` = `fault` (default) or `ignore`.
    pub out_of_lds: OutOfLds,
    /// The machine runs on a clock of its own, in cycles of the card. `WAVEPIPE_TIMING` = `1` or `0` (default).
    pub timing: bool,
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
    /// Folder of compiled code that outlives the process; `None` = no such cache. `WAVEPIPE_CACHE` = `off` or a folder; by
    /// default `wavepipe` in the user's cache folder (`XDG_CACHE_HOME`, or `.cache` at home).
    pub cache: Option<PathBuf>,
    /// `WAVEPIPE_DEBUG`.
    pub debug: DebugFlags,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            machine: Machine::standard(),
            wave: WaveSize::W32,
            timeout: Some(wavepipe_core::Config::default().timeout),
            threads: 0,
            out_of_lds: OutOfLds::Fault,
            timing: false,
            trace: None,
            policy: None,
            reserve_cus: 0,
            jit: Jit::On,
            cache: None,
            debug: DebugFlags::empty(),
        }
    }
}

impl Config {
    /// The default, but that the compiler checks itself: for tests.
    pub fn checked() -> Self {
        Config { debug: DebugFlags::CHECKS, ..Config::default() }
    }

    /// Whether the compiler checks itself.
    pub fn checks(&self) -> Checks {
        if self.debug.contains(DebugFlags::CHECKS) { Checks::On } else { Checks::Off }
    }

    /// Reads the environment. A value that makes no sense is reported on stderr once per process, and the default kept.
    pub fn from_env() -> Self {
        let (config, complaints) = Self::parse(|name| std::env::var(name).ok());
        static REPORTED: Once = Once::new();
        if !complaints.is_empty() {
            REPORTED.call_once(|| complaints.iter().for_each(|c| report(c)));
        }
        config
    }

    /// Whether the machine runs on a clock of its own.
    pub fn timed(&self) -> bool {
        self.timing || self.trace.is_some()
    }

    /// The same from any source of variables; gives the complaints back.
    pub fn parse(var: impl Fn(&str) -> Option<String>) -> (Self, Vec<String>) {
        let mut config = Config::default();
        let mut complaints = Vec::new();
        if let Some(v) = var("WAVEPIPE_MACHINE") {
            match Machine::open(v.trim()) {
                Ok(machine) => config.machine = Arc::new(machine),
                Err(e) => complaints.push(format!("WAVEPIPE_MACHINE: {e}")),
            }
        }
        if let Some(v) = var("WAVEPIPE_WAVE") {
            match v.trim() {
                "32" => config.wave = WaveSize::W32,
                "64" => config.wave = WaveSize::W64,
                _ => complaints.push(format!("WAVEPIPE_WAVE={v}: not a wave size; use 32 or 64")),
            }
        }
        if let Some(v) = var("WAVEPIPE_TIMEOUT") {
            match parse_timeout(v.trim()) {
                Some(t) => config.timeout = t,
                None => complaints.push(format!("WAVEPIPE_TIMEOUT={v}: not a time; use 10s, 500ms, 500 or off")),
            }
        }
        if let Some(v) = var("WAVEPIPE_THREADS") {
            match v.trim().parse::<usize>() {
                Ok(n) if n <= 1024 => config.threads = n,
                _ => complaints.push(format!("WAVEPIPE_THREADS={v}: not a number of threads; use 0 (all) to 1024")),
            }
        }
        if let Some(v) = var("WAVEPIPE_LDS") {
            match v.trim() {
                "fault" => config.out_of_lds = OutOfLds::Fault,
                "ignore" => config.out_of_lds = OutOfLds::Ignore,
                _ => complaints.push(format!("WAVEPIPE_LDS={v}: not a choice; use fault or ignore")),
            }
        }
        if let Some(v) = var("WAVEPIPE_TIMING") {
            match v.trim() {
                "1" => config.timing = true,
                "0" => config.timing = false,
                _ => complaints.push(format!("WAVEPIPE_TIMING={v}: not a choice; use 1 or 0")),
            }
        }
        if let Some(v) = var("WAVEPIPE_TRACE").filter(|v| !v.is_empty()) {
            match Trace::at(&v) {
                Ok(trace) => config.trace = Some(trace),
                Err(e) => complaints.push(format!("WAVEPIPE_TRACE={e}")),
            }
        }
        if let Some(v) = var("WAVEPIPE_TRACE_DETAIL") {
            match (v.trim(), &mut config.trace) {
                ("waves", _) => {}
                ("instructions", Some(trace)) => trace.detail = Detail::Instructions,
                ("instructions", None) => {
                    complaints.push(format!("WAVEPIPE_TRACE_DETAIL={v}: there is no WAVEPIPE_TRACE"))
                }
                _ => complaints.push(format!("WAVEPIPE_TRACE_DETAIL={v}: not a choice; use waves or instructions")),
            }
        }
        if let Some(v) = var("WAVEPIPE_TUNNEL") {
            match v.trim() {
                "share" => config.policy = Some(Policy::Share),
                "limit" => config.policy = Some(Policy::Limit),
                "tunnel" => config.policy = Some(Policy::Tunnel),
                _ => complaints.push(format!("WAVEPIPE_TUNNEL={v}: not a policy; use share, limit or tunnel")),
            }
        }
        if let Some(v) = var("WAVEPIPE_RESERVE_CUS") {
            match v.trim().parse() {
                Ok(n) => config.reserve_cus = n,
                Err(_) => complaints.push(format!("WAVEPIPE_RESERVE_CUS={v}: not a number of compute units")),
            }
        }
        if let Some(v) = var("WAVEPIPE_JIT") {
            match v.trim() {
                "on" => config.jit = Jit::On,
                "off" => config.jit = Jit::Off,
                "always" => config.jit = Jit::Always,
                _ => complaints.push(format!("WAVEPIPE_JIT={v}: not a choice; use on, off or always")),
            }
        }
        config.cache = match var("WAVEPIPE_CACHE").as_deref().map(str::trim) {
            Some("off") => None,
            Some(folder) if !folder.is_empty() => Some(folder.into()),
            _ => {
                let absolute = |name: &str| var(name).map(PathBuf::from).filter(|p| p.is_absolute());
                let user = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
                user.map(|folder| folder.join("wavepipe"))
            }
        };
        for name in var("WAVEPIPE_DEBUG").iter().flat_map(|v| v.split(',')).map(str::trim).filter(|n| !n.is_empty()) {
            match DEBUG_FLAGS.iter().find(|(n, _)| *n == name) {
                Some((_, flag)) => config.debug |= *flag,
                None => {
                    let known: Vec<_> = DEBUG_FLAGS.iter().map(|(n, _)| *n).collect();
                    complaints.push(format!("WAVEPIPE_DEBUG: unknown flag `{name}`; known are {}", known.join(", ")));
                }
            }
        }
        (config, complaints)
    }
}

/// `None` = not a time; `Some(None)` = no limit.
fn parse_timeout(text: &str) -> Option<Option<Duration>> {
    if text == "off" {
        return Some(None);
    }
    let (number, unit_ms) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(n), _) => (n, 1.0),
        (None, Some(n)) => (n, 1000.0),
        (None, None) => (text, 1.0),
    };
    let ms = number.trim().parse::<f64>().ok()? * unit_ms;
    (ms > 0.0 && ms < 1e12).then(|| Some(Duration::from_micros((ms * 1000.0) as u64)))
}

/// Diagnostics go to stderr; a closed stderr is no reason to fail.
pub(crate) fn report(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "wavepipe: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &'static str, value: &'static str) -> (Config, Vec<String>) {
        Config::parse(|n| (n == name).then(|| value.to_string()))
    }

    #[test]
    fn values() {
        assert_eq!(parse("WAVEPIPE_MACHINE", "rx5500xt").0.machine.name, "rx5500xt");
        assert_eq!(parse("WAVEPIPE_WAVE", "64").0.wave, WaveSize::W64);
        assert_eq!(parse("WAVEPIPE_TIMEOUT", "1.5s").0.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(parse("WAVEPIPE_TIMEOUT", "250").0.timeout, Some(Duration::from_millis(250)));
        assert_eq!(parse("WAVEPIPE_TIMEOUT", "250ms").0.timeout, Some(Duration::from_millis(250)));
        assert_eq!(parse("WAVEPIPE_TIMEOUT", "off").0.timeout, None);
        assert_eq!(parse("WAVEPIPE_CACHE", "off").0.cache, None);
        assert_eq!(parse("WAVEPIPE_CACHE", "folder").0.cache, Some("folder".into()));
        assert_eq!(parse("XDG_CACHE_HOME", "/var").0.cache, Some("/var/wavepipe".into()));
        assert_eq!(parse("HOME", "/var").0.cache, Some("/var/.cache/wavepipe".into()));
        assert_eq!(parse("HOME", "var").0.cache, None);
        assert_eq!(parse("WAVEPIPE_LDS", "ignore").0.out_of_lds, OutOfLds::Ignore);
        assert!(parse("WAVEPIPE_TIMING", "1").0.timing);
        let traced = parse("WAVEPIPE_TRACE", "x.pftrace").0;
        assert!(traced.timed() && traced.trace == Trace::at("x.pftrace").ok());
        assert_eq!(parse("WAVEPIPE_TUNNEL", "share").0.policy, Some(Policy::Share));
        assert_eq!(parse("WAVEPIPE_TUNNEL", "limit").0.policy, Some(Policy::Limit));
        assert_eq!(parse("WAVEPIPE_TUNNEL", "tunnel").0.policy, Some(Policy::Tunnel));
        assert_eq!(parse("WAVEPIPE_RESERVE_CUS", "4").0.reserve_cus, 4);
        assert_eq!(parse("WAVEPIPE_JIT", "off").0.jit, Jit::Off);
        assert_eq!(parse("WAVEPIPE_JIT", "always").0.jit, Jit::Always);
        assert_eq!(parse("WAVEPIPE_DEBUG", "isa, packets").0.debug, DebugFlags::ISA | DebugFlags::PACKETS);
        assert_eq!(parse("WAVEPIPE_DEBUG", "checks").0, Config::checked());
        assert_eq!((Config::checked().checks(), Config::default().checks()), (Checks::On, Checks::Off));
    }

    #[test]
    fn nonsense_is_reported_and_keeps_the_default() {
        for (name, value) in [
            ("WAVEPIPE_MACHINE", "rx9999"),
            ("WAVEPIPE_MACHINE", "nowhere/mine.toml"),
            ("WAVEPIPE_WAVE", "16"),
            ("WAVEPIPE_TIMEOUT", "soon"),
            ("WAVEPIPE_TIMEOUT", "-1"),
            ("WAVEPIPE_THREADS", "many"),
            ("WAVEPIPE_TIMING", "soon"),
            ("WAVEPIPE_TRACE", "trace.txt"),
            ("WAVEPIPE_TRACE", "no/such/folder/x.pftrace"),
            ("WAVEPIPE_TRACE_DETAIL", "all"),
            ("WAVEPIPE_TUNNEL", "dig"),
            ("WAVEPIPE_RESERVE_CUS", "-1"),
            ("WAVEPIPE_LDS", "maybe"),
            ("WAVEPIPE_JIT", "sometimes"),
            ("WAVEPIPE_DEBUG", "everything"),
        ] {
            let (config, complaints) = parse(name, value);
            assert_eq!(config, Config::default(), "{name}={value}");
            assert_eq!(complaints.len(), 1, "{name}={value}");
            assert!(complaints[0].contains(name));
        }
    }
}
