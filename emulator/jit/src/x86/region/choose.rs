//! Which guest registers have a host register for all of a region.
//!
//! ```text
//! fixed:   the registers that loops would load and store most often, each loop around counting eightfold; what host registers these
//!          leave, constants and scalars in all lanes that loops ask for most often, of scalars those that the region does not write
//! soiled:  which fixed registers may be newer than memory where a node begins: forward, the union of what comes in;
//!          a call leaves none, a write adds one
//! ```

use super::super::emit::{Emitter, Files, words};
use super::super::registers::Home;
use super::running::{self, Running};
use crate::items::{Item, depths, target, ways};
use crate::step::{EXEC, Plan, SCC, Scalars, VCC};
use crate::x86::{Host, X86Isa};
use std::collections::{BTreeMap, BTreeSet};
use wavepipe_core::wave::{Access, Across, Asked, End, Motion, Region, Step};
use wavepipe_isa::Src;

/// How many host registers are fixed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fixes {
    Most,
    /// If steps were crowded out by those.
    Fewer,
    None,
}

impl Fixes {
    /// In the order in which they are tried behind the first.
    pub const LESS: [Fixes; 2] = [Fixes::Fewer, Fixes::None];
}

/// Host registers that may be fixed, where loops name so many guest registers: with AVX2 those of two guest registers of a wave32, of
/// one, or none.
fn fixable(host: Host, named: usize, fixes: Fixes) -> usize {
    match (host.target, fixes) {
        (_, Fixes::None) => 0,
        (X86Isa::Avx512, _) => host.registers() - 12,
        (X86Isa::Avx2, Fixes::Most) if named <= FEWEST => host.registers() - 7,
        (X86Isa::Avx2, _) if named <= FEW => host.registers() - 11,
        (X86Isa::Avx2, _) => 0,
    }
}

/// Guest registers that loops name, beyond which with AVX2 those that are not fixed lose more than one gains.
const FEW: usize = 8;
/// The same for two.
const FEWEST: usize = 4;
/// The scalars in front of NULL.
const NAMED: u8 = Src::NULL.0 as u8;

/// What a node writes of fixed registers, and whether a call stands in front of that.
#[derive(Clone, Copy, Default)]
struct Soil {
    writes: Files<u32>,
    calls: bool,
}

/// Guest registers that have host registers for good, each with its bits as [`Registers::begin`] has them.
///
/// [`Registers::begin`]: super::super::registers::Registers::begin
#[derive(Default)]
pub struct Fixed {
    vgprs: Vec<(u32, u32)>,
    scalars: Vec<(u8, u32)>,
}

impl Fixed {
    pub fn any(&self) -> bool {
        !self.vgprs.is_empty()
    }

    fn vgpr(&self, v: u32) -> u32 {
        self.vgprs.iter().find(|(w, _)| *w == v).map_or(0, |(_, bits)| *bits)
    }

    fn scalar(&self, i: u8) -> u32 {
        self.scalars.iter().find(|(j, _)| *j == i).map_or(0, |(_, bits)| *bits)
    }

    /// What a plan writes of them.
    fn written(&self, plan: &Plan) -> Files<u32> {
        let words = self.scalars.iter().filter(|(i, _)| plan.effect.writes.has(*i));
        Files {
            vectors: plan.vectors_written().fold(0, |bits, v| bits | self.vgpr(v)),
            words: words.fold(0, |all, (_, bits)| all | bits),
        }
    }
}

/// Registers that an access writes.
pub(super) fn loaded(access: &Access) -> impl Iterator<Item = u32> {
    let parts = access.parts.iter().flatten().filter(|_| access.motion == Motion::Load);
    let loads = parts.flat_map(|p| p.data..p.data + access.dwords);
    let returns = match access.motion {
        Motion::Atomic { returns, .. } => returns,
        Motion::Load | Motion::Store => None,
    };
    loads.chain(returns)
}

/// What a load or a store of a register that is not fixed weighs.
const CLEAR: u64 = 4;

/// What a run of steps has made host registers hold: a register is loaded once, and stored once, however often they name it.
#[derive(Default)]
struct Seen {
    held: BTreeSet<u32>,
    stored: BTreeSet<u32>,
    /// In the node so far.
    written: BTreeSet<u32>,
}

