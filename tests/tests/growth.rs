//! Modules that grow along one axis each (`wavepipe_tests::spirv::grow`), up to a megabyte: the compiler makes a program of
//! each, or refuses it by name, within bounds of time and memory; the small ones compute what an interpreter computes. The
//! gate compiles the small ones and the largest; with WAVEPIPE_FUZZ_SECONDS=60 every size in between is compiled too. By
//! hand, an axis alone, with what each size took:
//!
//! ```text
//! WAVEPIPE_FUZZ_SECONDS=60 WAVEPIPE_GROW="nested ifs" cargo test --release -p wavepipe-tests --test growth -- --nocapture
//! ```
//!
//! Each axis is compiled in a process of its own, which says how far it is; one that dies or says nothing for long has found
//! something. Time is the processor's, so other work on the host does not count; memory is what the allocator was asked for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use wavepipe_runtime::compiler::{CompileError, Options, compile, reflect};
use wavepipe_runtime::simple::{self, Job, Session};
use wavepipe_runtime::{Config, Error, WaveSize};
use wavepipe_tests::host_time::process_time;
use wavepipe_tests::processor;
use wavepipe_tests::random::Random;
use wavepipe_tests::share::{day, due};
use wavepipe_tests::spirv::grow::{Axis, axes};
use wavepipe_tests::spirv::interp::{Machine, Program};
use wavepipe_tests::spirv::{Module, assembly, validate};

/// Words of the largest modules: a megabyte. Of those that the gate compiles besides.
const WORDS: usize = 1 << 18;
const SMALL: usize = 1 << 12;
/// With so many of WAVEPIPE_FUZZ_SECONDS all sizes in between are compiled.
const LONG: u64 = 60;
/// Seconds of a processor for one entry point. The slowest axes, of values that live through many blocks, take below 10 on most hosts
/// and up to 21 on the slowest that was tried.
const SECONDS: f64 = 30.0;
/// Bytes that may be allocated at once.
const MEMORY: usize = 1 << 30;
/// A module that takes so many seconds of a processor is given up. No word for so long on the clock is a hang: a busy machine gives
/// a process little of what it could use.
const LIMIT: u64 = 90;
const PATIENCE: Duration = Duration::from_secs(20 * LIMIT);
/// A thread's stack: a program's threads have no more, and often less.
const STACK: usize = 1 << 20;

