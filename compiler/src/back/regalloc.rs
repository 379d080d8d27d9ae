//! Register allocation over live segments with holes.
//!
//! Classes of coalesced registers are placed in the order in which their lives begin; each takes the place of a copy's
//! other side if that is free, else the lowest aligned run of registers whose segments leave room for all its dwords.
//! Launch registers are placed first. A class that finds no room names the class to spill: the cheapest (uses weighted by
//! loop depth, per length of life) among itself and those in its way.

use super::coalesce::{Classes, Segments, merge, overlap};
use super::liveness::Liveness;
use crate::mir::*;
use wavepipe_isa::Src;
use wavepipe_isa::row::Format;

/// SGPRs that a wave may use besides VCC.
pub const SGPRS: u32 = 106;
const VCC: usize = 106;

/// Registers that each virtual register's dwords got.
pub struct Assignment {
    /// Register number of the first dword: 0.. for SGPRs (106 = VCC), 0.. for VGPRs.
    pub(super) base: Vec<u32>,
    pub sgprs: u32,
    pub vgprs: u32,
}

impl Assignment {
    /// Register number of the first dword of virtual register `r`.
    pub fn number(&self, r: u32) -> u32 {
        self.base[r as usize]
    }

    pub fn src(&self, f: &Func, p: Part) -> Src {
        let n = self.number(p.reg) + u32::from(p.sub);
        match f.info(p).bank {
            Bank::S => Src::s(n),
            Bank::V => Src::v(n),
        }
    }
}

/// What did not fit.
#[derive(Debug)]
pub struct Spill {
    pub bank: Bank,
    /// Members of the class to spill.
    pub regs: Vec<u32>,
}

struct File {
    regs: Vec<Segments>,
    limit: u32,
}

impl File {
    fn free(&self, at: u32, segments: &[&Segments]) -> bool {
        segments.iter().enumerate().all(|(k, s)| !overlap(s, &self.regs[at as usize + k]))
    }

    fn take(&mut self, at: u32, segments: &[&Segments]) {
        for (k, s) in segments.iter().enumerate() {
            merge(&mut self.regs[at as usize + k], s);
        }
    }
}

