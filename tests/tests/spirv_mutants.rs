//! Mutated modules: none makes the compiler panic, overflow its stack, hang, or ask for memory without bound; and one that
//! spirv-val accepts is not called malformed, and never ends in an internal error. By hand, without end:
//!
//! ```text
//! WAVEPIPE_FUZZ_SECONDS=3600 WAVEPIPE_FUZZ_SEED=1000000 cargo test --release -p wavepipe-tests spirv_mutants:: -- --nocapture
//! ```
//!
//! `WAVEPIPE_FUZZ_CORPUS` names a folder of further modules. The mutants are compiled in processes of their own, which say
//! what they begin; one that dies or says nothing for long has found something, and the next goes on behind it.

use rspirv::spirv::Op;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use wavepipe_runtime::compiler::error::ErrorKind;
use wavepipe_runtime::compiler::{Checks, CompileError, Options, compile, reflect};
use wavepipe_runtime::{Error, WaveSize, simple};
use wavepipe_tests::host_time::PATIENCE;
use wavepipe_tests::random::Random;
use wavepipe_tests::spirv::generate::case;
use wavepipe_tests::spirv::{Module, assembly, mutate, validate};
use wavepipe_tests::{processor, root, scratch};

/// Seconds of a processor that a mutant may take, in a build without optimisation.
const SECONDS: u64 = 20;
/// Bytes of address space for a process.
const MEMORY_KIB: u64 = 6 << 20;
/// A thread's stack: less than a program's first thread has.
const STACK: usize = 4 << 20;
/// Words of a module of the corpus; longer ones take too long to be worth it.
const LONGEST: usize = 8000;
/// A mutant called malformed is shown to spirv-val once in so many times.
const SAMPLE: usize = 24;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut out, mut work) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = work.pop() {
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = file.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

fn generated(n: u64) -> Vec<Vec<u32>> {
    (0..n).map(|seed| case(seed, 4 + seed as usize % 40).module.words()).collect()
}

/// Modules to begin with: generated ones, the samples, and a collection if there is one.
fn corpus() -> Vec<Vec<u32>> {
    let mut out = generated(200);
    for file in files(&root().join("samples"), "wgsl") {
        let source = std::fs::read_to_string(file).unwrap();
        let Ok(module) = naga::front::wgsl::parse_str(&source) else { continue };
        let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), Default::default());
        let Ok(info) = validator.validate(&module) else { continue };
        let options = naga::back::spv::Options { lang_version: (1, 3), ..Default::default() };
        out.extend(naga::back::spv::write_vec(&module, &info, &options, None));
    }
    // A collection may lie beside the workspace.
    let folder = std::env::var_os("WAVEPIPE_FUZZ_CORPUS").map_or(root().join("../shared/spirv"), PathBuf::from);
    out.extend(files(&folder, "spv").iter().map(|f| words_of(&std::fs::read(f).unwrap())));
    out.retain(|m| m.len() <= LONGEST);
    out
}

/// The mutant of a number.
fn mutant(corpus: &[Vec<u32>], seed: u64) -> Vec<u32> {
    let mut r = Random(seed);
    let (base, donor) = (r.below(corpus.len()), r.below(corpus.len()));
    mutate::mutate(&corpus[base], &corpus[donor], &mut r)
}

/// Compiles every entry point, as a driver would.
fn compile_all(words: &[u32], wave: WaveSize) -> Result<(), CompileError> {
    for entry in reflect(words)? {
        let layout = match simple::layout_of(&entry) {
            Ok(layout) => layout,
            Err(Error::Compile(e)) => return Err(e),
            Err(_) => continue,
        };
        compile(words, &Options { wave, checks: Checks::On, ..Options::new(&entry.name, layout.layout()) })?;
    }
    Ok(())
}

enum Verdict {
    Compiled,
    Refused,
    Malformed,
    /// What is wrong; in a form that is the same for the same cause.
    Wrong(String),
}

fn examine(words: &[u32], seed: u64, sampled: bool) -> Verdict {
    let wave = if seed.is_multiple_of(2) { WaveSize::W32 } else { WaveSize::W64 };
    let result = match catch_unwind(AssertUnwindSafe(|| compile_all(words, wave))) {
        Ok(result) => result,
        Err(_) => return Verdict::Wrong(format!("panic at {}", last_panic())),
    };
    let valid = || matches!(validate(words), Some(Ok(()))) && !unnoticed(words);
    match result {
        Ok(()) => Verdict::Compiled,
        Err(e) => match e.kind {
            ErrorKind::Internal if valid() => Verdict::Wrong(plain("internal error", &e)),
            ErrorKind::Malformed if sampled && valid() => Verdict::Wrong(plain("called malformed", &e)),
            ErrorKind::Malformed => Verdict::Malformed,
            _ => Verdict::Refused,
        },
    }
}