impl Seen {
    /// What a step loads and stores, and how much that weighs: more, if what is loaded comes from another round, which waits for it.
    fn step(&mut self, step: &Step, plan: &Plan) -> Vec<(u32, u64)> {
        let mut all = Vec::new();
        for v in plan.vectors_read(step) {
            if self.held.insert(v) {
                all.push((v, if self.written.contains(&v) { CLEAR } else { CLEAR + 1 }));
            }
        }
        for v in plan.vectors_written() {
            self.held.insert(v);
            self.written.insert(v);
            if self.stored.insert(v) {
                all.push((v, CLEAR));
            }
        }
        all
    }

    /// Behind the run.
    fn end(&mut self, item: &Item<'_>) {
        self.held.clear();
        self.stored.clear();
        if let Item::Access(_, access) = item {
            self.written.extend(loaded(access));
        }
    }
}

/// What all lanes have alike, by how much it weighs that runs of vector steps in loops load it.
#[derive(Default)]
struct Alike {
    weights: BTreeMap<Home, u64>,
    /// By the run so far.
    held: BTreeSet<Home>,
}

impl Alike {
    fn step(&mut self, step: &Step, plan: &Plan, weight: u64) {
        let named = plan.nodes.iter().filter_map(|node| Home::named(step, node, 0));
        for home in named.filter(|home| !matches!(home, Home::Vgpr(..))) {
            if self.held.insert(home) {
                *self.weights.entry(home).or_default() += weight;
            }
        }
    }
}

