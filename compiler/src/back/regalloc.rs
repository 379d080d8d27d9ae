//! Register allocation over live segments with holes.
//!
//! Classes of coalesced registers are placed in the order in which their lives begin; each takes the place of a copy's
//! other side if that is free, else the lowest aligned run of registers whose segments leave room for all its dwords.
//! Launch registers, and those that a call fixes, are placed first; what a call writes stands in the way of what lives across it. Where a class finds no room, the cheapest goes to memory (uses weighted by loop depth,
//! per length of life): itself, or all that stand in its way at the place where those cost least. One pass names all that
//! are to be spilled; the next one, over the code with their loads and stores, places the rest.

use super::calls::{Clobbers, Convention};
use super::coalesce::{Classes, Segments};
use super::liveness::Liveness;
use crate::inspect::Form;
use crate::mir::*;
use std::fmt;
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Format, Ty};
use wavepipe_isa::{Op, Src};

/// VCC is behind all SGPRs that a wave may use besides it.
const VCC: u32 = Src::VCC_LO.0 as u32;

/// Registers that each virtual register's dwords got.
pub struct Assignment {
    /// Register number of the first dword: 0.. for SGPRs (106 = VCC), 0.. for VGPRs.
    pub base: Vec<u32>,
    pub sgprs: u32,
    pub vgprs: u32,
}

impl Assignment {
    /// Of a function whose registers are all fixed, but those that no instruction names; none if one is not.
    pub fn fixed(f: &Func) -> Option<Assignment> {
        let number = |s: Src| if s.is_vgpr() { s.vgpr() } else { u32::from(s.0) };
        if f.insts().flat_map(|i| i.uses().chain(i.defs())).any(|p| f.info(p).fixed.is_none()) {
            return None;
        }
        let base: Vec<u32> = f.regs.iter().map(|r| r.fixed.map_or(0, number)).collect();
        let end = |bank: Bank| {
            let of_bank = f.regs.iter().zip(&base).filter(|(r, _)| r.bank == bank);
            of_bank.map(|(r, b)| b + u32::from(r.dwords)).max().unwrap_or(0)
        };
        Some(Assignment { sgprs: end(Bank::S).min(f.isa.caps().sgprs.into()), vgprs: end(Bank::V), base })
    }

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

/// A function whose registers have places; its text has them behind each register.
pub struct Assigned<'a> {
    pub func: &'a Func,
    pub assignment: &'a Assignment,
}

impl Assigned<'_> {
    /// The function with every register fixed at its place.
    fn fixed(&self) -> Func {
        let mut placed = self.func.clone();
        for r in 0..placed.regs.len() as u32 {
            let whole = Part { reg: r, sub: 0, len: self.func.regs[r as usize].dwords };
            placed.regs[r as usize].fixed = Some(self.assignment.src(self.func, whole));
        }
        placed
    }
}

impl fmt::Display for Assigned<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fixed().fmt(f)
    }
}

impl Form for Assigned<'_> {
    const NAME: &'static str = "mir";

    fn validate(&self) -> Result<(), String> {
        validate::validate(self.func)
    }

    fn reads_back(&self) -> Result<(), String> {
        self.fixed().reads_back()
    }
}

/// What did not fit: registers of both banks, whole classes of them.
#[derive(Debug)]
pub struct Spill {
    pub regs: Vec<u32>,
}

/// A life's segment in a machine register, and the class that has it.
#[derive(Clone, Copy)]
struct Held {
    from: u32,
    to: u32,
    class: u32,
}

struct File {
    /// What each machine register holds, in order; segments of one register have no position in common.
    regs: Vec<Vec<Held>>,
}

impl File {
    fn new(regs: usize) -> File {
        File { regs: vec![Vec::new(); regs] }
    }

    /// Classes that hold registers from `at` on where `segments`, one list a register, need them.
    fn in_the_way<'a>(&'a self, at: u32, segments: &'a [&Segments]) -> impl Iterator<Item = u32> + 'a {
        segments.iter().enumerate().flat_map(move |(k, s)| {
            let held = &self.regs[at as usize + k];
            s.iter().flat_map(move |&(from, to)| {
                let first = held.partition_point(|h| h.to <= from);
                held[first..].iter().take_while(move |h| h.from < to).map(|h| h.class)
            })
        })
    }

    fn free(&self, at: u32, segments: &[&Segments]) -> bool {
        self.in_the_way(at, segments).next().is_none()
    }