/// Counts what is allocated.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn count(more: usize, less: usize) {
    let now = NOW.fetch_add(more, Ordering::Relaxed).wrapping_add(more);
    PEAK.fetch_max(now, Ordering::Relaxed);
    NOW.fetch_sub(less, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(p, layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The sizes of an axis and their modules: doubling, and at last the largest that is a module of a megabyte.
fn modules(axis: &'static Axis) -> impl Iterator<Item = (u32, Vec<u32>)> {
    let mut last = None;
    let doubling =
        (1..32).map(|k| (1u32 << k).min(axis.most)).take_while(move |&size| last.replace(size) != Some(size));
    let made = doubling.map(|size| (size, (axis.module)(size))).take_while(|(_, m)| m.len() <= WORDS);
    let mut sizes: Vec<(u32, Vec<u32>)> = made.collect();
    if let Some((size, words)) = sizes.last().filter(|m| m.0 < axis.most) {
        let more = (u64::from(*size) * WORDS as u64 / words.len() as u64).min(u64::from(axis.most)) as u32;
        sizes.extend(Some((more, (axis.module)(more))).filter(|m| m.1.len() <= WORDS));
    }
    let seconds = std::env::var("WAVEPIPE_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(0u64);
    let count = sizes.len();
    let wanted = move |(n, m): &(usize, (u32, Vec<u32>))| seconds >= LONG || m.1.len() <= SMALL || n + 1 == count;
    sizes.into_iter().enumerate().filter(wanted).map(|(_, m)| m)
}

/// Compiles the first entry point, as a driver would.
fn compile_first(words: &[u32], wave: WaveSize) -> Result<usize, CompileError> {
    let entry = reflect(words)?.remove(0);
    let layout = match simple::layout_of(&entry) {
        Ok(layout) => layout,
        Err(Error::Compile(e)) => return Err(e),
        // More bindings than the device has.
        Err(_) => return Ok(0),
    };
    let code = compile(words, &Options { wave, ..Options::new(&entry.name, layout.layout()) })?;
    Ok(code.text.len())
}

fn named(name: &str) -> Option<&'static Axis> {
    axes().find(|a| a.name == name)
}

/// The process that compiles the modules of one axis.
#[test]
#[ignore = "a part of growing_modules, which starts it"]
fn worker() {
    let Some(axis) = std::env::var("WAVEPIPE_GROW_AXIS").ok().and_then(|n| named(&n)) else { return };
    let work = move || {
        std::panic::set_hook(Box::new(|_| {}));
        for (n, (size, words)) in modules(axis).enumerate() {
            say(&format!("at {size} {}", words.len()));
            let wave = if n % 2 == 0 { WaveSize::W32 } else { WaveSize::W64 };
            PEAK.store(NOW.load(Ordering::Relaxed), Ordering::Relaxed);
            processor::limit(LIMIT);
            let (before, begin) = (NOW.load(Ordering::Relaxed), process_time());
            let result = catch_unwind(AssertUnwindSafe(|| compile_first(&words, wave)));
            let seconds = (process_time() - begin).as_secs_f64();
            let peak = PEAK.load(Ordering::Relaxed) - before;
            let verdict = match result {
                Ok(Ok(bytes)) => format!("{bytes} bytes of code"),
                Ok(Err(e)) => format!("{:?}: {e}", e.kind).replace('\n', " "),
                Err(_) => "panic".to_string(),
            };
            say(&format!("done {seconds:.3} {peak} {verdict}"));
        }
        say("end");
    };
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{line}").and_then(|()| out.flush()).unwrap();
}

/// What is wrong with an axis; prints what it did.
fn watch(axis: &Axis) -> Vec<String> {
    let exe = std::env::current_exe().unwrap();
    let mut command = Command::new(exe);
    command.args(["worker", "--exact", "--ignored", "--nocapture", "-q"]).env("WAVEPIPE_GROW_AXIS", axis.name);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (send, lines) = channel();
    let out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        BufReader::new(out).lines().map_while(Result::ok).take_while(|l| send.send(l.clone()).is_ok()).count()
    });
    let (mut wrong, mut at, mut report) = (Vec::new(), String::new(), String::new());
    let ended = loop {
        let line = match lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => break Some("no answer for long"),
            Err(RecvTimeoutError::Disconnected) => break Some("the process died"),
        };
        if let Some(rest) = line.strip_prefix("at ") {
            at = rest.to_string();
        } else if let Some(rest) = line.strip_prefix("done ") {
            let mut parts = rest.splitn(3, ' ');
            let seconds: f64 = parts.next().unwrap().parse().unwrap();
            let peak: usize = parts.next().unwrap().parse().unwrap();
            let verdict = parts.next().unwrap();
            report += &format!("  {at} words: {seconds:.2} s, {} MiB, {verdict}\n", peak >> 20);
            let mut complain = |what: &str| wrong.push(format!("{}: {at} words: {what}: {rest}", axis.name));
            if seconds > SECONDS {
                complain("too slow");
            }
            if peak > MEMORY {
                complain("too much memory");
            }
            if verdict == "panic" || ["Internal", "Malformed"].iter().any(|k| verdict.starts_with(k)) {
                complain("no refusal by name");
            }
        } else if line == "end" {
            break None;
        }
    };
    let _ = (child.kill(), child.wait());
    let _ = reader.join();
    if let Some(why) = ended {
        wrong.push(format!("{}: {at} words: {why}", axis.name));
    }
    println!("{}\n{report}", axis.name);
    wrong
}

