//! Latencies by pointer chase: one lane loads an address, waits, makes the next address of what came, loads.
//!
//! The vector chase is the loop that NaviSim's authors measured: `q = base + *p; p = q` over 8-byte cells, which is
//! global_load_dwordx2, s_waitcnt, v_add_co_u32, v_add_co_ci_u32 and a scalar counter and branch. A walk through the region in
//! order comes first, so that caches hold what they can; S_MEMTIME before and after the loop takes the time.

use super::program::{Bench, Program, address};
use super::{Measured, PublishedRow, Wanted};
use crate::failure::Result;
use wavepipe_runtime::hw::port::GpuPort;
use wavepipe_runtime::timing::lab::LabError;
use wavepipe_runtime::timing::published::RX5500XT_CHASE;

const VECTOR: &str = include_str!("vector_chase.s");
const LDS: &str = include_str!("lds_chase.s");
const SCALAR: &str = include_str!("scalar_chase.s");

/// Steps whose time is taken.
const STEPS: u32 = 8192;
/// Steps in a round of the unrolled loops, which the sources have.
const UNROLLED: u32 = 32;

const NAVISIM: &str = "NaviSim's authors, PACT 2022: OpenCL on ROCm 5.0";

/// The rows of this room, of the cards that are wanted.
pub fn rows(wanted: &Wanted<'_>) -> Result<Vec<PublishedRow>> {
    let mut rows = Vec::new();
    if let Some(machine) = wanted("rx5500xt")? {
        for (region, published) in RX5500XT_CHASE {
            let measured = vector(&mut Bench::new(&machine)?, region, 8)?;
            let name = format!("pointer chase, {}", bytes(region));
            rows.push(Measured { card: "rx5500xt", unit: "ns", published, measured, source: NAVISIM }.row(name, ""));
        }
    }
    if let Some(machine) = wanted("rx5700xt")? {
        let new = || Bench::new(&machine);
        let row = |published, measured, source| Measured { card: "rx5700xt", unit: "ns", published, measured, source };
        let memory = vector(&mut new()?, 128 << 20, 128)?;
        let lds = lds(&mut new()?)?;
        let scalar = scalar(&mut new()?)?;
        rows.push(row(276.06, memory, "hipfire, chip profile of gfx1010").row("pointer chase, memory".into(), ""));
        rows.push(
            row(26.6, lds, "Chips and Cheese, RDNA 2: Shooting For the Top").row("pointer chase, LDS".into(), ""),
        );
        let other = "the published figure is the RX 6800's: of RDNA 1 there is none";
        rows.push(row(17.4, scalar, "Chips and Cheese").row("pointer chase, scalar cache".into(), other));
    }
    Ok(rows)
}

fn bytes(n: u64) -> String {
    match n {
        n if n >= 1 << 20 => format!("{} MB", n >> 20),
        n if n >= 1 << 10 => format!("{} KB", n >> 10),
        n => format!("{n} B"),
    }
}

/// A generator of numbers that are random enough (Knuth's multiplier).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// Different cells in random order: all `cells`, or the first `most` of such an order.
fn order(cells: u64, most: u64) -> Vec<u64> {
    let mut random = Random(cells);
    if cells <= 2 * most {
        let mut all: Vec<u64> = (0..cells).collect();
        (1..cells).rev().for_each(|i| all.swap(i as usize, random.below(i + 1) as usize));
        return all;
    }
    let mut seen = std::collections::HashSet::new();
    let mut list = Vec::new();
    while (list.len() as u64) < most {
        let cell = random.below(cells);
        if seen.insert(cell) {
            list.push(cell);
        }
    }
    list
}

/// Nanoseconds of a step through `region` bytes, a power of two, in cells of `cell`.
fn vector(bench: &mut Bench, region: u64, cell: u64) -> Result<f64> {
    let base = bench.lab.memory(region)?;
    let order = order(region / cell, u64::from(STEPS) + 1);
    let next = order.iter().skip(1).chain(&order[..1]);
    for (here, next) in order.iter().zip(next) {
        bench.lab.gpu().write(base + here * cell, &(next * cell).to_le_bytes()).map_err(LabError::from)?;
    }
    let [low, high] = address(base + order[0] * cell);
    let [base_low, base_high] = address(base);
    let user = vec![base_low, base_high, low, high, region as u32 - 1, STEPS];
    let cycles = bench.number(&Program::wave(VECTOR, user))?;
    Ok(bench.ns(f64::from(cycles) / f64::from(STEPS)))
}

fn lds(bench: &mut Bench) -> Result<f64> {
    let program = Program { lds_bytes: 4096, ..Program::wave(LDS, vec![STEPS / UNROLLED]) };
    let cycles = bench.number(&program)?;
    Ok(bench.ns(f64::from(cycles) / f64::from(STEPS)))
}

fn scalar(bench: &mut Bench) -> Result<f64> {
    let (region, line) = (4096, 64);
    let base = bench.lab.memory(region)?;
    let order = order(region / line, region);
    let next = order.iter().skip(1).chain(&order[..1]);
    for (here, next) in order.iter().zip(next) {
        bench.lab.gpu().write(base + here * line, &((next * line) as u32).to_le_bytes()).map_err(LabError::from)?;
    }
    let [low, high] = address(base);
    let cycles = bench.number(&Program::wave(SCALAR, vec![low, high, STEPS / UNROLLED]))?;
    Ok(bench.ns(f64::from(cycles) / f64::from(STEPS)))
}
