//! Liveness by dword: scalar registers along linear edges, vector registers along logical edges.
//!
//! Backward dataflow over bit sets of dwords ("units"), blocks visited in reverse layout order until nothing changes:
//!   in = uses ∪ (out − defs);  out = ∪ in of the successors of the unit's own kind of edge.
//! Live ranges are sorted lists of half-open segments of positions; instruction n of the layout reads at 2n and writes
//! at 2n + 1.

use crate::mir::*;
use wavepipe_isa::row::{Control, MemKind, Sem, Ty};

/// Numbers every dword of every register.
pub struct Units {
    first: Vec<u32>,
    pub count: usize,
}

impl Units {
    pub fn new(f: &Func) -> Units {
        let mut first = Vec::with_capacity(f.regs.len());
        let mut count = 0;
        for r in &f.regs {
            first.push(count);
            count += u32::from(r.dwords);
        }
        Units { first, count: count as usize }
    }

    pub fn of(&self, p: Part) -> std::ops::Range<usize> {
        let at = self.first[p.reg as usize] as usize + usize::from(p.sub);
        at..at + usize::from(p.len)
    }

    pub fn reg(&self, r: u32) -> usize {
        self.first[r as usize] as usize
    }
}

#[derive(Clone, PartialEq)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    pub fn new(bits: usize) -> BitSet {
        BitSet(vec![0; bits.div_ceil(64)])
    }

    pub fn insert(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    pub fn remove(&mut self, n: usize) {
        self.0[n / 64] &= !(1 << (n % 64));
    }

    pub fn contains(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 != 0
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(w, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let n = rest.trailing_zeros();
                    rest &= rest - 1;
                    w * 64 + n as usize
                })
            })
        })
    }
}

pub struct Liveness {
    pub units: Units,
    /// Units live at the end of each block, by block id.
    pub out: Vec<BitSet>,
    pub live_in: Vec<BitSet>,
}

impl Liveness {
    pub fn new(f: &Func) -> Liveness {
        let units = Units::new(f);
        let n = units.count;
        let mut scalar = BitSet::new(n);
        for (r, info) in f.regs.iter().enumerate() {
            if info.bank == Bank::S {
                for k in 0..usize::from(info.dwords) {
                    scalar.insert(units.reg(r as u32) + k);
                }
            }
        }
        let blocks = f.blocks.len();
        let (mut uses, mut defs) = (vec![BitSet::new(n); blocks], vec![BitSet::new(n); blocks]);
        for &b in &f.order {
            let (u, d) = (&mut uses[b as usize], &mut defs[b as usize]);
            for inst in &f.blocks[b as usize].insts {
                for unit in inst.uses().flat_map(|p| units.of(p)) {
                    if !d.contains(unit) {
                        u.insert(unit);
                    }
                }
                for unit in inst.defs().flat_map(|p| units.of(p)) {
                    d.insert(unit);
                }
            }
        }
        let (mut live_in, mut out) = (uses.clone(), vec![BitSet::new(n); blocks]);
        let linear: Vec<Vec<BlockId>> = (0..f.order.len()).map(|k| f.linear(k).collect()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (k, &b) in f.order.iter().enumerate().rev() {
                let b = b as usize;
                let mut next = BitSet::new(n);
                for &s in &linear[k] {
                    for (w, word) in next.0.iter_mut().enumerate() {
                        *word |= live_in[s as usize].0[w] & scalar.0[w];
                    }
                }
                for &s in &f.blocks[b].logical {
                    for (w, word) in next.0.iter_mut().enumerate() {
                        *word |= live_in[s as usize].0[w] & !scalar.0[w];
                    }
                }
                if next == out[b] {
                    continue;
                }
                for w in 0..next.0.len() {
                    live_in[b].0[w] = uses[b].0[w] | next.0[w] & !defs[b].0[w];
                }
                out[b] = next;
                changed = true;
            }
        }
        Liveness { units, out, live_in }
    }

