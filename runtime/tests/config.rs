//! What environment variables set, and what becomes of those that make no sense.

use std::time::Duration;
use wavepipe_compiler::Checks;
use wavepipe_runtime::engines::Engines;
use wavepipe_runtime::tested::DEBUG_FLAGS;
use wavepipe_runtime::*;

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
        assert_eq!(machine::Info::of(&config.machine).subgroup_sizes, [least, 64]);
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
            assert!(complaint.starts_with(&format!("{name}={value}: ")) && complaint.ends_with(takes), "{complaint}");
        }
        let raw = std::os::unix::ffi::OsStringExt::from_vec(vec![b'3', 0xff]);
        let raw = told(Config::parse(|n| (n == *name).then_some(&raw).cloned()));
        assert!(raw.0 == Config::default() && raw.1.len() == 1 && raw.1[0].contains("not Unicode"), "{:?}", raw.1);
        assert_eq!(parse(name, " "), (Config::default(), vec![]), "{name}: nothing is nothing");
    }
}

#[test]
fn another_card_than_the_one_that_was_asked_for_runs_nothing() {
    let environment = |name: &'static str, value: &'static str| Config::parse(|n| (n == name).then(|| value.into()));
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
