//! Which lane masks hold lanes of which others, in front of each instruction.
//!
//! Compilers narrow EXEC, keep what it was in scalar registers, and give it back. Whether a vector write covers all lanes that
//! a later read wants follows from how these masks contain each other, which is what is kept: a bit for each pair. Forward
//! dataflow; paths join by what holds on all of them. Masks are named by the number of their first scalar register; lanes that
//! were never launched are in none.

use crate::graph::{Graph, Node};
use std::rc::Rc;
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Class, Format, Sem, Ty};
use wavepipe_isa::{Instr, Src};

/// A set of masks, a bit each.
pub type MaskSet = u128;

/// All lanes that were launched: no register, and at the number of none that is a mask by itself.
pub const ALL: u32 = 127;
pub const EXEC: u32 = 126;

const fn bit(mask: u32) -> MaskSet {
    1 << mask
}

/// In sets of live.rs: the lanes that EXEC had before it was split last ([`Masks::split`]). No register has the number.
pub const REST: u32 = 125;

/// What is known at a point: by mask those that hold all of its lanes, itself among them; and the mask all of whose lanes are in
/// EXEC or were in what EXEC was before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Masks(Rc<[MaskSet; 128]>, Option<u32>);

/// What is known of a value: the masks that hold all of its lanes, and those of which it holds all.
#[derive(Clone, Copy)]
struct Known {
    above: MaskSet,
    below: MaskSet,
}

/// A mask that an instruction writes.
#[derive(Clone, Copy)]
struct Written {
    mask: u32,
    known: Known,
}

impl Masks {
    /// At the entry: EXEC has all lanes, nothing else is known.
    fn entry() -> Masks {
        let mut rows: [MaskSet; 128] = std::array::from_fn(|m| bit(m as u32));
        rows[ALL as usize] |= bit(EXEC);
        Masks(Rc::new(rows), None)
    }

    /// The mask that the last write of EXEC split: EXEC has one part of it, what it was before the other.
    pub fn split(&self) -> Option<u32> {
        self.1
    }

    /// The masks that hold all lanes of this one.
    pub fn above(&self, mask: u32) -> MaskSet {
        self.0[mask as usize]
    }

    /// The masks that hold what one of these holds.
    pub fn above_any(&self, masks: MaskSet) -> MaskSet {
        let mut rest = masks;
        let mut out = masks | self.above(ALL);
        while rest != 0 {
            out |= self.above(rest.trailing_zeros());
            rest &= rest - 1;
        }
        out
    }

    fn join(&mut self, other: &Masks) -> bool {
        let mut changed = false;
        for (mine, other) in Rc::make_mut(&mut self.0).iter_mut().zip(&*other.0) {
            changed |= *mine & !other != 0;
            *mine &= other;
        }
        if self.1.is_some() && self.1 != other.1 {
            (self.1, changed) = (None, true);
        }
        changed
    }

    fn of(&self, src: Src) -> Known {
        let all_of = |mask: u32| (0..128).filter(|m| self.0[*m as usize] & bit(mask) != 0).fold(0, |s, m| s | bit(m));
        match src.inline_value() {
            Some(0) => Known { above: !0, below: 0 },
            Some(u32::MAX) => Known { above: self.above(ALL), below: !0 },
            _ if src.is_sgpr() && src.0 < 127 => Known { above: self.above(src.0.into()), below: all_of(src.0.into()) },
            _ => Known { above: 0, below: 0 },
        }
    }

    /// Forgets all masks that these registers are a part of.
    fn forget(&mut self, reg: Src, dwords: u32, lanes: u32) {
        if !reg.is_sgpr() || reg.0 >= 127 {
            return;
        }
        let first = u32::from(reg.0).saturating_sub(lanes / 32 - 1);
        let rows = Rc::make_mut(&mut self.0);
        for mask in first..(u32::from(reg.0) + dwords).min(127) {
            rows.iter_mut().for_each(|above| *above &= !bit(mask));
            rows[mask as usize] = bit(mask);
        }
    }

    fn put(&mut self, w: Written) {
        let rows = Rc::make_mut(&mut self.0);
        rows[w.mask as usize] |= w.known.above;
        for m in (0..128u32).filter(|m| w.known.below & bit(*m) != 0) {
            rows[m as usize] |= bit(w.mask) | w.known.above;
        }
    }

