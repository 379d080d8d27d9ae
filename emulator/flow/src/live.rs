//! Live registers: those whose value some way on still reads.
//!
//! Backward dataflow over instructions. A scalar register is wanted by a read until the write in front of it. Of a vector
//! register lanes are wanted, those that the reads have on; they are followed as the set of lane masks that are known to hold them all
//! ([`crate::masks`]). A write ends the want if EXEC is in that set: then it covers every lane; a write under an EXEC that may
//! have less leaves the register live, for its other lanes keep what they had: where EXEC is the other side of a branch, those that the
//! first side had on. A write of a part of the dword does so too; a
//! 16-bit result in the lower half counts as the whole register. Where control goes nobody knows where, all registers are live that
//! the code has.

use crate::graph::{Graph, Node};
use crate::masks::{self, ALL, EXEC, MaskSet, Masks, REST};
use std::collections::BTreeSet;
use std::ops::Range;
use wavepipe_isa::instr::{Extra, Form};
use wavepipe_isa::row::{Format, MemKind, Sem, Traits, WaveOp};
use wavepipe_isa::{Instr, Src};

/// VGPRs that there are.
const VGPRS: usize = 256;
/// SGPRs that programs count; VCC, M0 and EXEC lie above.
const SGPRS: u32 = 106;

/// Registers: scalar ones by their operand numbers, vector ones by theirs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    pub scalar: u128,
    pub vector: [u128; 2],
}

/// How many.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Counts {
    pub vgprs: u32,
    /// Those that a program numbers: VCC is none.
    pub sgprs: u32,
}

impl Registers {
    pub fn has(&self, reg: Src) -> bool {
        match reg.is_vgpr() {
            true => self.vector[reg.vgpr() as usize / 128] >> (reg.vgpr() % 128) & 1 != 0,
            false => reg.0 < 128 && self.scalar >> reg.0 & 1 != 0,
        }
    }

    fn insert(&mut self, reg: Src, dwords: u32) {
        for n in 0..dwords {
            if reg.is_vgpr() && ((reg.vgpr() + n) as usize) < VGPRS {
                let v = reg.vgpr() + n;
                self.vector[v as usize / 128] |= 1 << (v % 128);
            } else if reg.is_sgpr() && u32::from(reg.0) + n < 128 {
                self.scalar |= 1 << (u32::from(reg.0) + n);
            }
        }
    }

    fn join(&self, other: &Registers) -> Registers {
        Registers { scalar: self.scalar | other.scalar, vector: [0, 1].map(|n| self.vector[n] | other.vector[n]) }
    }

    pub fn counts(&self) -> Counts {
        let numbered = self.scalar & ((1 << SGPRS) - 1);
        Counts { vgprs: self.vector.iter().map(|v| v.count_ones()).sum(), sgprs: numbered.count_ones() }
    }

    /// Ascending, scalar ones first.
    pub fn iter(&self) -> impl Iterator<Item = Src> + '_ {
        (0..128).map(Src).chain((0..VGPRS as u32).map(Src::v)).filter(|r| self.has(*r))
    }
}

/// What is live at each node of a graph.
#[derive(Clone, Debug)]
pub struct Live {
    /// In front of each node, and behind it.
    pub before: Vec<Registers>,
    pub after: Vec<Registers>,
    /// What each node takes: what is live in front of it, or what is live or written behind it, of each kind the more.
    pub pressure: Vec<Counts>,
}

