//! Host code beside the interpreter: random blocks end in the same registers and memory.
//!
//! The interpreter is held against the plain machine elsewhere in this folder. NaNs' bits are free: where the first
//! instruction that makes a difference makes NaNs on both sides, the block is put aside.

use super::generate;
use super::lockstep::{self, Bench, Block, Item, Placed, REGION, VGPRS};
use crate::bench::host::engine_of;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use wavepipe_core::wave::{CodeCache, HostCode, HostRun, NoCode, Outcome, Region, What, WorkGroup};
use wavepipe_isa::insts::Op;
use wavepipe_isa::{Gen, Src, asm};
use wavepipe_jit::{CODE_BYTES, Feature, HostIsa};

/// Blocks that are tried however slow the host is: with them most rows have come.
const LEAST: u64 = 800;

/// Remembers what the engines took.
struct Watched {
    engines: Vec<Arc<dyn HostCode>>,
    regions: AtomicUsize,
    compiled: Mutex<BTreeSet<Op>>,
    /// Instructions that were compiled, and the microseconds that it took.
    instructions: AtomicU64,
    micros: AtomicU64,
}

impl HostCode for Watched {
    fn patience(&self) -> u32 {
        self.engines[0].patience()
    }
    fn compile(&self, region: &Region) -> Result<Box<dyn HostRun>, NoCode> {
        // What cannot be compiled would be the interpreter's, and be right.
        let begun = Instant::now();
        let engine = &self.engines[self.regions.fetch_add(1, Relaxed) % self.engines.len()];
        let run = engine.compile(region).expect("host code");
        self.micros.fetch_add(begun.elapsed().as_micros() as u64, Relaxed);
        self.instructions.fetch_add(region.nodes.iter().map(|n| u64::from(n.count)).sum(), Relaxed);
        let steps = region.nodes.iter().flat_map(|n| &n.acts).filter_map(|a| match a.what {
            What::Step(step) => Some(step),
            _ => None,
        });
        self.compiled.lock().unwrap().extend(steps.map(|s| s.op));
        Ok(run)
    }
    fn publish(&self) {
        self.engines.iter().for_each(|engine| engine.publish());
    }
}

/// Registers and memory after a block; `None`: it did not end.
#[derive(PartialEq, Eq)]
struct End {
    vgprs: Vec<[u32; 64]>,
    sgprs: Vec<u32>,
    scc: bool,
    memory: Vec<u8>,
}

/// `turn`: instructions after which the run is interrupted, again and again.
fn end(bench: &Bench, placed: &Placed, cache: &CodeCache, turn: u64) -> Option<End> {
    placed.map.write(bench.data(), &placed.image)?;
    let mut group = WorkGroup::new();
    group.start(&placed.launch, [0; 3], 0);
    let mut left = 100_000 / turn;
    loop {
        match group.run(&placed.map, cache, turn) {
            Outcome::Done => break,
            Outcome::Budget if left > 0 => left -= 1,
            _ => return None,
        }
    }
    let wave = group.wave(0)?;
    let lanes = placed.launch.wave.lanes();
    let row = |n| {
        let mut row = [0; 64];
        (0..lanes).for_each(|lane| row[lane as usize] = wave.vgpr(n, lane));
        row
    };
    let mut memory = vec![0; REGION];
    placed.map.read(bench.data(), &mut memory)?;
    Some(End {
        vgprs: (0..VGPRS).map(row).collect(),
        sgprs: (0..108).chain([124, 126, 127]).map(|n| wave.sgpr(n)).collect(),
        scc: wave.scc(),
        memory,
    })
}

/// Counts the rounds of a loop; blocks leave it alone.
const ROUNDS: Src = Src(92);

/// An item by its text.
fn instruction(text: &str, isa: Gen) -> Item {
    let words = asm::assemble(text, isa, 64).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let (instr, _) = wavepipe_isa::decode::decode(&words, isa).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    Item { instr, target: None }
}

/// The block again and again, as the body of a loop.
fn looped(block: &mut Block, rounds: u32) {
    let whole = |text: &str| instruction(text, block.isa);
    for item in &mut block.items {
        item.target = item.target.map(|t| t + 1);
    }
    let mut begin = whole("s_movk_i32 s92, 1");
    begin.instr.imm = rounds as i32;
    debug_assert_eq!(begin.instr.dst[0], ROUNDS);
    block.items.insert(0, begin);
    block.items.extend(["s_sub_u32 s92, s92, 1", "s_cmp_lg_u32 s92, 0"].map(whole));
    block.items.push(Item { target: Some(1), ..whole("s_cbranch_scc1 0") });
}