    /// Passes an instruction.
    fn step(&mut self, node: &Node, lanes: u32) {
        let written = written(self, &node.instr, lanes);
        self.1 = match splits(&node.instr, lanes) {
            Some(mask) => Some(mask),
            None => self.1.filter(|mask| overwritten(&node.instr, lanes) & (bit(*mask) | bit(EXEC)) == 0),
        };
        node.instr.defs(lanes).for_each(|d| self.forget(d.reg, d.dwords, lanes));
        // What was overwritten names nothing any more, but for the copy that was made of it.
        let gone = overwritten(&node.instr, lanes);
        let saved = saves(&node.instr, lanes);
        for w in written.into_iter().flatten() {
            let still = |set: MaskSet| match saved {
                Some(copy) if set & bit(EXEC) != 0 => set & !gone | bit(copy),
                _ => set & !gone,
            };
            let known =
                Known { above: still(w.known.above) & !bit(w.mask), below: still(w.known.below) & !bit(w.mask) };
            self.put(Written { known, ..w });
        }
    }
}

/// The masks that an instruction writes, or a part of.
fn overwritten(instr: &Instr, lanes: u32) -> MaskSet {
    let mut gone = 0;
    for d in instr.defs(lanes).filter(|d| d.reg.is_sgpr() && d.reg.0 < 127) {
        let first = u32::from(d.reg.0).saturating_sub(lanes / 32 - 1);
        (first..(u32::from(d.reg.0) + d.dwords).min(127)).for_each(|m| gone |= bit(m));
    }
    gone
}

/// `EXEC = mask ^ EXEC` and `EXEC = mask & ~EXEC`: the mask, whose lanes were in EXEC or are now.
pub fn splits(instr: &Instr, lanes: u32) -> Option<u32> {
    let whole = instr.op.row().dst.first().is_some_and(|ty| ty.dwords(lanes) == lanes / 32);
    let exec = |src: Src| src == Src::EXEC_LO;
    if !whole || !exec(instr.dst[0]) {
        return None;
    }
    let mask = match (instr.op, instr.src[0], instr.src[1]) {
        (i::S_XOR_B32 | i::S_XOR_B64, a, b) if exec(a) != exec(b) => {
            if exec(a) {
                b
            } else {
                a
            }
        }
        (i::S_ANDN2_B32 | i::S_ANDN2_B64, a, b) if exec(b) && !exec(a) => a,
        _ => return None,
    };
    (mask.is_sgpr() && mask.0 < REST as u16).then_some(mask.0.into())
}

/// Where an instruction that changes EXEC keeps it.
fn saves(instr: &Instr, lanes: u32) -> Option<u32> {
    let whole = instr.op.row().src.first().is_some_and(|ty| ty.dwords(lanes) == lanes / 32);
    let kept = matches!(instr.op.row().sem, Sem::SaveExec) && whole && instr.dst[0].is_sgpr() && instr.dst[0].0 < 126;
    kept.then_some(instr.dst[0].0.into())
}

/// How two masks become one.
enum Joined {
    And,
    AndNot,
    Or,
    Xor,
    Other,
}

fn joined(instr: &Instr) -> Joined {
    match instr.op {
        i::S_AND_B32 | i::S_AND_B64 | i::S_AND_SAVEEXEC_B32 | i::S_AND_SAVEEXEC_B64 => Joined::And,
        i::S_ANDN2_B32 | i::S_ANDN2_B64 | i::S_ANDN2_SAVEEXEC_B32 | i::S_ANDN2_SAVEEXEC_B64 => Joined::AndNot,
        i::S_OR_B32 | i::S_OR_B64 | i::S_OR_SAVEEXEC_B32 | i::S_OR_SAVEEXEC_B64 => Joined::Or,
        i::S_XOR_B32 | i::S_XOR_B64 | i::S_XOR_SAVEEXEC_B32 | i::S_XOR_SAVEEXEC_B64 => Joined::Xor,
        _ => Joined::Other,
    }
}

