//! Which generations tests run on, and how much of it in the gate.
//!
//! What is random, or long, runs on the default machine, and a part of it on the generations of [`GATE`] in turn. [`VARIABLE`] names
//! others, on each of which all of it runs; `all` are all that execute, as `./scripts/test all` has it.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use wavepipe_runtime::WaveSize;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;

/// A comma list of generations, or all.
pub const VARIABLE: &str = "WAVEPIPE_GENERATIONS";

/// The generations of the gate, beside the default machine's.
const GATE: &[Gen] = &[Gen::Gfx1030, Gen::Gfx900, Gen::Gfx701, Gen::Gfx600];

/// One seed of so many runs on one of them.
const SHARE: u64 = 5;

/// Where tests run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// On the default machine, and a share of it on others.
    Gate,
    /// All of it on each that is named, the default machine left out.
    Named,
    /// All of it on all.
    All,
}

fn run() -> &'static (Run, Vec<Gen>) {
    static RUN: OnceLock<(Run, Vec<Gen>)> = OnceLock::new();
    RUN.get_or_init(|| read(std::env::var(VARIABLE).ok().as_deref()))
}

/// Reads what [`VARIABLE`] has: how tests run, and the generations besides the default machine's.
pub fn read(variable: Option<&str>) -> (Run, Vec<Gen>) {
    let named = |name: &str| Gen::named(name.trim()).unwrap_or_else(|| panic!("{VARIABLE}: no generation {name}"));
    match variable {
        None | Some("") => (Run::Gate, GATE.to_vec()),
        Some("all") => {
            (Run::All, Gen::ALL.into_iter().filter(|g| Machine::executes(*g) && *g != Gen::default()).collect())
        }
        Some(list) => (Run::Named, list.split(',').map(named).collect()),
    }
}

/// The default machine, and behind it one of each generation that tests are to run on.
pub fn generations() -> Vec<Arc<Machine>> {
    machines(&run().1)
}

/// Opens the default machine and one of each of these generations.
pub fn machines(others: &[Gen]) -> Vec<Arc<Machine>> {
    let machine = |g: &Gen| Arc::new(Machine::open(&name(*g)).unwrap_or_else(|e| panic!("{}: {e}", g.name())));
    std::iter::once(Machine::standard()).chain(others.iter().map(machine)).collect()
}

/// What `WAVEPIPE_MACHINE` and `--gpu` are told for a generation. One may have a description in tests/machines, which is of no
/// card: all that tests want of it is its instructions.
pub fn name(generation: Gen) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
    let described = folder.join(format!("{}.toml", generation.name()));
    if described.exists() { described.display().to_string() } else { generation.name().to_owned() }
}

/// What a seed runs on, of machines as [`generations`] has them.
pub fn of_seed<T>(seed: u64, machines: &[T]) -> Vec<&T> {
    of(seed, machines, run().0)
}

/// What a case of a suite runs on that the default machine has whole in the gate, and with it one case of several on one of the
/// others, in turn.
pub fn of_case(number: u64) -> Vec<Arc<Machine>> {
    static ALL: OnceLock<Vec<Arc<Machine>>> = OnceLock::new();
    case_of(number, ALL.get_or_init(generations), run().0).into_iter().cloned().collect()
}

/// As [`of_case`], in a run of that kind.
pub fn case_of<T>(number: u64, machines: &[T], run: Run) -> Vec<&T> {
    let default = machines.first().filter(|_| run == Run::Gate && number % SHARE == SHARE - 1);
    default.into_iter().chain(of(number, machines, run)).collect()
}

/// The sizes of waves that a machine has.
pub fn waves(machine: &Machine) -> &'static [WaveSize] {
    if machine.generation().caps().wave32 { &[WaveSize::W32, WaveSize::W64] } else { &[WaveSize::W64] }
}

/// As [`of_seed`], in a run of that kind.
pub fn of<T>(seed: u64, machines: &[T], run: Run) -> Vec<&T> {
    let Some((first, others)) = machines.split_first() else { return Vec::new() };
    match (run, seed % SHARE == SHARE - 1, others.len() as u64) {
        (Run::All, ..) => machines.iter().collect(),
        (Run::Named, ..) => others.iter().collect(),
        (Run::Gate, true, count @ 1..) => vec![&others[(seed / SHARE % count) as usize]],
        (Run::Gate, ..) => vec![first],
    }
}