/// How a block ends in the interpreter and as host code, at the same addresses.
fn ends(bench: &mut Bench, (plain, host): (&CodeCache, &CodeCache), block: &Block) -> (Option<End>, Option<End>) {
    let placed = bench.place(block);
    let turn = if block.items.len().is_multiple_of(2) { 100_000 } else { 40 };
    let ends = (end(bench, &placed, plain, 100_000), end(bench, &placed, host, turn));
    // The addresses are used again some day.
    let code = placed.launch.code_va..placed.launch.code_va + 4 * placed.words.len() as u64;
    plain.invalidate(code.clone());
    host.invalidate(code);
    ends
}

/// Whether two words are NaNs of some type in both places; the low word of a double's may be anything.
fn both_nan(a: [u32; 2], b: [u32; 2]) -> bool {
    let single = |v: u32| v & 0x7fff_ffff > 0x7f80_0000;
    let half = |v: u32| v & 0x7fff > 0x7c00;
    let double = |v: [u32; 2]| v[1] & 0x7fff_ffff >= 0x7ff0_0000;
    let halves = [0, 16].iter().all(|s| a[0] >> s & 0xffff == b[0] >> s & 0xffff || half(a[0] >> s) && half(b[0] >> s));
    single(a[0]) && single(b[0]) || halves || double(a) && double(b)
}

/// How two ends differ.
struct Difference {
    first: String,
    /// All of it is of NaNs.
    free: bool,
    /// Some of it is.
    of_nans: bool,
}

fn difference(want: &End, got: &End) -> Option<Difference> {
    let mut first = None;
    let (mut free, mut of_nans) = (true, false);
    for n in 0..want.vgprs.len() {
        for lane in 0..64 {
            let word = |e: &End, n: usize| e.vgprs.get(n).map_or(0, |row| row[lane]);
            let pair = |e: &End| [word(e, n), word(e, n + 1)];
            let (w, g) = (pair(want), pair(got));
            if w[0] != g[0] {
                let above = n.checked_sub(1).is_some_and(|n| both_nan([word(want, n), w[0]], [word(got, n), g[0]]));
                let nans = both_nan(w, g) || above;
                free &= nans;
                of_nans |= nans;
                first.get_or_insert_with(|| format!("v{n} lane {lane} {:#x}, the interpreter {:#x}", g[0], w[0]));
            }
        }
    }
    if let Some(n) = (0..want.sgprs.len()).find(|&n| want.sgprs[n] != got.sgprs[n]) {
        free = false;
        first = Some(format!("s{n} {:#x}, the interpreter {:#x}", got.sgprs[n], want.sgprs[n]));
    }
    if want.scc != got.scc {
        free = false;
        first = Some(format!("SCC {}, the interpreter {}", got.scc, want.scc));
    }
    if want.memory != got.memory {
        free &= first.is_some();
        first.get_or_insert_with(|| "memory differs".into());
    }
    first.map(|first| Difference { first, free, of_nans })
}

/// A block that differs, cut behind the first instruction that makes a difference; `None`: NaNs, or nothing.
fn failure(bench: &mut Bench, caches: (&CodeCache, &CodeCache), block: &Block) -> Option<String> {
    for length in 1..=block.items.len() {
        let mut cut = block.clone();
        cut.items.truncate(length);
        lockstep::retarget(&mut cut, None);
        let (Some(want), Some(got)) = ends(bench, caches, &cut) else { continue };
        if let Some(found) = difference(&want, &got) {
            // What comes before and is not part of it, from the front.
            let mut least = cut.clone();
            for n in (0..least.items.len() - 1).rev() {
                let mut less = least.clone();
                less.items.remove(n);
                lockstep::retarget(&mut less, Some(n));
                if let (Some(want), Some(got)) = ends(bench, caches, &less)
                    && difference(&want, &got).is_some_and(|d| !d.free)
                {
                    least = less;
                }
            }
            // A branch made it by what it repeats, in which the bits of a NaN may have gone on into other words.
            let free = found.free || found.of_nans && cut.items.last().is_some_and(|i| i.target.is_some());
            return (!free).then(|| format!("{}{}\n", lockstep::listing(&least), found.first));
        }
    }
    // Only a loop's later rounds differ: the first that does. A NaN may have gone on to others in it.
    let mut fewer = block.clone();
    for rounds in 1..=block.items[0].instr.imm {
        fewer.items[0].instr.imm = rounds;
        let (Some(want), Some(got)) = ends(bench, caches, &fewer) else { continue };
        if let Some(found) = difference(&want, &got) {
            return (!found.of_nans).then(|| format!("{}{}\n", lockstep::listing(&fewer), found.first));
        }
    }
    None
}

