//! Random SPIR-V modules: what their machine code leaves in memory, in waves of 32 and of 64, is what the plain interpreter
//! of SPIR-V leaves there, bit for bit. A module that fails is made smaller and printed as assembly. By hand, without end:
//!
//! ```text
//! WAVEPIPE_FUZZ_SECONDS=3600 WAVEPIPE_FUZZ_SEED=1000000 cargo test --release -p wavepipe-tests spirv_random:: -- --nocapture
//! ```
//!
//! `WAVEPIPE_FUZZ_SIZE` makes modules larger, `WAVEPIPE_FUZZ_STRICT` takes what the compiler refuses for wrong, too.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wavepipe_runtime::compiler::error::ErrorKind;
use wavepipe_runtime::simple::{Job, Session, entry_point};
use wavepipe_runtime::{Config, Error, Jit, WaveSize};
use wavepipe_tests::matrix;
use wavepipe_tests::random::Random;
use wavepipe_tests::spirv::generate::{Case, case};
use wavepipe_tests::spirv::interp::{Fault, Machine, Program};
use wavepipe_tests::spirv::{self, Module, assembly, shrink};

/// Instructions that a module may execute in the interpreter.
const STEPS: u64 = 3_000_000;
/// Modules that are tried however little of them a busy machine makes in the time.
const LEAST: u64 = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Alike,
    /// The module does what SPIR-V does not define, or too much: no test.
    Undefined(String),
    /// The compiler says that it cannot.
    Refused(String),
    /// What is wrong, without numbers; and in full.
    Wrong(String, String),
}

type Buffers = Vec<Vec<u8>>;

fn interpreted(case: &Case, module: &Module, subgroup: u32) -> Result<Buffers, Fault> {
    let buffers = case.buffers.iter().enumerate().map(|(n, b)| ((0, n as u32), b.clone())).collect::<HashMap<_, _>>();
    let mut m = Machine::new(buffers, case.groups, subgroup, STEPS);
    m.push.clone_from(&case.push);
    Program::new(module)?.run(&mut m)?;
    Ok((0..case.buffers.len() as u32).filter_map(|n| m.buffers.remove(&(0, n))).collect())
}

fn executed(session: &Session, case: &Case, words: &[u32], wave: WaveSize) -> Result<Buffers, Error> {
    let entry = entry_point(words, None)?;
    let (used, push) = (entry.resources, case.push[..case.push.len().min(entry.push_constant_bytes as usize)].to_vec());
    let given = |n: usize| used.iter().any(|r| r.binding == n as u32);
    let buffers = case.buffers.iter().enumerate().filter(|(n, _)| given(*n));
    let buffers = buffers.map(|(n, b)| (0, n as u32, b.clone())).collect();
    let job = Job { words: words.to_vec(), wave: Some(wave), groups: case.groups, buffers, push, ..Job::default() };
    let mut results = session.run(&job)?.into_iter();
    Ok((0..case.buffers.len())
        .map(|n| if given(n) { results.next().unwrap_or_default() } else { case.buffers[n].clone() })
        .collect())
}

/// Where two results differ first.
fn difference(case: &Case, got: &Buffers, expected: &Buffers) -> Option<String> {
    (0..expected.len()).find_map(|n| {
        let at = (0..expected[n].len()).find(|&i| got[n][i] != expected[n][i])? / 4 * 4;
        let word =
            |b: &Vec<u8>| b[at..(at + 4).min(b.len())].iter().rev().fold(0u32, |sum, &x| sum << 8 | u32::from(x));
        let (got, expected) = (word(&got[n]), word(&expected[n]));
        let items = case.buffers[0].len() / 48;
        Some(format!("binding {n}, byte {at} ({items} work-items): machine {got:#x}, interpreter {expected:#x}"))
    })
}

