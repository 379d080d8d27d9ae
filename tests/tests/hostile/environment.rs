//! Nonsense in the environment: every value is taken, or gets a word that names its variable and sets nothing; what is
//! taken makes a device that works.

use super::*;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use wavepipe_runtime::{VARIABLES, Variable};

/// What values are made of: some that variables take, and some that look like those.
const PIECES: &[&str] = &[
    "0",
    "1",
    "2",
    "32",
    "64",
    "on",
    "off",
    "always",
    "share",
    "limit",
    "tunnel",
    "fault",
    "ignore",
    "waves",
    "api",
    "isa",
    "packets",
    "instructions",
    "radeon",
    "rx5700xt",
    "rx5500xt",
    "rx6800",
    ".toml",
    ".pftrace",
    "s",
    "ms",
    "-",
    "+",
    ".",
    ",",
    "/",
    " ",
    "\t",
    "1e9",
    "1e-9",
    "inf",
    "NaN",
    "1.3.0.0",
    "255",
    "256",
    "4294967296",
    "18446744073709551616",
    "é",
    "\u{0}",
    "=",
    "no/such",
    "true",
    "maybe",
];

fn value(r: &mut Random) -> OsString {
    let text: String = (0..1 + r.below(3)).map(|_| r.pick(PIECES)).collect();
    let mut bytes = text.into_bytes();
    if r.one_in(6) {
        damage(&mut bytes, r);
    }
    OsString::from_vec(bytes)
}

#[test]
fn nonsense_in_the_environment_gets_a_word() {
    let mut count = Count::default();
    let (case, answer) = answers().remove(0);
    for seed in tries("environment", 220) {
        let mut r = Random(seed);
        let Variable { name, takes, .. } = &VARIABLES[r.below(VARIABLES.len())];
        let value = value(&mut r);
        let environment = Config::parse(|n| (n == *name).then(|| value.clone()));
        let complaints: Vec<&String> = environment.wrong().collect();
        let config = environment.config.clone();
        match &complaints[..] {
            [] => count.add("taken"),
            [complaint] => {
                assert!(complaint.starts_with(*name) && complaint.ends_with(*takes), "{complaint}");
                assert_eq!(config, Config::default(), "{name}={value:?} is no good, and changes something");
                count.add("reported");
            }
            more => panic!("{name}={value:?}: {more:?}"),
        }
        // A folder or a trace may be anywhere; times and threads may be many.
        if complaints.is_empty() && r.one_in(8) && !name.contains("TRACE") && !name.contains("CACHE") {
            let config = Config { threads: config.threads.min(8), timeout: Some(PATIENCE), ..config };
            let session = Session::new(&config).unwrap_or_else(|e| panic!("{name}={value:?}: {e}"));
            assert_eq!(run(&session, &case).unwrap(), answer, "{name}={value:?}");
            count.add("run");
        }
    }
    count.done("environment", &["taken", "reported", "run"]);
}
