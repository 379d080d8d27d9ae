//! Hostile surroundings: damaged modules and code objects that run, damaged caches and machine files, nonsense in the
//! environment, processes killed while they write. None makes a crash, a hang or a wrong answer in silence. One file an axis;
//! each prints what it tried, and fails if that was nothing. By hand, without end:
//!
//! ```text
//! WAVEPIPE_FUZZ_SECONDS=3600 WAVEPIPE_FUZZ_SEED=1000000 cargo test --release -p wavepipe-tests hostile:: -- --nocapture
//! ```

mod cache;
mod code_objects;
mod environment;
mod inputs;
mod machines;
mod modules;
mod pipeline_caches;
mod same;

use std::fmt::Display;
use std::io::Write as _;
use std::time::{Duration, Instant};
use wavepipe_runtime::simple::{Job, Session, entry_point};
use wavepipe_runtime::{Config, Error, FaultKind, WaveSize};
use wavepipe_tests::host_time::PATIENCE;
use wavepipe_tests::random::Random;
use wavepipe_tests::spirv::generate::{Case, case};

type Buffers = Vec<Vec<u8>>;

/// Seconds of an axis in the gate.
const SECONDS: u64 = 4;
/// A dispatch of a damaged program that takes longer is given up: most are over in less than a hundredth of it. What must end is
/// not run with it, as a busy machine gives it little.
const LIMIT: Duration = Duration::from_millis(200);

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Gives numbers of tries, as long as there is time, and `least` of them: with those the gate sees all that the axis is to see. Each
/// is said before it begins, so that a crash has a name.
fn tries(axis: &str, least: u64) -> impl Iterator<Item = u64> {
    let end = Instant::now() + Duration::from_secs(setting("WAVEPIPE_FUZZ_SECONDS").unwrap_or(SECONDS));
    let first = setting("WAVEPIPE_FUZZ_SEED").unwrap_or(1);
    (first..).take_while(move |seed| {
        let more = Instant::now() < end || *seed - first < least;
        if more {
            let mut out = std::io::stdout().lock();
            let _ = write!(out, "\r{axis} {seed} ");
            let _ = out.flush();
        }
        more
    })
}

/// How often each thing happened.
#[derive(Default)]
struct Count(std::collections::BTreeMap<String, u64>);

impl Count {
    fn add(&mut self, what: impl Display) {
        *self.0.entry(what.to_string()).or_default() += 1;
    }

    fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// Prints the axis's counts; each of `all` happened.
    #[track_caller]
    fn done(&self, axis: &str, all: &[&str]) {
        println!("\n{axis}: {:?}", self.0);
        for what in all {
            assert!(self.of(what) > 0, "{axis}: nothing was {what}");
        }
    }
}

/// Small devices for programs that may do anything.
fn config(seed: u64) -> Config {
    let wave = Some(if seed.is_multiple_of(2) { WaveSize::W32 } else { WaveSize::W64 });
    Config { timeout: Some(LIMIT), threads: 1, wave, ..Config::default() }
}

/// Gives the same for programs that must end.
fn patient(seed: u64) -> Config {
    Config { timeout: Some(PATIENCE), ..config(seed) }
}

/// A module's entry point, with the buffers of a case.
fn job(case: &Case, words: &[u32]) -> Result<Job, Error> {
    let entry = entry_point(words, None)?;
    let push = case.push[..case.push.len().min(entry.push_constant_bytes as usize)].to_vec();
    let given = |n: usize| entry.resources.iter().any(|r| (r.set, r.binding) == (0, n as u32));
    let buffers = case.buffers.iter().enumerate().filter(|(n, _)| given(*n));
    let buffers = buffers.map(|(n, bytes)| (0, n as u32, bytes.clone())).collect();
    Ok(Job { words: words.to_vec(), groups: case.groups, buffers, push, ..Job::default() })
}

fn run(session: &Session, case: &Case) -> Result<Buffers, Error> {
    session.run(&job(case, &case.module.words())?)
}

/// What became of a damaged program: `ran`, `refused` or `lost`, none of which is our own failure.
#[track_caller]
fn harmless(result: &Result<Buffers, Error>, what: &dyn Display) -> &'static str {
    match result {
        Ok(_) => "ran",
        Err(Error::DeviceLost(fault)) => {
            assert!(!matches!(fault.kind, FaultKind::Internal { .. }), "{what}: {fault}");
            "lost"
        }
        Err(Error::Internal(why)) => panic!("{what}: {why}"),
        Err(_) => "refused",
    }
}

/// Damages bytes: flips, runs of one value, cuts, repetitions and moves.
fn damage(bytes: &mut Vec<u8>, r: &mut Random) {
    for _ in 0..1 + r.below(4) {
        if bytes.is_empty() {
            return bytes.push(r.bits() as u8);
        }
        let at = r.below(bytes.len());
        let end = bytes.len().min(at + 1 + r.below(32));
        match r.below(8) {
            0..3 => bytes[at] ^= 1 << r.below(8),
            3 => bytes[at] = r.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            4 => bytes[at..end].fill(r.pick(&[0, 0xff])),
            5 => bytes.truncate(at),
            6 => drop(bytes.drain(at..end)),
            _ => {
                let again = bytes[at..end].to_vec();
                let place = r.below(bytes.len());
                bytes.splice(place..place, again);
            }
        }
    }
}

/// A few cases whose answers do not depend on the size of waves, and the answers.
fn answers() -> Vec<(Case, Buffers)> {
    let session = Session::new(&Config { threads: 1, ..Config::default() }).unwrap();
    let cases = (1..200).map(|seed| case(seed, 12)).filter(|case| !case.subgroups);
    let answered: Vec<_> =
        cases.filter_map(|case| run(&session, &case).ok().map(|answer| (case, answer))).take(6).collect();
    assert_eq!(answered.len(), 6);
    answered
}

/// A folder of this process.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = wavepipe_tests::scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