pub fn allocate(f: &Func, live: &Liveness, classes: &Classes, vgpr_limit: u32) -> Result<Assignment, Spill> {
    let mut files = [
        File { regs: vec![Segments::new(); 108], limit: SGPRS },
        File { regs: vec![Segments::new(); 256], limit: vgpr_limit },
    ];
    let mask = f.mask_dwords();
    let n = f.regs.len();
    let mut weight = vec![0f32; n];
    let mut vector_mask = vec![false; n];
    let mut hints: Vec<Vec<(u32, i32)>> = vec![Vec::new(); n];
    let mut vcc_taken = false;
    for &b in &f.order {
        let block = &f.blocks[b as usize];
        let cost = 8f32.powi(block.loop_depth.min(8) as i32);
        for inst in &block.insts {
            for p in inst.uses().chain(inst.defs()) {
                weight[classes.place[p.reg as usize].0 as usize] += cost;
            }
            vcc_taken |= inst.dst.iter().chain(&inst.src).any(|a| *a == Arg::Phys(Src::VCC_LO));
            if let Some(op) = inst.op() {
                let vector = matches!(op.row().format, Format::Vopc);
                if let (true, Some(p)) = (vector, inst.dst.first().and_then(|d| d.part())) {
                    vector_mask[classes.place[p.reg as usize].0 as usize] = true;
                }
            }
            if inst.is_pseudo(Pseudo::Copy) {
                for (d, s) in inst.dst.iter().zip(&inst.src) {
                    let (Some(d), Some(s)) = (d.part(), s.part()) else { continue };
                    let ((dr, d_off), (sr, s_off)) = (classes.place[d.reg as usize], classes.place[s.reg as usize]);
                    let shift = i32::from(s_off + s.sub) - i32::from(d_off + d.sub);
                    hints[dr as usize].push((sr, shift));
                    hints[sr as usize].push((dr, -shift));
                }
            }
        }
    }
    let of = |r: u32| -> Vec<&Segments> {
        let first = live.units.reg(r);
        (0..usize::from(classes.info[r as usize].dwords)).map(|k| &classes.segments[first + k]).collect()
    };
    let start = |r: u32| of(r).iter().filter_map(|s| s.first()).map(|s| s.0).min();
    let mut order: Vec<(bool, u32, u32)> = Vec::new();
    for r in 0..n as u32 {
        if classes.place[r as usize].0 == r
            && let Some(s) = start(r)
        {
            order.push((classes.info[r as usize].fixed.is_none(), s, r));
        }
    }
    order.sort_unstable();
    let mut base: Vec<Option<u32>> = vec![None; n];
    for &(_, _, r) in &order {
        let info = classes.info[r as usize];
        let segments = of(r);
        let file = &mut files[usize::from(info.bank == Bank::V)];
        let len = u32::from(info.dwords);
        if let Some(at) = info.fixed {
            let at = if at.is_vgpr() { at.vgpr() } else { at.0.into() };
            file.take(at, &segments);
            base[r as usize] = Some(at);
            continue;
        }
        let align = u32::from(info.align);
        let fits =
            |file: &File, at: u32| at.is_multiple_of(align) && at + len <= file.limit && file.free(at, &segments);
        let vcc = (vector_mask[r as usize] && !vcc_taken && len == mask && file.free(VCC as u32, &segments))
            .then_some(VCC as u32);
        let hinted = || {
            hints[r as usize].iter().find_map(|&(other, shift)| {
                let at = base[other as usize]?.checked_add_signed(shift)?;
                fits(file, at).then_some(at)
            })
        };
        let place = vcc.or_else(hinted).or_else(|| (0..file.limit).step_by(align as usize).find(|&at| fits(file, at)));
        let Some(at) = place else {
            return Err(spill(f, classes, &weight, &base, r, &of));
        };
        file.take(at, &segments);
        base[r as usize] = Some(at);
    }
    let mut out = Assignment { base: vec![0; n], sgprs: 0, vgprs: 0 };
    for r in 0..n {
        let (root, off) = classes.place[r];
        out.base[r] = base[root as usize].unwrap_or(0) + u32::from(off);
        let end = out.base[r] + u32::from(f.regs[r].dwords);
        match f.regs[r].bank {
            _ if base[root as usize].is_none() => {}
            Bank::S if end <= SGPRS => out.sgprs = out.sgprs.max(end),
            Bank::S => {}
            Bank::V => out.vgprs = out.vgprs.max(end),
        }
    }
    Ok(out)
}

fn spill<'a>(
    f: &Func,
    classes: &Classes,
    weight: &[f32],
    base: &[Option<u32>],
    r: u32,
    of: &dyn Fn(u32) -> Vec<&'a Segments>,
) -> Spill {
    let bank = classes.info[r as usize].bank;
    let mine: Vec<&Segments> = of(r);
    let length = |r: u32| of(r).iter().flat_map(|s| s.iter()).map(|s| s.1 - s.0).sum::<u32>().max(1);
    let mut best: Option<(f32, u32)> = None;
    for c in 0..f.regs.len() as u32 {
        let info = classes.info[c as usize];
        let placed = base[c as usize].is_some() || c == r;
        if classes.place[c as usize].0 != c
            || info.bank != bank
            || !placed
            || info.spill_temp
            || info.resident
            || info.fixed.is_some()
        {
            continue;
        }
        let in_the_way = c == r || of(c).iter().any(|s| mine.iter().any(|m| overlap(s, m)));
        let cost = weight[c as usize] / length(c) as f32;
        if in_the_way && best.is_none_or(|(b, _)| cost < b) {
            best = Some((cost, c));
        }
    }
    let root = best.map_or(r, |(_, c)| c);
    let regs = (0..f.regs.len() as u32).filter(|&m| classes.place[m as usize].0 == root).collect();
    Spill { bank, regs }
}
