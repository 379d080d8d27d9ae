//! Differential fuzzing: random instruction blocks on the whole-wave interpreter and on a plain machine that was written
//! separately, from the ISA document. By hand, without end:
//!
//! ```text
//! WAVEPIPE_FUZZ_SECONDS=3600 WAVEPIPE_FUZZ_SEED=1000000 cargo test --release -p wavepipe-core fuzz:: -- --nocapture
//! ```
//!
//! `WAVEPIPE_GENERATIONS` names some, which share the time evenly.

mod accesses;
mod cross;
mod exact;
mod float;
mod generate;
mod hosted;
mod integer;
mod lockstep;
mod machine;
mod memory;
mod modifiers;
mod random;
mod scalar;
mod transcendental;
mod vector;

use crate::bench::host_time::thread_time;
use lockstep::{Bench, Failure, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use wavepipe_isa::Gen;
use wavepipe_isa::coverage::{self, Witness};
use wavepipe_isa::insts::{self, Op};

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// What the threads have seen together.
#[derive(Default)]
struct Tally {
    blocks: u64,
    instructions: u64,
    aside: u64,
    /// Failures by instruction: how often, and the first.
    failures: BTreeMap<(String, String), (u64, String)>,
}

fn record(tally: &Mutex<Tally>, bench: &mut Bench, block: &lockstep::Block, f: &Failure, seed: u64) {
    let op = f.op.map_or("?", |op| op.row().name);
    let key = (format!("{:?}", f.kind), op.to_string());
    let known = {
        let mut t = tally.lock().unwrap();
        t.failures.get_mut(&key).map(|(n, _)| *n += 1).is_some()
    };
    if !known {
        let (least, failure) = lockstep::shrink(bench, block, f);
        let text = format!("seed {seed}\n{}{}", lockstep::listing(&least), failure.text);
        tally.lock().unwrap().failures.insert(key, (1, text));
    }
}

/// What is fuzzed, the first for half of the time.
pub const GENERATIONS: [Gen; 5] = [Gen::Gfx1010, Gen::Gfx1030, Gen::Gfx900, Gen::Gfx701, Gen::Gfx600];

/// What is fuzzed here, and for which part of the time.
fn shares() -> Vec<(Gen, f64)> {
    let named = std::env::var("WAVEPIPE_GENERATIONS").ok().filter(|names| !names.is_empty() && names != "all");
    let Some(named) = named else {
        let others = 0.5 / (GENERATIONS.len() - 1) as f64;
        return GENERATIONS.map(|isa| (isa, if isa == GENERATIONS[0] { 0.5 } else { others })).to_vec();
    };
    let named: Vec<Gen> = named
        .split(',')
        .map(|name| Gen::named(name.trim()).unwrap_or_else(|| panic!("no generation {name}")))
        .collect();
    named.iter().map(|isa| (*isa, 1.0 / named.len() as f64)).collect()
}

/// Seconds of a fuzzer in a run by hand; the gate takes more.
const SECONDS: u64 = 3;

#[test]
fn random_blocks_run_alike() {
    let seconds = setting("WAVEPIPE_FUZZ_SECONDS").unwrap_or(SECONDS);
    let first = setting("WAVEPIPE_FUZZ_SEED").unwrap_or(1);
    let mut bad = Vec::new();
    for (isa, share) in shares() {
        bad.extend(run_alike(isa, Duration::from_secs_f64(seconds as f64 * share), first));
    }
    assert!(bad.is_empty(), "the machines differ: {bad:?}");
}

/// Random blocks of a generation for a while; what differs, and what never ran.
fn run_alike(isa: Gen, time: Duration, first: u64) -> Vec<String> {
    let rows = generate::rows(isa);
    let counts: Vec<AtomicU64> = (0..insts::COUNT).map(|_| AtomicU64::new(0)).collect();
    let tally = Mutex::new(Tally::default());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(2) as u64;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (rows, counts, tally) = (&rows, &counts, &tally);
            scope.spawn(move || {
                let mut bench = Bench::new(isa);
                let mut seed = first + thread;
                // Other work on the host takes nothing of what is to be tried.
                let begun = thread_time();
                while thread_time() - begun < time {
                    let block = generate::block(seed, rows, isa);
                    match bench.run(&block) {
                        Ok(done) => {
                            for &op in &done {
                                counts[op.0 as usize].fetch_add(1, Ordering::Relaxed);
                            }
                            let mut t = tally.lock().unwrap();
                            t.blocks += 1;
                            t.instructions += done.len() as u64;
                        }
                        Err(f) if f.kind == Kind::Aside => tally.lock().unwrap().aside += 1,
                        Err(f) => record(tally, &mut bench, &block, &f, seed),
                    }
                    seed += threads;
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    println!(
        "{}: {} blocks, {} instructions alike in {time:?}; {} put aside",
        isa.name(),
        tally.blocks,
        tally.instructions,
        tally.aside
    );
    let count = |op: &Op| counts[usize::from(op.0)].load(Ordering::Relaxed);
    let (least, most) = (rows.iter().min_by_key(|op| count(op)), rows.iter().max_by_key(|op| count(op)));
    if let (Some(least), Some(most)) = (least, most) {
        let of = |op: &Op| format!("{} {} times", op.row().name, count(op));
        println!("{} rows: {} the least, {} the most", rows.len(), of(least), of(most));
    }
    for ((kind, op), (n, text)) in &tally.failures {
        println!("== {} {kind} {op}: {n} times, first:\n{text}", isa.name());
    }
    let mut bad: Vec<String> = tally.failures.keys().map(|(kind, op)| format!("{} {kind} {op}", isa.name())).collect();
    let never = rows.iter().filter(|op| count(op) == 0);
    // In less time, and GCN's flat accesses seldom meet memory, the least drawn may stay out.
    if time >= Duration::from_secs(10) {
        bad.extend(never.map(|op| format!("{} never ran {}", isa.name(), op.row().name)));
    }
    bad
}

/// The rows that the plain machine witnesses are the ones that the table of coverage says it does.
#[test]
fn the_table_of_second_implementations_is_true() {
    const NAME: &str = "core/tests/fuzz";
    let listed: BTreeSet<&str> = Op::all()
        .filter(|&op| coverage::evidence(op).iter().any(|e| e.witness == Witness::Second && e.what.contains(NAME)))
        .map(|op| op.row().name)
        .collect();
    let rows = GENERATIONS.map(generate::rows);
    let have: BTreeSet<&str> = rows.iter().flatten().map(|op| op.row().name).collect();
    let lines = |names: Vec<&&str>| names.iter().map(|n| format!("{n}: {NAME}\n")).collect::<String>();
    let missing = lines(have.difference(&listed).collect());
    let wrong = lines(listed.difference(&have).collect());
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "coverage/second.txt lacks\n{missing}and has without right\n{wrong}"
    );
}