    /// Live segments of every unit, sorted and joined.
    pub fn segments(&self, f: &Func) -> Vec<Vec<(u32, u32)>> {
        let mut segments: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.units.count];
        let mut end_of: Vec<u32> = vec![0; self.units.count];
        let total: u32 = f.order.iter().map(|&b| f.blocks[b as usize].insts.len() as u32 + 1).sum();
        let mut pos = total;
        // Backward over the layout, so that segments come out last first.
        for &b in f.order.iter().rev() {
            let block = &f.blocks[b as usize];
            let end = pos * 2;
            let mut live = self.out[b as usize].clone();
            for u in live.iter() {
                end_of[u] = end;
            }
            pos -= 1; // the terminator's place
            let mut close = |u: usize, start: u32, end: u32| match segments[u].last_mut() {
                Some(last) if last.0 <= end => last.0 = last.0.min(start),
                _ => segments[u].push((start, end)),
            };
            for inst in block.insts.iter().rev() {
                pos -= 1;
                for u in inst.defs().flat_map(|p| self.units.of(p)) {
                    let write = pos * 2 + 1;
                    if live.contains(u) {
                        live.remove(u);
                        close(u, write, end_of[u]);
                    } else {
                        close(u, write, write + 1);
                    }
                }
                for u in inst.uses().flat_map(|p| self.units.of(p)) {
                    if !live.contains(u) {
                        live.insert(u);
                        end_of[u] = pos * 2 + 1;
                    }
                }
            }
            for u in live.iter() {
                close(u, pos * 2, end_of[u]);
            }
        }
        for s in &mut segments {
            s.reverse();
        }
        for (r, info) in f.regs.iter().enumerate() {
            for k in 0..usize::from(info.dwords) {
                let s = &mut segments[self.units.reg(r as u32) + k];
                if info.resident && !s.is_empty() {
                    *s = vec![(0, total * 2)];
                }
            }
        }
        segments
    }
}

/// Removes instructions whose results nobody reads.
pub fn eliminate_dead(f: &mut Func) {
    loop {
        let live = Liveness::new(f);
        let mut removed = false;
        for &b in &f.order.clone() {
            let block = &mut f.blocks[b as usize];
            let mut out = live.out[b as usize].clone();
            let mut scc = matches!(block.term, Term::Branch { cond: Cond::Scc0 | Cond::Scc1, .. });
            let mut kept = Vec::with_capacity(block.insts.len());
            for mut inst in std::mem::take(&mut block.insts).into_iter().rev() {
                if inst.is_pseudo(Pseudo::Copy) {
                    let dead = |a: &Arg| a.part().is_some_and(|p| live.units.of(p).all(|u| !out.contains(u)));
                    let keep: Vec<bool> = inst.dst.iter().map(|a| !dead(a)).collect();
                    removed |= keep.contains(&false);
                    let mut it = keep.iter();
                    inst.dst.retain(|_| *it.next().unwrap_or(&true));
                    let mut it = keep.iter();
                    inst.src.retain(|_| *it.next().unwrap_or(&true));
                    if inst.dst.is_empty() {
                        continue;
                    }
                } else {
                    let wanted = inst.defs().flat_map(|p| live.units.of(p)).any(|u| out.contains(u));
                    if !wanted && !has_effect(&inst, scc) {
                        removed = true;
                        continue;
                    }
                }
                if let Some(op) = inst.op() {
                    scc &= !op.row().dst.contains(&Ty::Scc);
                    scc |= op.row().src.contains(&Ty::Scc);
                }
                for u in inst.defs().flat_map(|p| live.units.of(p)) {
                    out.remove(u);
                }
                for u in inst.uses().flat_map(|p| live.units.of(p)) {
                    out.insert(u);
                }
                kept.push(inst);
            }
            kept.reverse();
            f.blocks[b as usize].insts = kept;
        }
        if !removed {
            return;
        }
    }
}

/// Does something besides writing its virtual registers. `scc`: somebody reads SCC after it.
fn has_effect(inst: &Inst, scc: bool) -> bool {
    let Some(op) = inst.op() else {
        return !matches!(inst.code, Code::Pseudo(Pseudo::Undef | Pseudo::ConstAddress));
    };
    let row = op.row();
    let memory = match row.sem {
        Sem::Mem(_, kind) => !matches!(kind, MemKind::Load { .. } | MemKind::Load2 { .. } | MemKind::Clock { .. }),
        Sem::Control(c) => !matches!(c, Control::GetPc),
        Sem::SaveExec | Sem::CompareExec => true,
        _ => false,
    };
    memory
        || inst.dst.iter().any(|d| matches!(d, Arg::Phys(_)))
        || row.dst.contains(&Ty::Exec)
        || scc && row.dst.contains(&Ty::Scc)
}
