//! Makes the two sides of copies one register where their lives allow it.
//!
//! Every register belongs to a class: a root register and an offset in it. Copies are looked at from the innermost loop
//! out; two classes merge if one fits into the other at the place that the copy asks for, with alignment kept, and no
//! dword of one is live while its counterpart of the other is. The copy is then a no-op that emission drops.

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

pub fn coalesce(f: &Func, live: &Liveness) -> Classes {
    let mut c = Classes {
        place: (0..f.regs.len() as u32).map(|r| (r, 0)).collect(),
        segments: live.segments(f),
        info: f.regs.clone(),
    };
    let mut members: Vec<Vec<u32>> = (0..f.regs.len() as u32).map(|r| vec![r]).collect();
    let mut copies: Vec<(u32, u32, Part, Part)> = Vec::new();
    for &b in &f.order {
        let block = &f.blocks[b as usize];
        for inst in block.insts.iter().filter(|i| i.is_pseudo(Pseudo::Copy)) {
            for (d, s) in inst.dst.iter().zip(&inst.src) {
                if let (Some(d), Some(s)) = (d.part(), s.part()) {
                    copies.push((u32::MAX - block.loop_depth, copies.len() as u32, d, s));
                }
            }
        }
    }
    copies.sort_unstable_by_key(|&(depth, n, ..)| (depth, n));
    for (_, _, d, s) in copies {
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
        let clash =
            (0..mi.dwords).any(|k| overlap(&c.segments[unit(small, k)], &c.segments[unit(big, k + delta as u8)]));
        if clash {
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

/// Two sorted lists of half-open segments have a position in common.
pub fn overlap(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].1 <= b[j].0 {
            i += 1;
        } else if b[j].1 <= a[i].0 {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

pub fn merge(into: &mut Segments, more: &[(u32, u32)]) {
    into.extend_from_slice(more);
    into.sort_unstable();
    let mut out: Segments = Vec::with_capacity(into.len());
    for &(s, e) in into.iter() {
        match out.last_mut() {
            Some(last) if last.1 >= s => last.1 = last.1.max(e),
            _ => out.push((s, e)),
        }
    }
    *into = out;
}