/// Fixes the registers whose loads and stores weigh most in loops, and says which of them run.
pub fn fixed(region: &Region, items: &[Vec<Item<'_>>], e: &mut Emitter, fixes: Fixes) -> (Fixed, Running) {
    let depths = depths(region);
    let mut vgprs = BTreeMap::<u32, u64>::new();
    let mut scalars = BTreeMap::<u8, u64>::new();
    let mut alike = Alike::default();
    for (n, (items, depth)) in items.iter().zip(depths).enumerate().filter(|(_, (_, depth))| *depth > 0) {
        let weight = 8u64.pow(depth);
        let mut seen = Seen::default();
        alike.held.clear();
        for item in items {
            let mut count = |v| *vgprs.entry(v).or_default() += CLEAR * weight;
            match item {
                Item::Step(_, step, plan) => {
                    for (v, times) in seen.step(step, plan) {
                        *vgprs.entry(v).or_default() += times * weight;
                    }
                    for (i, times) in words_of(step, plan) {
                        *scalars.entry(i).or_default() += weight * times;
                    }
                    if !step.is_scalar() {
                        alike.step(step, plan, weight);
                    }
                    continue;
                }
                Item::Access(_, access) => access.address.into_iter().chain(loaded(access)).for_each(&mut count),
                Item::Across(_, Across::Take { from, to, .. } | Across::Give { from, to, .. }) => {
                    [*from, *to].into_iter().for_each(&mut count)
                }
                Item::Across(_, Across::Read { to, .. }) => *scalars.entry(*to).or_default() += weight,
                Item::Across(_, Across::Write { .. })
                | Item::Fetch(..)
                | Item::Pc(..)
                | Item::Wait
                | Item::Halt(..)
                | Item::Call(_) => {}
            }
            seen.end(item);
            alike.held.clear();
        }
        if let End::Branch { when, .. } = region.nodes[n].end {
            let first = match when.of {
                Asked::Scc => SCC,
                Asked::Vcc => VCC,
                Asked::Exec => EXEC,
            };
            *scalars.entry(first).or_default() += weight;
        }
    }
    let chunks = usize::from(e.chunks());
    let mut fixed = Fixed::default();
    let mut next = e.host.registers();
    let named = vgprs.len();
    let room = fixable(e.host, named, fixes);
    let run = match (e.host.target, fixes) {
        (X86Isa::Avx2, Fixes::Most) => running::carried(region, items, FEWEST),
        _ => Vec::new(),
    };
    let carried = run.iter().map(|(_, all)| all.len()).max().unwrap_or(0);
    let runs = carried.min(fixable(e.host, named.min(FEW), fixes) / chunks);
    // What runs is worth more.
    let guests = if runs > 0 { 0 } else { room / chunks };
    for v in most(vgprs, guests) {
        let mut bits = 0;
        for chunk in 0..chunks {
            next -= 1;
            e.registers.fix(next as u8, Home::Vgpr(v, chunk as u8));
            bits |= 1 << next;
        }
        fixed.vgprs.push((v, bits));
    }
    let mut running = Running::default();
    if runs > 0 {
        next -= runs * chunks;
        (next..next + runs * chunks).for_each(|r| e.registers.reserve_running(r as u8));
        for (l, all) in run {
            let homes = all.iter().take(runs).flat_map(|&v| (0..chunks).map(move |chunk| Home::Vgpr(v, chunk as u8)));
            running.add(l, (next..).map(|r| r as u8).zip(homes).collect());
        }
    }
    let stays = |i: u8| i < NAMED && !items.iter().flatten().any(|item| item.scalars().has(i));
    alike.weights.retain(|home, _| !matches!(*home, Home::Scalar(i) if !stays(i)));
    for home in most(alike.weights, room.saturating_sub((guests.min(named) + runs) * chunks)) {
        next -= 1;
        e.registers.fix(next as u8, home);
    }
    for (n, i) in most(scalars, words::COUNT - words::LOOSE).into_iter().enumerate() {
        let r = words::COUNT - 1 - n;
        e.words.fix(r as u8, Home::Scalar(i));
        fixed.scalars.push((i, 1 << r));
    }
    (fixed, running)
}

/// The scalars that gain by a general register of their own, and how often a step names each.
fn words_of(step: &Step, plan: &Plan) -> Vec<(u8, u64)> {
    let e = &plan.effect;
    // What a vector step reads for all lanes is in memory as near.
    let reads = if step.is_scalar() { e.reads } else { Scalars::default() };
    let named = |i: &u8| e.writes.has(*i) || e.masks.has(*i) || reads.has(*i);
    let times = |i: u8| u64::from(e.writes.has(i)) + u64::from(e.masks.has(i) || reads.has(i));
    (0..NAMED).chain([EXEC, EXEC + 1, SCC]).filter(named).map(|i| (i, times(i))).collect()
}

/// The `n` that weigh most.
fn most<K: Ord + Copy>(weights: BTreeMap<K, u64>, n: usize) -> Vec<K> {
    let mut most: Vec<(u64, K)> = weights.into_iter().map(|(k, w)| (w, k)).collect();
    most.sort_by_key(|&(w, k)| (std::cmp::Reverse(w), k));
    most.truncate(n);
    most.into_iter().map(|(_, k)| k).collect()
}

/// The fixed registers that may be newer than memory where each node begins.
pub fn soiled(region: &Region, items: &[Vec<Item<'_>>], fixed: &Fixed) -> Vec<Files<u32>> {
    let mut soiled = vec![Files::default(); region.nodes.len()];
    let nodes = items.iter().map(|items| {
        items.iter().fold(Soil::default(), |soil, item| match item {
            Item::Halt(..) | Item::Call(_) => Soil { writes: Files::default(), calls: true },
            Item::Fetch(..) | Item::Wait | Item::Across(_, Across::Write { .. }) => soil,
            Item::Pc(to, _) => {
                let words = fixed.scalar(*to) | fixed.scalar(to + 1);
                Soil { writes: soil.writes.or(Files { vectors: 0, words }), ..soil }
            }
            Item::Across(_, Across::Take { to, .. } | Across::Give { to, .. }) => {
                let vectors = fixed.vgpr(*to);
                Soil { writes: soil.writes.or(Files { vectors, words: 0 }), ..soil }
            }
            Item::Across(_, Across::Read { to, .. }) => {
                Soil { writes: soil.writes.or(Files { vectors: 0, words: fixed.scalar(*to) }), ..soil }
            }
            Item::Access(_, access) => {
                let vectors = loaded(access).fold(0, |bits, v| bits | fixed.vgpr(v));
                Soil { writes: soil.writes.or(Files { vectors, words: 0 }), ..soil }
            }
            Item::Step(_, _, plan) => Soil { writes: soil.writes.or(fixed.written(plan)), ..soil },
        })
    });
    let nodes: Vec<Soil> = nodes.collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (n, soil) in nodes.iter().enumerate() {
            let out = if soil.calls { soil.writes } else { soil.writes.or(soiled[n]) };
            for t in ways(region.nodes[n].end).filter_map(target) {
                let all = soiled[t].or(out);
                changed |= all != soiled[t];
                soiled[t] = all;
            }
        }
    }
    soiled
}