impl Live {
    pub fn of(graph: &Graph) -> Live {
        let blocks = graph.blocks();
        let entered = masks::masks(graph, &blocks);
        let all = named(graph);
        let mut of_node = vec![0; graph.nodes.len()];
        blocks.iter().enumerate().for_each(|(b, nodes)| nodes.clone().for_each(|n| of_node[n] = b));
        let mut at_begin: Vec<Wants> = vec![Wants::default(); blocks.len()];
        let mut todo: BTreeSet<usize> = (0..blocks.len()).collect();
        while let Some(b) = todo.pop_last() {
            let mut wants = at_end(graph, &blocks[b], &of_node, &at_begin);
            let states = entered[b].walk(graph, blocks[b].clone());
            for (n, at) in blocks[b].clone().zip(&states).rev() {
                wants.step(&graph.nodes[n], at, graph.lanes, &all);
            }
            if wants != at_begin[b] {
                at_begin[b] = wants;
                todo.extend(graph.from[blocks[b].start].iter().map(|n| of_node[*n as usize]));
            }
        }
        let mut live = Live {
            before: vec![Registers::default(); graph.nodes.len()],
            after: vec![Registers::default(); graph.nodes.len()],
            pressure: vec![Counts::default(); graph.nodes.len()],
        };
        for nodes in &blocks {
            let b = of_node[nodes.start];
            let mut wants = at_end(graph, nodes, &of_node, &at_begin);
            let states = entered[b].walk(graph, nodes.clone());
            for (n, at) in nodes.clone().zip(&states).rev() {
                let node = &graph.nodes[n];
                live.after[n] = wants.live;
                wants.step(node, at, graph.lanes, &all);
                live.before[n] = wants.live;
                let mut behind = live.after[n];
                node.instr.defs(graph.lanes).for_each(|d| behind.insert(d.reg, d.dwords));
                let (a, b) = (live.before[n].counts(), behind.counts());
                live.pressure[n] = Counts { vgprs: a.vgprs.max(b.vgprs), sgprs: a.sgprs.max(b.sgprs) };
            }
        }
        live
    }

    /// The first nodes that take the most VGPRs, and the most SGPRs; `None` of no code.
    pub fn peaks(&self) -> Option<(usize, usize)> {
        let most = |of: fn(&Counts) -> u32| {
            let most = self.pressure.iter().map(of).max()?;
            self.pressure.iter().position(|c| of(c) == most)
        };
        Some((most(|c| c.vgprs)?, most(|c| c.sgprs)?))
    }
}

/// All registers that the code reads or writes.
fn named(graph: &Graph) -> Registers {
    let mut all = Registers::default();
    for node in &graph.nodes {
        let accesses = node.instr.uses(graph.lanes).chain(node.instr.defs(graph.lanes));
        accesses.for_each(|a| all.insert(a.reg, a.dwords));
    }
    all
}

fn at_end(graph: &Graph, nodes: &Range<usize>, of_node: &[usize], at_begin: &[Wants]) -> Wants {
    let mut wants = Wants::default();
    for next in &graph.nodes[nodes.end - 1].next {
        wants.join(&at_begin[of_node[*next as usize]]);
    }
    wants
}

/// What is wanted at a point.
#[derive(Clone, Default, PartialEq, Eq)]
struct Wants {
    live: Registers,
    /// Of each VGPR up to the last that was ever live: masks that hold all wanted lanes; all masks if none is wanted.
    covers: Vec<MaskSet>,
}

impl Wants {
    fn join(&mut self, other: &Wants) {
        self.live = self.live.join(&other.live);
        let longer = self.covers.len().max(other.covers.len());
        self.covers.resize(longer, !0);
        self.covers.iter_mut().zip(&other.covers).for_each(|(mine, other)| *mine &= other);
    }

    fn want(&mut self, v: u32, cover: MaskSet) {
        let at = v as usize;
        if at >= VGPRS {
            return;
        }
        if self.covers.len() <= at {
            self.covers.resize(at + 1, !0);
        }
        self.live.vector[at / 128] |= 1 << (v % 128);
        self.covers[at] &= cover;
    }

    fn drop(&mut self, v: u32) {
        let at = v as usize;
        if let Some(cover) = self.covers.get_mut(at) {
            self.live.vector[at / 128] &= !(1 << (v % 128));
            *cover = !0;
        }
    }