/// A vector constant of scalars of another type, which spirv-val 2023 accepts and the specification does not.
fn unnoticed(words: &[u32]) -> bool {
    let Ok(m) = Module::parse(words) else { return false };
    let global = |id: u32| m.globals.iter().find(|i| i.id == id);
    m.globals.iter().filter(|i| matches!(i.op, Op::ConstantComposite | Op::SpecConstantComposite)).any(|i| {
        let vector = global(i.ty).filter(|t| t.op == Op::TypeVector);
        vector.is_some_and(|t| i.args.iter().any(|&a| global(a).is_none_or(|part| part.ty != t.args[0])))
    })
}

fn plain(what: &str, e: &CompileError) -> String {
    let name = e.site.as_ref().map(|s| s.instruction.clone()).unwrap_or_default();
    let message: String = e.message.chars().filter(|c| !c.is_ascii_digit()).collect();
    format!("{what}: {name}: {}", message.lines().next().unwrap_or_default())
}

/// Where the last panic was; the compiler runs on a thread of its own.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn set_panic(info: &std::panic::PanicHookInfo<'_>) {
    let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
    *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = place;
}

fn last_panic() -> String {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The process that compiles: seeds from WAVEPIPE_MUTANTS_FROM on, by WAVEPIPE_MUTANTS_STEP.
#[test]
#[ignore = "a part of mutants_do_no_harm, which starts it"]
fn worker() {
    let (Some(mut seed), Some(step)) = (setting("WAVEPIPE_MUTANTS_FROM"), setting("WAVEPIPE_MUTANTS_STEP")) else {
        return;
    };
    let work = move || {
        std::panic::set_hook(Box::new(set_panic));
        let harm = std::env::var("WAVEPIPE_MUTANTS_HARM").ok();
        let corpus = if harm.is_some() { generated(20) } else { corpus() };
        let mut out = std::io::stdout().lock();
        loop {
            let words = mutant(&corpus, seed);
            processor::limit(SECONDS);
            let _ = writeln!(out, "\nat {seed}");
            if seed == HARMFUL {
                harm.iter().for_each(|what| do_harm(what));
            }
            let verdict = examine(&words, seed, seed.is_multiple_of(SAMPLE as u64));
            let _ = match verdict {
                Verdict::Compiled => writeln!(out, "compiled"),
                Verdict::Refused => writeln!(out, "refused"),
                Verdict::Malformed => writeln!(out, "malformed"),
                Verdict::Wrong(why) => writeln!(out, "wrong {why}"),
            };
            seed += step;
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

/// The number of the mutant that does harm where that is asked for.
const HARMFUL: u64 = 5;

/// What the test below wants to see noticed.
fn do_harm(what: &str) {
    fn deep(n: u64) -> u64 {
        std::hint::black_box([n; 64])[63] + if n == 0 { 0 } else { deep(n - 1) }
    }
    match what {
        "memory" => drop(std::hint::black_box(vec![1u8; 2 * MEMORY_KIB as usize * 1024])),
        "stack" => drop(std::hint::black_box(deep(1 << 40))),
        _ => std::process::abort(),
    }
}

/// A worker that asks for too much memory, overflows its stack or aborts is a finding, with its seed.
#[test]
fn harm_is_noticed() {
    for harm in ["memory", "stack", "abort"] {
        let found = watch(HARMFUL - 1, 1, Instant::now() + PATIENCE, Some(harm));
        let seeds: Vec<u64> = found.wrong.values().map(|(seed, _)| *seed).collect();
        assert_eq!(seeds, [HARMFUL], "{harm}");
    }
}

struct Worker {
    child: Child,
    lines: Receiver<String>,
}

fn start(from: u64, step: u64, harm: Option<&str>) -> Worker {
    let exe = std::env::current_exe().unwrap();
    let mut command = Command::new("sh");
    command.args([
        "-c",
        &format!(
            "ulimit -v {MEMORY_KIB}; ulimit -c 0; exec \"$0\" spirv_mutants::worker --exact --ignored --nocapture -q"
        ),
    ]);
    command.arg(exe).env("WAVEPIPE_MUTANTS_FROM", from.to_string()).env("WAVEPIPE_MUTANTS_STEP", step.to_string());
    command.envs(harm.map(|h| ("WAVEPIPE_MUTANTS_HARM", h)));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (send, lines) = channel();
    let out = child.stdout.take().unwrap();
    std::thread::spawn(move || {
        BufReader::new(out).lines().map_while(Result::ok).take_while(|l| send.send(l.clone()).is_ok()).count()
    });
    Worker { child, lines }
}

/// What one line of workers counted, and what they found: the first seed of each cause.
#[derive(Default)]
struct Found {
    counts: BTreeMap<String, u64>,
    wrong: BTreeMap<String, (u64, u64)>,
    slowest: (Duration, u64),
}

/// Tries mutants from `first` on until `end`, and one at least; those that shall do harm end with the first finding.
fn watch(first: u64, step: u64, end: Instant, harm: Option<&str>) -> Found {
    let (mut found, mut seed) = (Found::default(), first);
    while Instant::now() < end {
        let mut worker = start(seed, step, harm);
        let mut since = Instant::now();
        let mut begun = false;
        let ended = loop {
            let rest = end.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
            let left = if found.counts.is_empty() { PATIENCE } else { PATIENCE.min(rest) };
            let line = match worker.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if since.elapsed() < PATIENCE => break None,
                Err(RecvTimeoutError::Timeout) => break Some("no answer for long"),
                Err(RecvTimeoutError::Disconnected) => break Some("the process died"),
            };
            if let Some(n) = line.strip_prefix("at ") {
                (seed, begun, since) = (n.parse().unwrap(), true, Instant::now());
            } else if let Some(why) = line.strip_prefix("wrong ") {
                found.wrong.entry(why.to_owned()).or_insert((seed, 0)).1 += 1;
            } else if ["compiled", "refused", "malformed"].contains(&line.as_str()) {
                *found.counts.entry(line).or_default() += 1;
            }
            found.slowest = found.slowest.max((since.elapsed(), seed));
            if Instant::now() >= end && !found.counts.is_empty() {
                break None;
            }
        };
        let _ = (worker.child.kill(), worker.child.wait());
        if let Some(why) = ended {
            assert!(begun, "the worker does not start");
            found.wrong.entry(format!("{why} (seed {seed})")).or_insert((seed, 0)).1 += 1;
            if harm.is_some() {
                break;
            }
        }
        seed += step;
    }
    found
}

#[test]
fn mutants_do_no_harm() {
    let ci = std::env::var_os("CI").is_some();
    let seconds = setting("WAVEPIPE_FUZZ_SECONDS").unwrap_or(if ci { 15 } else { 10 });
    let first = setting("WAVEPIPE_FUZZ_SEED").unwrap_or(1);
    if validate(&[]).is_none() {
        wavepipe_tests::skip("spirv-val").unwrap();
    }
    let end = Instant::now() + Duration::from_secs(seconds);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(4) as u64;
    let all: Vec<Found> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|n| scope.spawn(move || watch(first + n, threads, end, None))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let (mut counts, mut wrong) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
    for found in &all {
        found.counts.iter().for_each(|(k, n)| *counts.entry(k.clone()).or_default() += n);
        found.wrong.iter().for_each(|(why, (seed, _))| {
            let least = wrong.entry(why.clone()).or_insert(*seed);
            *least = (*least).min(*seed);
        });
    }
    let slowest = all.iter().map(|f| f.slowest).max().unwrap();
    println!("{counts:?} mutants in {seconds} s; the slowest, seed {}, took {:?}", slowest.1, slowest.0);
    let corpus = corpus();
    let mut text = String::new();
    for (why, seed) in &wrong {
        text += &report(&corpus, why, *seed);
    }
    assert!(wrong.is_empty(), "{} causes\n{text}", wrong.len());
}

/// A mutant as small as it gets where that can be tried here, in a file and as text.
fn report(corpus: &[Vec<u32>], why: &str, seed: u64) -> String {
    let words = mutant(corpus, seed);
    // What kills processes is not tried here.
    let tame = why.starts_with("panic") || why.starts_with("internal") || why.starts_with("called");
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(set_panic));
    let same = |w: &[u32]| matches!(examine(w, seed, true), Verdict::Wrong(x) if x == why);
    let least = if tame { mutate::least(&words, 1500, same) } else { words };
    std::panic::set_hook(hook);
    let path = scratch(&format!("mutant-{seed}.spv"));
    let bytes: Vec<u8> = least.iter().flat_map(|w| w.to_le_bytes()).collect();
    let _ = std::fs::write(&path, bytes);
    let text = if least.len() < 2000 { assembly(&least) } else { String::new() };
    format!("== seed {seed}: {why}\n{}\n{text}\n", path.display())
}