thread_local! {
    /// A panic here is caught and reported with its module.
    static QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn check(session: &Session, case: &Case, module: &Module) -> Outcome {
    let words = module.words();
    let isa = session.device().config().isa();
    for wave in [WaveSize::W32, WaveSize::W64].into_iter().filter(|wave| wave.is_of(isa)) {
        let expected = match interpreted(case, module, wave.lanes()) {
            Ok(e) => e,
            Err(Fault(why)) => return Outcome::Undefined(why),
        };
        QUIET.set(true);
        let run = catch_unwind(AssertUnwindSafe(|| executed(session, case, &words, wave)));
        QUIET.set(false);
        let got = match run {
            Err(e) => {
                let text = e.downcast_ref::<String>().cloned();
                let text = text.or(e.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
                return Outcome::Wrong("panic".into(), format!("{wave:?}: panic: {text}"));
            }
            Ok(Err(Error::Compile(e))) if e.kind == ErrorKind::Unsupported => {
                let reason: String = e.message.chars().filter(|c| !c.is_ascii_digit()).collect();
                return Outcome::Refused(reason);
            }
            Ok(Err(e)) => {
                let kind = match &e {
                    Error::Compile(e) => format!("{:?}", e.kind),
                    _ => "execution".into(),
                };
                return Outcome::Wrong(kind, format!("{wave:?}: {e}"));
            }
            Ok(Ok(got)) => got,
        };
        if let Some(d) = difference(case, &got, &expected) {
            return Outcome::Wrong("difference".into(), format!("{wave:?}: {d}"));
        }
    }
    Outcome::Alike
}

/// A smaller module that is wrong in the same way.
fn smaller(session: &Session, case: &Case, kind: &str) -> Module {
    shrink::shrink(&case.module, 4000, |m| {
        matches!(check(session, case, m), Outcome::Wrong(k, _) | Outcome::Refused(k) if k == kind)
            && !matches!(spirv::validate(&m.words()), Some(Err(_)))
    })
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[derive(Default)]
struct Tally {
    alike: u64,
    /// How often, and a seed.
    refused: BTreeMap<String, (u64, u64)>,
    undefined: BTreeMap<String, (u64, u64)>,
    wrong: Vec<String>,
}

#[test]
fn random_modules_compute_what_the_interpreter_computes() {
    let ci = std::env::var_os("CI").is_some();
    let seconds = setting("WAVEPIPE_FUZZ_SECONDS").unwrap_or(if ci { 15 } else { 10 });
    let first = setting("WAVEPIPE_FUZZ_SEED").unwrap_or(1);
    let strict = setting("WAVEPIPE_FUZZ_STRICT").is_some();
    let size = setting("WAVEPIPE_FUZZ_SIZE").unwrap_or(60);
    let count = setting("WAVEPIPE_FUZZ_COUNT").unwrap_or(u64::MAX);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !QUIET.get() {
            hook(info)
        }
    }));
    std::thread::scope(|scope| {
        for thread in 0..std::thread::available_parallelism().map_or(2, |n| n.get()).clamp(2, 4) {
            let (next, tally) = (&next, &tally);
            scope.spawn(move || {
                // One thread's GPU runs everything as host code that it can, another's checks every instruction.
                let config = match thread {
                    0 => Config { jit: Jit::Always, ..Config::checked() },
                    1 => Config::watched(),
                    _ => Config::checked(),
                };
                let session = || Session::new(&config).expect("a device");
                let (session, calling) = (session(), session().inlining(0));
                // None for the default machine, which has two.
                let others: Vec<Option<Session>> = matrix::generations()
                    .into_iter()
                    .enumerate()
                    .map(|(n, machine)| {
                        (n > 0).then(|| Session::new(&Config { machine, ..config.clone() }).expect("a device"))
                    })
                    .collect();
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= count || n >= LEAST && Instant::now() >= end {
                        break;
                    }
                    let case = case(first + n, 10 + (n % size) as usize);
                    for other in matrix::of_seed(n, &others) {
                        // Every other module with all its functions called.
                        let session = match other {
                            Some(other) => other,
                            None if n % 2 == 0 => &session,
                            None => &calling,
                        };
                        let outcome = match check(session, &case, &case.module) {
                            Outcome::Refused(why) if strict => Outcome::Wrong(why.clone(), why),
                            other => other,
                        };
                        if matches!(outcome, Outcome::Wrong(..)) && tally.lock().unwrap().wrong.len() >= 3 {
                            continue;
                        }
                        let text = match &outcome {
                            Outcome::Wrong(kind, _) => {
                                let least = smaller(session, &case, kind);
                                let why = match check(session, &case, &least) {
                                    Outcome::Wrong(_, why) | Outcome::Refused(why) => why,
                                    _ => continue,
                                };
                                format!("seed {}: {why}\n{}", case.seed, assembly(&least.words()))
                            }
                            _ => String::new(),
                        };
                        let mut t = tally.lock().unwrap();
                        match outcome {
                            Outcome::Alike => t.alike += 1,
                            Outcome::Refused(why) => t.refused.entry(why).or_insert((0, case.seed)).0 += 1,
                            Outcome::Undefined(why) => t.undefined.entry(why).or_insert((0, case.seed)).0 += 1,
                            Outcome::Wrong(..) => t.wrong.push(text),
                        }
                    }
                }
            });
        }
    });
    let _ = std::panic::take_hook();
    let t = tally.into_inner().unwrap();
    let sum = |m: &BTreeMap<String, (u64, u64)>| m.values().map(|v| v.0).sum::<u64>();
    println!("{} modules alike, {} refused, {} undefined", t.alike, sum(&t.refused), sum(&t.undefined));
    for (why, (n, seed)) in t.refused.iter().chain(&t.undefined) {
        println!("   {n} times, first seed {seed}: {why}");
    }
    assert!(t.wrong.is_empty(), "{}", t.wrong.join("\n\n"));
    assert!(t.alike > 0 && sum(&t.undefined) * 4 <= t.alike, "too few modules are a test");
}

