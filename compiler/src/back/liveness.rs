//! Liveness by dword: scalar registers along linear edges, vector registers along logical edges.
//!
//! Each dword ("unit") is followed by itself, from its reads against the edges of its own kind up to its writes:
//!   in = read before written, or live out and not written;  out = in of a successor.
//! A unit costs its reads and writes and the blocks that it lives through, so no set of all units is kept for any block.
//! Live ranges are sorted lists of half-open segments of positions; instruction n of the layout reads at 2n and writes
//! at 2n + 1.

use super::coalesce::Segments;
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
    /// Live segments of every unit, sorted and joined.
    segments: Vec<Segments>,
    /// As of [`Walk`].
    starts: Vec<u32>,
}

impl Liveness {
    pub fn new(f: &Func) -> Liveness {
        let mut walk = Walk::new(f);
        let segments = (0..walk.units.count).map(|u| walk.segments(u)).collect();
        let mut live = Liveness { units: walk.units, segments, starts: walk.starts };
        let end = 2 * live.starts[f.order.len()];
        for (r, info) in f.regs.iter().enumerate().filter(|(_, info)| info.resident) {
            for k in 0..usize::from(info.dwords) {
                let s = &mut live.segments[live.units.reg(r as u32) + k];
                if !s.is_empty() {
                    *s = vec![(0, end)];
                }
            }
        }
        live
    }

    /// Positions from what instruction `n` of the block at a place of the layout writes to the block's end.
    pub fn to_end(&self, place: usize, n: usize) -> (u32, u32) {
        (2 * (self.starts[place] + n as u32) + 1, 2 * self.starts[place + 1])
    }

    /// Scalar and vector dwords that are live at once, at most.
    pub fn most(&self, f: &Func) -> [u32; 2] {
        let end = 2 * self.starts[f.order.len()] as usize + 2;
        let mut change = [vec![0i32; end], vec![0i32; end]];
        for (r, info) in f.regs.iter().enumerate() {
            let change = &mut change[usize::from(info.bank == Bank::V)];
            for k in 0..usize::from(info.dwords) {
                for &(from, to) in &self.segments[self.units.reg(r as u32) + k] {
                    change[from as usize] += 1;
                    change[(to as usize).min(end - 1)] -= 1;
                }
            }
        }
        change.map(|change| {
            let (mut now, mut most) = (0, 0);
            for c in change {
                now += c;
                most = most.max(now);
            }
            most as u32
        })
    }

    pub fn segments(&self) -> Vec<Segments> {
        self.segments.clone()
    }
}

/// Follows one unit after the other from its reads back to its writes.
struct Walk {
    units: Units,
    /// By place in the layout: the number of the first instruction; one more is the terminator's, and the last is the end.
    starts: Vec<u32>,
    /// Places in the layout from which control comes, by linear and by logical edges.
    from: [Vec<Vec<u32>>; 2],
    /// By unit: logical edges count.
    logical: Vec<bool>,
    /// Where each unit is read (2n) and written (2n + 1), ascending, all units one after the other.
    occurs: Vec<u32>,
    first: Vec<u32>,
    /// The last unit, plus one, that was found live at the start and at the end of a block.
    live_in: Vec<u32>,
    live_out: Vec<u32>,
    /// The same of blocks in which it occurs, and in which it is written.
    occurring: Vec<u32>,
    written: Vec<u32>,
    work: Vec<u32>,
    /// Blocks at whose end the unit in progress is live.
    out: Vec<u32>,
}

