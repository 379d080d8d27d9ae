//! M0 in front of LDS: where the hardware holds each address of LDS against M0, it is all ones there.
//!
//! A kernel that touches LDS sets it once, at its start. Forward dataflow then knows where it still holds (a function's
//! caller may have it otherwise, and calls, traces and some copies write it); an access where it may not sets it anew. Join is
//! conjunction from an optimistic start, so the fixpoint is the greatest.

use super::machine::{Body, Link, Machine, Placed, scalar};
use super::waits::successors;
use wavepipe_hw::order;
use wavepipe_isa::instr::Instr;
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Class, MemKind, Sem};
use wavepipe_isa::{Gen, Src};

/// Whether it is held against M0.
fn needs(instr: &Instr) -> bool {
    let row = instr.op.row();
    row.class == Class::Lds && matches!(row.sem, Sem::Mem(_, kind) if !matches!(kind, MemKind::Gws(_)))
}

fn writes(instr: &Instr, lanes: u32) -> bool {
    let calls = instr.op == i::S_SWAPPC_B64;
    calls || instr.defs(lanes).any(|a| (a.reg.0..a.reg.0 + a.dwords as u16).contains(&Src::M0.0))
}

fn ones() -> Instr {
    scalar(i::S_MOV_B32, Src::M0, &[Src::inline(u32::MAX).unwrap_or(Src::ZERO)])
}

/// Walks a block from whether M0 is all ones; with `out`, inserts what is missing. What holds behind it.
fn walk(block: &Body, mut holds: bool, lanes: u32, mut out: Option<&mut Vec<Placed>>) -> bool {
    for p in &block.insts {
        if needs(&p.instr) && !holds {
            if let Some(out) = out.as_deref_mut() {
                out.push(Placed { instr: ones(), loc: p.loc, link: Link::None });
            }
            holds = true;
        }
        if writes(&p.instr, lanes) {
            holds = p.instr == ones();
        }
        if let Some(out) = out.as_deref_mut() {
            out.push(*p);
        }
    }
    holds
}

/// Sets M0 in front of LDS accesses that need it.
pub fn insert(m: &mut Machine) {
    if !required(m.isa) || !m.blocks.iter().flat_map(|b| &b.insts).any(|p| needs(&p.instr)) {
        return;
    }
    let Some(&first) = m.order.first() else { return };
    let start = &mut m.blocks[first as usize];
    let loc = start.insts.first().map_or(start.loc, |p| p.loc);
    // The mark of code that has marks stays its first instruction.
    let marked = start.insts.first().is_some_and(|p| order::bits(&p.instr) == Some(order::BEGIN));
    start.insts.insert(usize::from(marked), Placed { instr: ones(), loc, link: Link::None });
    let mut entry = vec![true; m.blocks.len()];
    entry[first as usize] = false;
    let mut changed = true;
    while changed {
        changed = false;
        for k in 0..m.order.len() {
            let b = m.order[k] as usize;
            if !walk(&m.blocks[b], entry[b], m.lanes, None) {
                for s in successors(m, k) {
                    changed |= std::mem::replace(&mut entry[s as usize], false);
                }
            }
        }
    }
    for (block, holds) in m.blocks.iter_mut().zip(entry) {
        let mut out = Vec::with_capacity(block.insts.len());
        walk(block, holds, m.lanes, Some(&mut out));
        block.insts = out;
    }
}

fn required(isa: Gen) -> bool {
    isa.caps().lds_needs_m0
}
