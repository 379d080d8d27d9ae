//! Makes the two sides of copies one register where their lives allow it.
//!
//! Every register belongs to a class: a root register and an offset in it. Copies are looked at from the innermost loop
//! out; two classes merge if one fits into the other at the place that the copy asks for, with alignment kept, and no
//! dword of one is live while its counterpart of the other is, unless both have one value: from the copy on to the end of
//! its block, if nothing there writes either. The copy is then a no-op that emission drops.

use super::liveness::Liveness;
use crate::mir::*;

pub type Segments = Vec<(u32, u32)>;

/// Classes of registers that share their place.
pub struct Classes {
    /// Root and offset of each register.
    pub place: Vec<(u32, u8)>,
    /// Segments of each unit, meaningful for roots.
    pub segments: Vec<Segments>,
    /// Alignment and residence of roots may have grown.
    pub info: Vec<RegInfo>,
}

/// One register of a copy: instruction `n` of the block at a place of the layout.
struct MoveOf {
    depth: u32,
    place: usize,
    n: usize,
    d: Part,
    s: Part,
}

pub fn coalesce(f: &Func, live: &Liveness) -> Classes {
    let mut c = Classes {
        place: (0..f.regs.len() as u32).map(|r| (r, 0)).collect(),
        segments: live.segments(),
        info: f.regs.clone(),
    };
    let mut members: Vec<Vec<u32>> = (0..f.regs.len() as u32).map(|r| vec![r]).collect();
    let mut copies: Vec<MoveOf> = Vec::new();
    for (place, &b) in f.order.iter().enumerate() {
        let block = &f.blocks[b as usize];
        for (n, inst) in block.insts.iter().enumerate().filter(|(_, i)| i.is_pseudo(Pseudo::Copy)) {
            for (d, s) in inst.dst.iter().zip(&inst.src) {
                if let (Some(d), Some(s)) = (d.part(), s.part()) {
                    copies.push(MoveOf { depth: block.loop_depth, place, n, d, s });
                }
            }
        }
    }
    copies.sort_by_key(|m| std::cmp::Reverse(m.depth));
    for MoveOf { place, n, d, s, .. } in copies {
        let (dr, d_off) = c.place[d.reg as usize];
        let (sr, s_off) = c.place[s.reg as usize];
        let (di, si) = (c.info[dr as usize], c.info[sr as usize]);
        if dr == sr || di.bank != si.bank || di.fixed.or(si.fixed).is_some() || di.resident || si.resident {
            continue;
        }
        // The class with more dwords keeps its numbering.
        let (d_unit, s_unit) = (i32::from(d_off + d.sub), i32::from(s_off + s.sub));
        let (big, small, delta) =
            if di.dwords >= si.dwords { (dr, sr, d_unit - s_unit) } else { (sr, dr, s_unit - d_unit) };
        let (bi, mi) = (c.info[big as usize], c.info[small as usize]);
        if delta < 0 || delta + i32::from(mi.dwords) > i32::from(bi.dwords) || delta % i32::from(mi.align) != 0 {
            continue;
        }
        if mi.align > bi.align && delta != 0 {
            continue;
        }
        let unit = |r: u32, k: u8| live.units.reg(r) + usize::from(k);
        let met =
            |k: u8, but: (u32, u32)| overlap(&c.segments[unit(small, k)], &c.segments[unit(big, k + delta as u8)], but);
        let first = if small == dr { d_unit } else { s_unit };
        let copied = |k: u8| (first..first + i32::from(d.len)).contains(&i32::from(k));
        let to_end = live.to_end(place, n);
        if (0..mi.dwords).any(|k| met(k, if copied(k) { to_end } else { NOWHERE })) {
            continue;
        }
        // Blocks are looked through for the few that nothing else keeps apart.
        let insts = &f.blocks[f.order[place] as usize].insts;
        let writes = |p: Part| [dr, sr].contains(&c.place[p.reg as usize].0);
        let equal = || {
            let others = insts[n].defs().filter(|&p| p != d);
            !others.chain(insts[n + 1..].iter().flat_map(|i| i.defs())).any(writes)
        };
        if (0..mi.dwords).any(|k| met(k, NOWHERE)) && !equal() {
            continue;
        }
        for k in 0..mi.dwords {
            let more = std::mem::take(&mut c.segments[unit(small, k)]);
            merge(&mut c.segments[unit(big, k + delta as u8)], &more);
        }
        c.info[big as usize].align = bi.align.max(mi.align);
        c.info[big as usize].spill_temp |= mi.spill_temp;
        for m in std::mem::take(&mut members[small as usize]) {
            let (_, off) = c.place[m as usize];
            c.place[m as usize] = (big, off + delta as u8);
            members[big as usize].push(m);
        }
    }
    c
}

/// No positions.
const NOWHERE: (u32, u32) = (0, 0);

/// Two sorted lists of half-open segments have a position in common that is not in `but`.
fn overlap(a: &[(u32, u32)], b: &[(u32, u32)], but: (u32, u32)) -> bool {
    // One is often the life of a whole loop, the other a few instructions long.
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut rest = many;
    few.iter().any(|&(start, end)| {
        rest = &rest[rest.partition_point(|s| s.1 <= start)..];
        let mut met = rest.iter().take_while(|s| s.0 < end).map(|s| (s.0.max(start), s.1.min(end)));
        met.any(|(from, to)| from < but.0 || to > but.1)
    })
}

pub fn merge(into: &mut Segments, more: &[(u32, u32)]) {
    let (mut few, mut many) = (more.to_vec(), std::mem::take(into));
    if few.len() > many.len() {
        std::mem::swap(&mut few, &mut many);
    }
    for (start, end) in few {
        // Those that it meets become one with it.
        let first = many.partition_point(|s| s.1 < start);
        let met = many[first..].partition_point(|s| s.0 <= end);
        let (start, end) = match many[first..first + met] {
            [] => (start, end),
            [one] => (start.min(one.0), end.max(one.1)),
            [low, .., high] => (start.min(low.0), end.max(high.1)),
        };
        many.splice(first..first + met, [(start, end)]);
    }
    *into = many;
}