    fn take(&mut self, at: u32, segments: &[&Segments], class: u32) {
        for (k, s) in segments.iter().enumerate() {
            let held = &mut self.regs[at as usize + k];
            for &(from, to) in s.iter() {
                let place = held.partition_point(|h| h.from < from);
                held.insert(place, Held { from, to, class });
            }
        }
    }

    fn give_back(&mut self, at: u32, dwords: u32, class: u32) {
        for held in &mut self.regs[at as usize..(at + dwords) as usize] {
            held.retain(|h| h.class != class);
        }
    }
}

/// What the code says of each class, by root.
struct Wishes {
    /// Uses and definitions, weighted by loop depth.
    weight: Vec<f32>,
    /// The other sides of copies: class, and its place less this one's.
    hints: Vec<Vec<(u32, i32)>>,
    /// It is written in fewer bytes if it is VCC.
    vector_mask: Vec<bool>,
    /// The code names VCC itself.
    vcc_taken: bool,
}

fn wishes(f: &Func, classes: &Classes) -> Wishes {
    let n = f.regs.len();
    let mut wishes =
        Wishes { weight: vec![0.0; n], hints: vec![Vec::new(); n], vector_mask: vec![false; n], vcc_taken: false };
    for &b in &f.order {
        let block = &f.blocks[b as usize];
        let cost = 8f32.powi(block.loop_depth.min(8) as i32);
        for inst in &block.insts {
            for p in inst.uses().chain(inst.defs()) {
                wishes.weight[classes.place[p.reg as usize].0 as usize] += cost;
            }
            wishes.vcc_taken |= inst.dst.iter().chain(&inst.src).any(|a| *a == Arg::Phys(Src::VCC_LO));
            for p in inst.op().into_iter().flat_map(|op| vcc_of_short(inst, op)) {
                wishes.vector_mask[classes.place[p.reg as usize].0 as usize] = true;
            }
            if inst.is_pseudo(Pseudo::Copy) {
                for (d, s) in inst.dst.iter().zip(&inst.src) {
                    let (Some(d), Some(s)) = (d.part(), s.part()) else { continue };
                    let ((dr, d_off), (sr, s_off)) = (classes.place[d.reg as usize], classes.place[s.reg as usize]);
                    let shift = i32::from(s_off + s.sub) - i32::from(d_off + d.sub);
                    wishes.hints[dr as usize].push((sr, shift));
                    wishes.hints[sr as usize].push((dr, -shift));
                }
            }
        }
    }
    wishes
}

/// Masks that an instruction writes, and in its short form to VCC alone.
fn vcc_of_short(inst: &Inst, op: Op) -> impl Iterator<Item = Part> + '_ {
    let row = op.row();
    let short = row.format == Format::Vopc || op == i::V_ADD_CO_U32_VCC || op == i::V_SUB_CO_U32_VCC;
    inst.dst.iter().zip(row.dst).filter(move |(_, t)| short && **t == Ty::Vcc).filter_map(|(d, _)| d.part())
}

/// What spilling each class costs; infinite where it must not be.
fn costs(classes: &Classes, live: &Liveness, weight: &[f32]) -> Vec<f32> {
    let cost = |(r, info): (usize, &RegInfo)| {
        if info.spill_temp || info.resident || info.fixed.is_some() {
            return f32::INFINITY;
        }
        let first = live.units.reg(r as u32);
        let units = &classes.segments[first..first + usize::from(info.dwords)];
        let length = units.iter().flatten().map(|s| s.1 - s.0).sum::<u32>().max(1);
        weight[r] / length as f32
    };
    classes.info.iter().enumerate().map(cost).collect()
}

/// What a function may use.
pub struct Room<'a> {
    /// VGPRs that a wave may have.
    pub vgprs: u32,
    pub convention: &'a Convention,
    /// What each function of the kernel writes when it is called.
    pub functions: &'a [Clobbers],
}

impl Room<'_> {
    /// Where registers of this kind may stand, besides where they are fixed.
    fn range(&self, f: &Func, info: &RegInfo) -> std::ops::Range<u32> {
        let (c, top) = (self.convention, self.vgprs.saturating_sub(self.convention.window));
        match info.bank {
            Bank::S => c.sgprs..f.isa.caps().sgprs.into(),
            Bank::V if info.resident && c.window > 0 => top..self.vgprs,
            Bank::V => c.vgprs..top,
        }
    }
}

