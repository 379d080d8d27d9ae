//! Which guest registers have a host register for all of a region.
//!
//! ```text
//! fixed:   the registers that loops name most often, each loop around a mention counting eightfold
//! soiled:  which fixed registers may be newer than memory where a node begins: forward, the union of what comes in;
//!          a call leaves none, a write adds one
//! ```

use super::super::emit::Emitter;
use super::super::registers::Home;
use crate::items::{Item, depths, target, ways};
use crate::step::{Plan, ResultPlace, operand};
use wavepipe_core::wave::{Access, Operand, Region, Step};

/// Host registers that are left for what is not fixed.
const LOOSE: usize = 12;

/// What a node writes of fixed registers, and whether a call stands in front of that.
#[derive(Clone, Copy, Default)]
struct Soil {
    writes: u32,
    calls: bool,
}

/// Registers that a plan names, each with its number of mentions.
fn named(step: &Step, plan: &Plan) -> impl Iterator<Item = u32> {
    let read = plan.nodes.iter().filter_map(|n| match n.f {
        crate::record::F::source => match operand(step, n.literal)? {
            Operand::Vgpr(v) => Some(v + (n.literal & 1)),
            _ => None,
        },
        _ => None,
    });
    read.chain(written(plan)).collect::<Vec<_>>().into_iter()
}

fn written(plan: &Plan) -> impl Iterator<Item = u32> {
    plan.results.iter().filter_map(|(place, _)| match place {
        ResultPlace::Vgpr(v) => Some(*v),
        _ => None,
    })
}

/// Registers that a load writes.
fn loaded(access: &Access) -> impl Iterator<Item = u32> {
    let parts = access.parts.iter().flatten().filter(|_| !access.store);
    parts.flat_map(|p| p.data..p.data + access.dwords)
}

/// Fixes the registers that loops name most often; each one's bits as [`Registers::soiled`] has them.
pub fn fixed(region: &Region, items: &[Vec<Item<'_>>], e: &mut Emitter) -> Vec<(u32, u32)> {
    let depths = depths(region);
    let mut weight = std::collections::BTreeMap::<u32, u64>::new();
    for (items, depth) in items.iter().zip(depths).filter(|(_, depth)| *depth > 0) {
        for item in items {
            let mut count = |v| *weight.entry(v).or_default() += 8u64.pow(depth);
            match item {
                Item::Step(_, step, plan) => named(step, plan).for_each(count),
                Item::Access(_, access) => access.address.into_iter().chain(loaded(access)).for_each(&mut count),
                Item::Call(_) => {}
            }
        }
    }
    let mut most: Vec<(u64, u32)> = weight.into_iter().map(|(v, w)| (w, v)).collect();
    most.sort_by_key(|&(w, v)| (std::cmp::Reverse(w), v));
    let chunks = usize::from(e.chunks());
    most.truncate((e.host.registers() - LOOSE) / chunks);
    let mut next = e.host.registers();
    let mut fixed = Vec::new();
    for (_, v) in most {
        let mut bits = 0;
        for chunk in 0..chunks {
            next -= 1;
            e.registers.fix(next as u8, Home::Vgpr(v, chunk as u8));
            bits |= 1 << next;
        }
        fixed.push((v, bits));
    }
    fixed
}

/// The fixed registers that may be newer than memory where each node begins.
pub fn soiled(region: &Region, items: &[Vec<Item<'_>>], fixed: &[(u32, u32)]) -> Vec<u32> {
    let mut soiled = vec![0; region.nodes.len()];
    let bits = |v: u32| fixed.iter().find(|(w, _)| *w == v).map_or(0, |(_, bits)| *bits);
    let nodes = items.iter().map(|items| {
        items.iter().fold(Soil::default(), |soil, item| match item {
            Item::Call(_) => Soil { writes: 0, calls: true },
            Item::Access(_, access) => Soil { writes: loaded(access).fold(soil.writes, |m, v| m | bits(v)), ..soil },
            Item::Step(_, _, plan) => Soil { writes: written(plan).fold(soil.writes, |m, v| m | bits(v)), ..soil },
        })
    });
    let nodes: Vec<Soil> = nodes.collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (n, soil) in nodes.iter().enumerate() {
            let out = soil.writes | if soil.calls { 0 } else { soiled[n] };
            for t in ways(region.nodes[n].end).filter_map(target) {
                changed |= out & !soiled[t] != 0;
                soiled[t] |= out;
            }
        }
    }
    soiled
}