#[test]
fn random_modules_are_valid() {
    let first = setting("WAVEPIPE_FUZZ_SEED").unwrap_or(0);
    for seed in first..first + 150 {
        let case = case(seed, 10 + seed as usize % 60);
        match spirv::validate(&case.module.words()) {
            None => return wavepipe_tests::skip("spirv-val").unwrap(),
            Some(r) => assert_eq!(r, Ok(()), "seed {seed}\n{}", assembly(&case.module.words())),
        }
        assert_eq!(Module::parse(&case.module.words()).as_ref(), Ok(&case.module));
    }
}

/// Modules that failed once, as small as they became: `tests/modules`.
#[test]
fn modules_that_failed_once_stay_right() {
    let session = || Session::new(&Config::watched()).unwrap();
    let (session, calling) = (session(), session().inlining(0));
    let mut seen = 0;
    for file in std::fs::read_dir(wavepipe_tests::root().join("tests/modules")).unwrap().flatten() {
        let text = std::fs::read_to_string(file.path()).unwrap();
        let Some(words) = spirv::assembled(&text) else { return wavepipe_tests::skip("spirv-as").unwrap() };
        let words = words.unwrap_or_else(|e| panic!("{}: {e}", file.path().display()));
        let module = Module::parse(&words).unwrap();
        // The generator's buffers, for any work-group it makes.
        let mut r = Random(1);
        let mut data = |bytes: usize| (0..bytes).map(|_| r.bits() as u8).collect::<Vec<u8>>();
        let buffers = [data(4096), data(256), data(64 * 1024), data(64), data(4096)];
        let case =
            Case { seed: 0, module: module.clone(), groups: [1, 1, 1], buffers, push: Vec::new(), subgroups: true };
        for (session, how) in [(&session, "inlined"), (&calling, "called")] {
            assert_eq!(check(session, &case, &module), Outcome::Alike, "{} {how}", file.path().display());
        }
        seen += 1;
    }
    assert!(seen > 0, "no modules");
}