/// Puts what calls write into the way of what lives across them.
fn block_calls(f: &Func, room: &Room<'_>, files: &mut [File; 2]) {
    let mut at = 0;
    for &b in &f.order {
        for inst in &f.blocks[b as usize].insts {
            if inst.is_pseudo(Pseudo::Call)
                && let Some(c) = room.functions.get(inst.imm as usize)
            {
                // Its results are their registers' own business.
                let given = |bank: Bank, n: u32| {
                    inst.defs().any(|p| {
                        let info = f.info(p);
                        let first = info.fixed.map_or(u32::MAX, number);
                        info.bank == bank && n.wrapping_sub(first) < u32::from(info.dwords)
                    })
                };
                for (bank, file) in [Bank::S, Bank::V].into_iter().zip(files.iter_mut()) {
                    for (n, held) in (0..).zip(&mut file.regs) {
                        if c.has(bank, n) && !given(bank, n) {
                            held.push(Held { from: 2 * at + 1, to: 2 * at + 2, class: CALL });
                        }
                    }
                }
            }
            at += 1;
        }
        at += 1;
    }
}

/// Stands for a call among the classes.
const CALL: u32 = u32::MAX;

fn number(fixed: Src) -> u32 {
    if fixed.is_vgpr() { fixed.vgpr() } else { fixed.0.into() }
}

pub fn allocate(f: &Func, live: &Liveness, classes: &Classes, room: &Room<'_>) -> Result<Assignment, Spill> {
    let mut files = [File::new(108), File::new(256)];
    block_calls(f, room, &mut files);
    let mask = f.mask_dwords();
    let n = f.regs.len();
    let Wishes { weight, hints, vector_mask, vcc_taken } = wishes(f, classes);
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
    let costs = costs(classes, live, &weight);
    let mut spilled = vec![false; n];
    let mut base: Vec<Option<u32>> = vec![None; n];
    for &(_, _, r) in &order {
        let info = classes.info[r as usize];
        let segments = of(r);
        let file = &mut files[usize::from(info.bank == Bank::V)];
        let len = u32::from(info.dwords);
        if let Some(at) = info.fixed {
            let at = number(at);
            file.take(at, &segments, r);
            base[r as usize] = Some(at);
            continue;
        }
        let align = u32::from(info.align);
        let range = room.range(f, &info);
        let fits = |file: &File, at: u32| {
            at.is_multiple_of(align) && range.start <= at && at + len <= range.end && file.free(at, &segments)
        };
        let vcc = (vector_mask[r as usize] && !vcc_taken && len == mask && file.free(VCC, &segments)).then_some(VCC);
        let hinted = || {
            hints[r as usize].iter().find_map(|&(other, shift)| {
                let at = base[other as usize]?.checked_add_signed(shift)?;
                fits(file, at).then_some(at)
            })
        };
        let first = range.start.next_multiple_of(align);
        let mut places = (first..(range.end + 1).saturating_sub(len).max(first)).step_by(align as usize);
        let free = vcc.or_else(hinted).or_else(|| places.clone().find(|&at| fits(file, at)));
        let place = free.or_else(|| {
            let mut best = (costs[r as usize], None);
            let mut others = Vec::new();
            for at in places.by_ref() {
                others.clear();
                others.extend(file.in_the_way(at, &segments));
                others.sort_unstable();
                others.dedup();
                let cost = others.iter().map(|&c| costs.get(c as usize).copied().unwrap_or(f32::INFINITY)).sum::<f32>();
                if cost < best.0 {
                    best = (cost, Some((at, others.clone())));
                }
            }
            let (at, others) = best.1?;
            for c in others {
                let dwords = u32::from(classes.info[c as usize].dwords);
                file.give_back(base[c as usize].take()?, dwords, c);
                spilled[c as usize] = true;
            }
            Some(at)
        });
        match place {
            Some(at) => {
                file.take(at, &segments, r);
                base[r as usize] = Some(at);
            }
            // If it must not be spilled either, the spiller says so.
            None => spilled[r as usize] = true,
        }
    }
    if spilled.contains(&true) {
        let regs = (0..n as u32).filter(|&m| spilled[classes.place[m as usize].0 as usize]).collect();
        return Err(Spill { regs });
    }
    let mut out = Assignment { base: vec![0; n], sgprs: 0, vgprs: 0 };
    for r in 0..n {
        let (root, off) = classes.place[r];
        out.base[r] = base[root as usize].unwrap_or(0) + u32::from(off);
        let end = out.base[r] + u32::from(f.regs[r].dwords);
        match f.regs[r].bank {
            _ if base[root as usize].is_none() => {}
            Bank::S if end <= f.isa.caps().sgprs.into() => out.sgprs = out.sgprs.max(end),
            Bank::S => {}
            Bank::V => out.vgprs = out.vgprs.max(end),
        }
    }
    Ok(out)
}