#[test]
fn growing_modules() {
    let only = std::env::var("WAVEPIPE_GROW").ok();
    let mut todo: Vec<&'static Axis> = axes().filter(|a| only.as_deref().is_none_or(|o| a.name.contains(o))).collect();
    if only.is_none() {
        todo = due("axes", todo, 2);
    }
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(4);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(axis) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = watch(axis);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The modules are what the compiler owes an answer to.
#[test]
fn growing_modules_are_valid() {
    let mut wrong = Vec::new();
    for axis in axes() {
        let words = (axis.module)(8);
        match validate(&words) {
            Some(Ok(())) => {}
            Some(Err(e)) => wrong.push(format!("{}: {e}{}", axis.name, assembly(&words))),
            None => return wavepipe_tests::skip("spirv-val").unwrap(),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is larger than a bound is refused with the reason; what is just within it compiles.
#[test]
fn bounds_are_where_they_are_said_to_be() {
    let bounds: &[(&str, u32, Option<&str>)] = &[
        ("structures of two in depth", 30, Some("bytes of private memory")),
        ("structures of two in depth", 256, Some("structures and arrays nested deeper than 255")),
        ("arrays of one in depth", 255, None),
        ("arrays of one in depth", 256, Some("structures and arrays nested deeper than 255")),
        ("nested ifs", 255, None),
        ("nested ifs", 257, Some("constructs and calls nested deeper than 256")),
        ("a tree of calls", 60, None),
        ("a chain of calls", 1000, None),
        ("a tree of calls that no function may be", 60, Some("all calls inlined")),
        ("words of a private array", 32 * 1024, None),
        ("words of a private array", 4 << 20, Some("bytes of private memory for each work-item")),
        ("words copied between buffers", 1 << 20, None),
        ("words loaded and stored", 1 << 20, None),
        ("words of structures copied between buffers", 1 << 20, None),
        ("words of structures with gaps copied between buffers", 1 << 10, None),
        ("words of structures with gaps copied between buffers", 1 << 20, Some("in more than 4096 pieces")),
        ("divisions of 64 bits", 1000, None),
        ("divisions of 64 bits", 10_000, Some("operations that the machine does by many others")),
        ("pointers to choose from", 10, None),
        ("pointers to choose from", 150, Some("to more than 8192 variables in all")),
    ];
    let mut wrong = Vec::new();
    for &(name, size, expected) in bounds {
        let axis = named(name).unwrap_or_else(|| panic!("no axis {name}"));
        let said = match (compile_first(&(axis.module)(size), WaveSize::W32), expected) {
            (Ok(_), None) => continue,
            (Err(e), Some(part)) if e.to_string().contains(part) => continue,
            (Ok(bytes), Some(_)) => format!("{bytes} bytes of code"),
            (Err(e), _) => format!("{:?}: {e}", e.kind),
        };
        wrong.push(format!("{name}, {size}: {said}, expected {expected:?}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the machine code of a module leaves in its buffers, and what the interpreter of SPIR-V leaves there; None where the
/// interpreter finds that SPIR-V does not say, or where the compiler refuses.
fn both(session: &Session, words: &[u32], wave: WaveSize) -> Option<[Vec<Vec<u8>>; 2]> {
    compile_first(words, wave).ok()?;
    let entry = reflect(words).ok()?.remove(0);
    let mut r = Random(7);
    let mut data = || (0..1 << 14).flat_map(|_| (r.bits() as u32 % 3).to_le_bytes()).collect::<Vec<u8>>();
    let buffers: Vec<(u32, u32, Vec<u8>)> = entry.resources.iter().map(|r| (r.set, r.binding, data())).collect();
    let given = buffers.iter().map(|(set, binding, b)| ((*set, *binding), b.clone())).collect();
    let mut m = Machine::new(given, [1; 3], wave.lanes(), 100_000);
    let module = Module::parse(words).unwrap();
    Program::new(&module).and_then(|p| p.run(&mut m)).ok()?;
    let expected = buffers.iter().map(|(set, binding, _)| m.buffers[&(*set, *binding)].clone()).collect();
    let entry = Some(entry.name);
    let job = Job { words: words.to_vec(), entry, wave: Some(wave), groups: [1; 3], buffers, ..Job::default() };
    match session.run(&job) {
        Err(Error::Compile(_)) => None,
        got => Some([got.unwrap(), expected]),
    }
}

#[test]
fn small_modules_compute_what_the_interpreter_computes() {
    let session = Session::new(&Config::watched()).unwrap();
    let (mut alike, mut wrong) = (0, Vec::new());
    // With a race, and with entry points of which the interpreter takes another one.
    let unsaid = ["atomics", "words of a shared array", "entry points"];
    for axis in due("axes", axes(), 2).into_iter().filter(|a| !unsaid.contains(&a.name)) {
        for (size, wave) in [(2, WaveSize::W32), (7, WaveSize::W64), (40, WaveSize::W32), (300, WaveSize::W64)] {
            // Registers run out, and copies are loops; the rest would take the interpreter long.
            if size == 300
                && !["alive", "phi", "escape", "copied", "stored", "null"].iter().any(|part| axis.name.contains(part))
            {
                continue;
            }
            let words = (axis.module)(size.min(axis.most));
            let Some([got, expected]) = both(&session, &words, wave) else { continue };
            if got == expected {
                alike += 1;
            } else {
                wrong.push(format!("{} {size}, {wave:?}", axis.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{alike} modules alike");
    let least = if day().is_some() { 60 } else { 120 };
    assert!(alike >= least, "only {alike} modules are a test");
}