impl Walk {
    fn new(f: &Func) -> Walk {
        let units = Units::new(f);
        let blocks = f.order.len();
        let mut place = vec![None; f.blocks.len()];
        f.order.iter().enumerate().for_each(|(k, &b)| place[b as usize] = Some(k));
        let mut from = [vec![Vec::new(); blocks], vec![Vec::new(); blocks]];
        let mut starts = Vec::with_capacity(blocks + 1);
        let mut at = 0;
        for (k, &b) in f.order.iter().enumerate() {
            starts.push(at);
            at += f.blocks[b as usize].insts.len() as u32 + 1;
            let linear = f.linear(k).filter_map(|s| place[s as usize]);
            linear.for_each(|s| from[0][s].push(k as u32));
            let logical = f.blocks[b as usize].logical.iter().filter_map(|&s| place[s as usize]);
            logical.for_each(|s| from[1][s].push(k as u32));
        }
        starts.push(at);
        let mut logical = Vec::with_capacity(units.count);
        for info in &f.regs {
            logical.extend(vec![info.bank == Bank::V; info.dwords.into()]);
        }
        let mut w = Walk {
            first: vec![0; units.count + 1],
            units,
            starts,
            from,
            logical,
            occurs: Vec::new(),
            live_in: vec![0; blocks],
            live_out: vec![0; blocks],
            occurring: vec![0; blocks],
            written: vec![0; blocks],
            work: Vec::new(),
            out: Vec::new(),
        };
        // Counted first, then put where the counts say.
        let mut first = vec![0; w.units.count + 1];
        w.each(f, |u, _| first[u + 1] += 1);
        (0..w.units.count).for_each(|u| first[u + 1] += first[u]);
        let mut next = first.clone();
        let mut occurs = vec![0; first[w.units.count] as usize];
        w.each(f, |u, at| {
            occurs[next[u] as usize] = at;
            next[u] += 1;
        });
        (w.occurs, w.first) = (occurs, first);
        w
    }

    /// Every read and write of a unit, in order.
    fn each(&self, f: &Func, mut occurs: impl FnMut(usize, u32)) {
        for (k, &b) in f.order.iter().enumerate() {
            for (inst, n) in f.blocks[b as usize].insts.iter().zip(self.starts[k]..) {
                inst.uses().flat_map(|p| self.units.of(p)).for_each(|u| occurs(u, 2 * n));
                inst.defs().flat_map(|p| self.units.of(p)).for_each(|u| occurs(u, 2 * n + 1));
            }
        }
    }

    fn occurs(&self, u: usize) -> &[u32] {
        &self.occurs[self.first[u] as usize..self.first[u + 1] as usize]
    }

    /// Of ascending positions, those in the block at `k`.
    fn inside<'a>(&self, all: &'a [u32], k: usize) -> &'a [u32] {
        let from = all.partition_point(|&at| at < 2 * self.starts[k]);
        let len = all[from..].partition_point(|&at| at < 2 * self.starts[k + 1]);
        &all[from..from + len]
    }

    fn block(&self, at: u32) -> usize {
        self.starts.partition_point(|&s| s <= at / 2) - 1
    }

    /// Finds the blocks at whose end the unit is live.
    fn explore(&mut self, u: usize) {
        let stamp = u as u32 + 1;
        self.out.clear();
        let all = &self.occurs[self.first[u] as usize..self.first[u + 1] as usize];
        let mut rest = all;
        while let Some(&at) = rest.first() {
            let k = self.block(at);
            let here = self.inside(rest, k);
            rest = &rest[here.len()..];
            self.occurring[k] = stamp;
            if here.iter().any(|at| at % 2 == 1) {
                self.written[k] = stamp;
            }
            if at % 2 == 0 {
                self.live_in[k] = stamp;
                self.work.push(k as u32);
            }
        }
        while let Some(k) = self.work.pop() {
            for n in 0..self.from[usize::from(self.logical[u])][k as usize].len() {
                let p = self.from[usize::from(self.logical[u])][k as usize][n];
                let at = p as usize;
                if std::mem::replace(&mut self.live_out[at], stamp) == stamp {
                    continue;
                }
                self.out.push(p);
                if self.written[at] != stamp && std::mem::replace(&mut self.live_in[at], stamp) != stamp {
                    self.work.push(p);
                }
            }
        }
    }

    fn segments(&mut self, u: usize) -> Segments {
        self.explore(u);
        let stamp = u as u32 + 1;
        let mut found: Segments = Vec::new();
        let all = self.occurs(u);
        let mut rest = all;
        while let Some(&at) = rest.first() {
            let k = self.block(at);
            let here = self.inside(rest, k);
            rest = &rest[here.len()..];
            // Backward: `end` is that of the segment in which we are.
            let mut end = (self.live_out[k] == stamp).then_some(2 * self.starts[k + 1]);
            for &at in here.iter().rev() {
                match (at % 2, end) {
                    (1, _) => found.push((at, end.take().unwrap_or(at + 1))),
                    (_, None) => end = Some(at + 1),
                    _ => {}
                }
            }
            found.extend(end.map(|end| (2 * self.starts[k], end)));
        }
        let through = self.out.iter().map(|&k| k as usize).filter(|&k| self.occurring[k] != stamp);
        found.extend(through.map(|k| (2 * self.starts[k], 2 * self.starts[k + 1])));
        // Mostly runs, which this way of sorting takes as they are.
        found.sort();
        found.dedup_by(|next, last| {
            let joins = last.1 >= next.0;
            if joins {
                last.1 = last.1.max(next.1);
            }
            joins
        });
        found.shrink_to_fit();
        found
    }
}