/// On hosts that lack these features, a region each in turn.
fn of(target: HostIsa, hosts: &[&[Feature]], seconds: u64, chosen: Option<fn(Op) -> bool>) {
    let engines: Option<Vec<_>> = hosts.iter().map(|without| engine_of(target, without, CODE_BYTES)).collect();
    if let Some(engines) = engines {
        ends_as_the_interpreter(engines, seconds, chosen);
    }
}

#[test]
fn host_code_ends_as_the_interpreter_does() {
    of(HostIsa::Avx512, &[&[], &[Feature::Caches]], 10, None);
}

#[test]
fn host_code_of_avx2_ends_as_the_interpreter_does() {
    of(HostIsa::Avx2, &[&[], &[Feature::Caches]], 10, None);
}

#[test]
fn host_code_of_neon_ends_as_the_interpreter_does() {
    of(HostIsa::Neon, &[&[]], 20, None);
}

fn counts_bits(op: Op) -> bool {
    ["bcnt", "ff1", "ffbl", "ctz"].iter().any(|part| op.row().name.contains(part))
}

/// Such a host counts bits by other instructions.
#[test]
fn host_code_of_lesser_hosts_ends_as_the_interpreter_does() {
    of(HostIsa::Avx512, &[&[Feature::Vpopcntdq]], 6, Some(counts_bits));
}

/// For so many seconds, unless the setting says otherwise: first blocks of everything, then of `chosen` rows, or for longer
/// runs of what host code was made of.
fn ends_as_the_interpreter(engines: Vec<Arc<dyn HostCode>>, seconds: u64, chosen: Option<fn(Op) -> bool>) {
    let seconds = super::setting("WAVEPIPE_FUZZ_SECONDS").unwrap_or(seconds.min(super::SECONDS));
    let first = super::setting("WAVEPIPE_FUZZ_SEED").unwrap_or(1);
    let begun = super::thread_time();
    let elapsed = || (super::thread_time() - begun).as_secs_f64();
    let watched = Arc::new(Watched {
        engines,
        regions: 0.into(),
        compiled: Mutex::default(),
        instructions: 0.into(),
        micros: 0.into(),
    });
    let (plain, host) = (CodeCache::new(), CodeCache::with_host_code(watched.clone()));
    let mut benches = super::GENERATIONS.map(Bench::new);
    let rows = super::GENERATIONS.map(generate::rows);
    let mut taken = Vec::new();
    let (mut blocks, mut alike, mut aside, mut bad) = (0u64, 0u64, 0u64, Vec::new());
    let mut seed = first;
    while (elapsed() < seconds as f64 || blocks < LEAST) && bad.len() < 10 {
        if taken.is_empty() && elapsed() > seconds as f64 / 2.0 {
            taken = match chosen {
                Some(chosen) => rows.iter().flatten().copied().filter(|&op| chosen(op)).collect(),
                None => watched.compiled.lock().unwrap().iter().copied().collect(),
            };
        }
        let turn = seed as usize % benches.len();
        let (isa, bench) = (super::GENERATIONS[turn], &mut benches[turn]);
        let has = |op: &Op| op.row().encoding(isa).is_some();
        let known: Vec<Op> = taken.iter().copied().filter(has).collect();
        let mut block = generate::block(seed, if taken.is_empty() { &rows[turn] } else { &known }, isa);
        if seed.is_multiple_of(3) {
            looped(&mut block, 2 + seed as u32 % 7);
        }
        seed += 1;
        blocks += 1;
        match ends(bench, (&plain, &host), &block) {
            (Some(want), Some(got)) if want == got => alike += 1,
            (Some(_), Some(_)) => match failure(bench, (&plain, &host), &block) {
                Some(text) => bad.push(format!("seed {}\n{text}", seed - 1)),
                None => aside += 1,
            },
            (None, None) => aside += 1,
            _ => bad.push(format!("seed {}: only one of them ends\n{}", seed - 1, lockstep::listing(&block))),
        }
    }
    let compiled = watched.compiled.lock().unwrap();
    let of_chosen = chosen.map(|chosen| compiled.iter().filter(|&&op| chosen(op)).count());
    let compiled = compiled.len();
    println!("{blocks} blocks, {alike} alike, {aside} put aside; {compiled} rows as host code, {of_chosen:?} chosen");
    let (instructions, micros) = (watched.instructions.load(Relaxed), watched.micros.load(Relaxed));
    println!("{instructions} instructions compiled, {:.1} µs each", micros as f64 / instructions as f64);
    bad.iter().for_each(|text| println!("== {text}"));
    assert!(bad.is_empty(), "{} blocks differ", bad.len());
    let least = if chosen.is_none() { 500 } else { 250 };
    assert!(alike > blocks / 2 && compiled > least && of_chosen.is_none_or(|n| n > 5), "too little was tried");
}