    /// Passes an instruction backwards; `at`: the masks in front of it.
    fn step(&mut self, node: &Node, at: &Masks, lanes: u32, all: &Registers) {
        let instr = &node.instr;
        if instr.defs(lanes).any(|d| d.reg.is_sgpr()) {
            for cover in self.covers.iter_mut().filter(|c| **c != !0) {
                *cover = masks::before(at, instr, lanes, *cover);
            }
        }
        let whole = at.above(ALL) >> EXEC & 1 != 0;
        let part = is_part(instr);
        for d in instr.defs(lanes) {
            if !d.reg.is_vgpr() {
                let mut gone = Registers::default();
                gone.insert(d.reg, d.dwords);
                self.live.scalar &= !gone.scalar;
                continue;
            }
            for v in (d.reg.vgpr()..).take(d.dwords as usize) {
                let covered = self.covers.get(v as usize).is_none_or(|c| c >> EXEC & 1 != 0);
                if part {
                    continue;
                }
                if whole || covered {
                    self.drop(v);
                } else if let Some(cover) = self.covers.get_mut(v as usize)
                    && at.split().is_some_and(|mask| *cover >> mask & 1 != 0)
                {
                    // The other part of the mask is what EXEC was before.
                    *cover |= 1 << REST;
                }
            }
        }
        if node.unknown {
            self.live.scalar |= all.scalar;
            (0..VGPRS as u32).filter(|v| all.has(Src::v(*v))).for_each(|v| self.want(v, 0));
        }
        let (own, any) = (at.above(EXEC) | at.above(ALL), at.above(ALL));
        let elsewhere = reads_elsewhere(instr);
        for u in instr.uses(lanes) {
            if u.reg.is_vgpr() {
                let cover = if elsewhere { any } else { own };
                (u.reg.vgpr()..).take(u.dwords as usize).for_each(|v| self.want(v, cover));
            } else {
                self.live.insert(u.reg, u.dwords);
            }
        }
        // What M0 selects may be any register from the named one on.
        if let Sem::Wave(WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2 | WaveOp::SwapRel) = instr.op.row().sem
        {
            match instr.src[0] {
                base if base.is_vgpr() => {
                    let above = (base.vgpr()..VGPRS as u32).filter(|v| all.has(Src::v(*v)));
                    above.for_each(|v| self.want(v, own));
                }
                base => self.live.scalar |= all.scalar & !((1 << base.0.min(127)) - 1) & ((1 << SGPRS) - 1),
            }
        }
        // Lanes that are permuted from nowhere keep what their register had.
        if keeps_lanes(instr) {
            for d in instr.defs(lanes).filter(|d| d.reg.is_vgpr()) {
                (d.reg.vgpr()..).take(d.dwords as usize).for_each(|v| self.want(v, own));
            }
        }
    }
}

/// Whether a result leaves a part of its register, or of its lanes that are on, as it was.
fn is_part(instr: &Instr) -> bool {
    let row = instr.op.row();
    let half = match instr.extra {
        Extra::Sdwa(s) => s.dst_sel != 6 && s.dst_unused == 2,
        _ => false,
    };
    let vector = matches!(row.format, Format::Vop1 | Format::Vop2 | Format::Vop3 | Format::Vop3p);
    let upper = vector && instr.mods.op_sel & 8 != 0 && !row.traits.contains(Traits::ROW_SELECTS);
    let moved = matches!(
        row.sem,
        Sem::Wave(WaveOp::WriteLane | WaveOp::MovrelD | WaveOp::MovrelSD | WaveOp::MovrelSD2 | WaveOp::SwapRel)
    );
    let d16 = matches!(row.sem, Sem::Mem(_, MemKind::LoadD16 { .. }));
    half || upper || moved || d16 || keeps_lanes(instr)
}

/// Whether lanes may be permuted from where there is none, and keep what they had.
fn keeps_lanes(instr: &Instr) -> bool {
    match instr.extra {
        Extra::Dpp16(d) if matches!(instr.form, Form::Dpp16 | Form::E64Dpp16) => {
            !d.bound_ctrl || d.row_mask != 0xf || d.bank_mask != 0xf
        }
        _ => false,
    }
}

/// Whether it reads registers of lanes that are off.
fn reads_elsewhere(instr: &Instr) -> bool {
    let row = instr.op.row();
    let inactive = match instr.extra {
        Extra::Dpp16(d) => d.fetch_inactive,
        Extra::Dpp8 { fetch_inactive, .. } => fetch_inactive,
        _ => false,
    };
    let across = match row.sem {
        Sem::Wave(WaveOp::ReadLane) => true,
        Sem::Wave(WaveOp::Permlane16 | WaveOp::Permlanex16) => instr.mods.op_sel & 1 != 0,
        _ => false,
    };
    inactive || across || row.traits.contains(Traits::MATRIX)
}