/// The masks that an instruction writes, with what is known of them in terms of the values in front of it.
fn written(masks: &Masks, instr: &Instr, lanes: u32) -> [Option<Written>; 2] {
    let row = instr.op.row();
    let exec = masks.of(Src::EXEC_LO);
    let narrowed = Known { above: exec.above, below: 0 };
    let whole = |ty: Ty| ty.dwords(lanes) == lanes / 32;
    let to = |src: Src, known: Known| (src.is_sgpr() && src.0 < 127).then_some(Written { mask: src.0.into(), known });
    let combined = |a: Known, b: Known, a_in_b: bool, b_in_a: bool| match joined(instr) {
        Joined::And => Known { above: a.above | b.above, below: a.below & b.below },
        Joined::AndNot => Known { above: a.above, below: 0 },
        Joined::Or if b_in_a => a,
        Joined::Or if a_in_b => b,
        Joined::Or => Known { above: a.above & b.above, below: a.below | b.below },
        Joined::Xor => Known { above: a.above & b.above, below: 0 },
        Joined::Other => Known { above: 0, below: 0 },
    };
    let inside = |a: Src, b: Known| a.is_sgpr() && a.0 < 127 && b.below & bit(a.0.into()) != 0;
    match row.sem {
        Sem::SaveExec if row.src.first().is_some_and(|ty| whole(*ty)) => {
            let src = masks.of(instr.src[0]);
            let new = combined(src, exec, inside(instr.src[0], exec), inside(Src::EXEC_LO, src));
            [to(instr.dst[0], exec), Some(Written { mask: EXEC, known: new })]
        }
        Sem::CompareExec => [to(instr.dst[0], narrowed), Some(Written { mask: EXEC, known: narrowed })],
        _ if instr.op == i::S_MOV_B32 || instr.op == i::S_MOV_B64 => {
            match row.dst.first().is_some_and(|ty| whole(*ty)) {
                true => [to(instr.dst[0], masks.of(instr.src[0])), None],
                false => [None, None],
            }
        }
        _ if row.format == Format::Sop2 && row.dst.first().is_some_and(|ty| whole(*ty)) => {
            let (a, b) = (masks.of(instr.src[0]), masks.of(instr.src[1]));
            match joined(instr) {
                Joined::Other => [None, None],
                _ => [to(instr.dst[0], combined(a, b, inside(instr.src[0], b), inside(instr.src[1], a))), None],
            }
        }
        // Comparisons and carries give no lane that is off.
        _ if matches!(row.class, Class::Valu | Class::Trans | Class::MulWide | Class::Double) => {
            let mask = |n: usize| row.dst.get(n).is_some_and(|ty| matches!(ty, Ty::Mask | Ty::Vcc));
            let at = |n: usize| mask(n).then(|| to(resolved(instr, n), narrowed)).flatten();
            [at(0), at(1)]
        }
        _ => [None, None],
    }
}

fn resolved(instr: &Instr, n: usize) -> Src {
    if instr.dst[n] == Src::NONE { Src::VCC_LO } else { instr.dst[n] }
}

/// In terms of the values in front of an instruction: the masks that hold what `masks` hold behind it.
pub fn before(at: &Masks, instr: &Instr, lanes: u32, masks: MaskSet) -> MaskSet {
    let gone = overwritten(instr, lanes);
    // What EXEC was is EXEC again where it was split, and forgotten where it was written otherwise.
    let rest = match (masks & bit(REST) != 0, splits(instr, lanes)) {
        (true, Some(_)) => bit(EXEC),
        (true, None) if gone & bit(EXEC) == 0 => bit(REST),
        _ => 0,
    };
    let masks = masks & !bit(REST);
    if gone & masks == 0 {
        return masks | rest;
    }
    let all = written(at, instr, lanes).into_iter().flatten().filter(|w| masks & bit(w.mask) != 0);
    at.above_any(all.fold(masks & !gone | rest, |set, w| set | w.known.above))
}

/// What is known where each block is entered; of blocks that are not reached, as at the entry.
pub fn masks(graph: &Graph, blocks: &[std::ops::Range<usize>]) -> Vec<Masks> {
    let mut of_node = vec![0; graph.nodes.len()];
    blocks.iter().enumerate().for_each(|(b, nodes)| nodes.clone().for_each(|n| of_node[n] = b));
    let mut entry: Vec<Option<Masks>> = vec![None; blocks.len()];
    if let Some(first) = graph.entry {
        entry[of_node[first as usize]] = Some(Masks::entry());
        let mut todo = std::collections::BTreeSet::from([of_node[first as usize]]);
        while let Some(b) = todo.pop_first() {
            let Some(mut state) = entry[b].clone() else { continue };
            for n in blocks[b].clone().filter(|n| graph.nodes[*n].instr.defs(graph.lanes).any(|d| d.reg.is_sgpr())) {
                state.step(&graph.nodes[n], graph.lanes);
            }
            for &next in &graph.nodes[blocks[b].end - 1].next {
                let next = of_node[next as usize];
                let changed = match &mut entry[next] {
                    Some(known) => known.join(&state),
                    none => {
                        *none = Some(state.clone());
                        true
                    }
                };
                if changed {
                    todo.insert(next);
                }
            }
        }
    }
    entry.into_iter().map(|masks| masks.unwrap_or_else(Masks::entry)).collect()
}

impl Masks {
    /// As it is in front of each node of a block that is entered so.
    pub fn walk(&self, graph: &Graph, nodes: std::ops::Range<usize>) -> Vec<Masks> {
        let mut state = self.clone();
        let pass = |n: usize| {
            let before = state.clone();
            if graph.nodes[n].instr.defs(graph.lanes).any(|d| d.reg.is_sgpr()) {
                state.step(&graph.nodes[n], graph.lanes);
            }
            before
        };
        nodes.map(pass).collect()
    }
}