/// Rounds of [`eliminate_dead`]: what is dead only because of something dead in a later block takes one more. What is left
/// after so many does no harm.
const ROUNDS: usize = 16;

/// Removes instructions whose results nobody reads.
pub fn eliminate_dead(f: &mut Func) {
    for _ in 0..ROUNDS {
        let mut walk = Walk::new(f);
        let mut out: Vec<Vec<u32>> = vec![Vec::new(); f.order.len()];
        for u in 0..walk.units.count {
            walk.explore(u);
            walk.out.iter().for_each(|&k| out[k as usize].push(u as u32));
        }
        // The last block, plus one, in which a unit was found live.
        let mut live: Vec<u32> = vec![0; walk.units.count];
        let mut removed = false;
        for (k, out) in out.iter().enumerate() {
            out.iter().for_each(|&u| live[u as usize] = k as u32 + 1);
            removed |= sweep(&mut f.blocks[f.order[k] as usize], &walk.units, &mut live, k as u32 + 1);
        }
        if !removed {
            return;
        }
    }
}

/// Removes what is dead in a block, at whose end the units are live that have `here`; true if there was something.
fn sweep(block: &mut Block, units: &Units, live: &mut [u32], here: u32) -> bool {
    let mut removed = false;
    let mut scc = matches!(block.term, Term::Branch { cond: Cond::Scc0 | Cond::Scc1, .. });
    let mut kept = Vec::with_capacity(block.insts.len());
    for mut inst in std::mem::take(&mut block.insts).into_iter().rev() {
        if inst.is_pseudo(Pseudo::Copy) {
            let dead = |a: &Arg| a.part().is_some_and(|p| units.of(p).all(|u| live[u] != here));
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
            let wanted = inst.defs().flat_map(|p| units.of(p)).any(|u| live[u] == here);
            if !wanted && !has_effect(&inst, scc) {
                removed = true;
                continue;
            }
        }
        if let Some(op) = inst.op() {
            scc &= !op.row().dst.contains(&Ty::Scc);
            scc |= op.row().src.contains(&Ty::Scc);
        }
        inst.defs().flat_map(|p| units.of(p)).for_each(|u| live[u] = 0);
        inst.uses().flat_map(|p| units.of(p)).for_each(|u| live[u] = here);
        kept.push(inst);
    }
    kept.reverse();
    block.insts = kept;
    removed
}

/// Does something besides writing its virtual registers. `scc`: somebody reads SCC after it.
fn has_effect(inst: &Inst, scc: bool) -> bool {
    let Some(op) = inst.op() else {
        return !matches!(inst.code, InstCode::Pseudo(Pseudo::Undef | Pseudo::ConstAddress));
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
