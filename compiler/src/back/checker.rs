//! Checks a register allocation: every use finds the value that the code before allocation named.
//!
//! Forward abstract interpretation of the code after spilling, beside the code before it:
//!   - a *place* is an SGPR, a VGPR, a lane of a VGPR that v_writelane fills, or a dword of scratch memory;
//!   - `holds(place)` is the set of *units* (dwords of virtual registers of the code before) whose value it has;
//!   - a definition of u at p: u is nowhere else, p holds u alone; a copy within one place takes nothing away;
//!   - spill code moves sets: v_writelane, v_readlane, and loads and stores behind the kernel's own scratch memory;
//!   - a use of u at p: p holds u, or no definition of u is behind us on any path (an undefined value is anywhere);
//!   - at a join a place holds what it holds on every incoming edge that has a definition of the unit behind it;
//!   - scalar units, in SGPRs and lanes, flow along linear edges, vector units, in VGPRs and scratch, along logical ones,
//!     so the two banks are two runs of the same iteration, from the entry until no block's entry changes.
//! Nothing of liveness, coalescing or the allocator is consulted but its answer. Besides: fixed registers, alignment and
//! bounds hold, and nobody writes the place of a resident register.
//! A call writes what its function says it writes.
//! What it trusts: the edges of the code before, and that the kernel's own accesses stay in its own scratch memory.

pub mod held;

use super::liveness::{BitSet, Units};
use super::regalloc::{Assignment, Room};
use super::spill::Scratch;
use crate::mir::print::Line;
use crate::mir::*;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use wavepipe_isa::Src;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::insts as i;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Location {
    Sgpr(u32),
    Vgpr(u32),
    /// A lane of a VGPR, by v_writelane.
    Lane(u32, u32),
    /// Byte offset in a lane's scratch memory.
    Scratch(u32),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Location::Sgpr(106) => f.write_str("vcc_lo"),
            Location::Sgpr(107) => f.write_str("vcc_hi"),
            Location::Sgpr(n) => write!(f, "s{n}"),
            Location::Vgpr(n) => write!(f, "v{n}"),
            Location::Lane(v, lane) => write!(f, "lane {lane} of v{v}"),
            Location::Scratch(at) => write!(f, "scratch byte {at}"),
        }
    }
}

/// What the allocation got wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub block: BlockId,
    /// The instruction after spilling, as text.
    pub inst: String,
    /// None where an instruction as a whole is wrong.
    pub place: Option<Location>,
    pub expected: String,
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}: `{}`: ", self.block, self.inst)?;
        if let Some(p) = self.place {
            write!(f, "{p}: ")?;
        }
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

/// The code after allocation, and what it may rely on.
pub struct Allocated<'a> {
    pub func: &'a Func,
    pub assignment: &'a Assignment,
    /// As given to the spiller: V# and wave offset of scratch memory, registers of the code before.
    pub scratch: Scratch,
    /// Bytes of scratch memory: the kernel's own, and with the spill slots.
    pub scratch_bytes: (u32, u32),
    pub room: &'a Room<'a>,
}

/// Does `after` compute what `before` does?
///
/// # Errors
/// The first use that would read another value, or the first rule broken otherwise.
pub fn check(before: &Func, after: &Allocated<'_>) -> Result<(), Mismatch> {
    let f = after.func;
    let mut c = Checker {
        before,
        after,
        units: Units::new(before),
        resident: HashSet::new(),
        pairs: Vec::new(),
        follows: false,
    };
    c.registers()?;
    if before.order != f.order || before.blocks.len() != f.blocks.len() {
        return Err(c.fail(0, None, None, "the blocks before allocation".into(), "others".into()));
    }
    c.pairs = vec![Vec::new(); f.blocks.len()];
    for &b in &f.order {
        c.pairs[b as usize] = c.pair(b)?;
    }
    c.flow(Bank::S)?;
    c.flow(Bank::V)
}

/// An offset in a VGPR for a far slot, among units.
const OFFSET: u32 = 1 << 31;

#[derive(Clone, PartialEq)]
struct Holdings {
    holds: BTreeMap<Location, Vec<u32>>,
    /// Units with a definition behind us on some path.
    defined: BitSet,
}

impl Holdings {
    fn has(&self, p: Location, unit: u32) -> bool {
        self.holds.get(&p).is_some_and(|h| h.contains(&unit))
    }

    fn knows(&self, unit: u32) -> bool {
        unit >= OFFSET || self.defined.contains(unit as usize)
    }

    /// Everywhere else the old value of `unit` stands, if any.
    fn forget(&mut self, unit: u32) {
        for h in self.holds.values_mut() {
            h.retain(|&u| u != unit);
        }
        self.defined.insert(unit as usize);
    }

    fn put(&mut self, p: Location, units: Vec<u32>) {
        self.holds.insert(p, units);
    }

    fn get(&self, p: Location) -> Vec<u32> {
        self.holds.get(&p).cloned().unwrap_or_default()
    }

    fn clobber_lanes(&mut self, vgpr: u32) {
        self.holds.retain(|p, _| !matches!(*p, Location::Lane(v, _) if v == vgpr));
    }

    fn join(&self, other: &Holdings) -> Holdings {
        let mut holds: BTreeMap<Location, Vec<u32>> = BTreeMap::new();
        for (a, b) in [(self, other), (other, self)] {
            for (&p, units) in &a.holds {
                let into = holds.entry(p).or_default();
                for &u in units {
                    if (b.has(p, u) || !b.knows(u)) && !into.contains(&u) {
                        into.push(u);
                    }
                }
            }
        }
        for h in holds.values_mut() {
            h.sort_unstable();
        }
        holds.retain(|_, h| !h.is_empty());
        let mut defined = self.defined.clone();
        for u in other.defined.iter() {
            defined.insert(u);
        }
        Holdings { holds, defined }
    }
}

struct Checker<'a> {
    before: &'a Func,
    after: &'a Allocated<'a>,
    units: Units,
    /// VGPRs of resident registers.
    resident: HashSet<(u32, u32)>,
    /// For each instruction of a block after spilling, the index of the one before; none for spill code.
    pairs: Vec<Vec<Option<usize>>>,
    /// It checks nothing: somebody only asks what is where.
    follows: bool,
}

impl Checker<'_> {
    fn fail(
        &self,
        b: BlockId,
        inst: Option<&Inst>,
        place: Option<Location>,
        expected: String,
        found: String,
    ) -> Mismatch {
        let inst = inst.map(|i| Line(self.after.func, i).to_string()).unwrap_or_default();
        Mismatch { block: b, inst, place, expected, found }
    }

    /// The place of dword `n` of a part of the code after.
    fn place(&self, p: Part, n: u32) -> Location {
        let at = self.after.assignment.number(p.reg) + u32::from(p.sub) + n;
        match self.after.func.info(p).bank {
            Bank::S => Location::Sgpr(at),
            Bank::V => Location::Vgpr(at),
        }
    }

    fn unit(&self, p: Part, n: u32) -> u32 {
        self.units.of(p).start as u32 + n
    }

    fn name(&self, unit: u32) -> String {
        if unit >= OFFSET {
            return format!("the offset {}", unit - OFFSET);
        }
        let first = |r: usize| self.units.reg(r as u32);
        let reg = (0..self.before.regs.len()).rfind(|&r| first(r) <= unit as usize).unwrap_or(0);
        let bank = if self.before.regs[reg].bank == Bank::S { 's' } else { 'v' };
        format!("%{bank}{reg}[{}]", unit as usize - first(reg))
    }

    fn found(&self, state: &Holdings, p: Location) -> String {
        let names: Vec<String> = state.get(p).iter().map(|&u| self.name(u)).collect();
        if names.is_empty() { "nothing known".into() } else { names.join(" = ") }
    }

    /// Bounds, alignment, fixed and resident registers, of all registers that occur.
    fn registers(&mut self) -> Result<(), Mismatch> {
        let f = self.after.func;
        let vcc = u32::from(Src::VCC_LO.0);
        for &b in &f.order {
            for inst in &f.blocks[b as usize].insts {
                for p in inst.uses().chain(inst.defs()) {
                    let info = f.info(p);
                    let at = self.after.assignment.number(p.reg);
                    let end = at + u32::from(info.dwords);
                    if info.resident {
                        self.resident.extend((at..end).map(|n| (n, p.reg)));
                    }
                    let fixed = info.fixed.map(|s| if s.is_vgpr() { s.vgpr() } else { s.0.into() });
                    let fits = match info.bank {
                        _ if fixed.is_some() => true,
                        Bank::S => end <= f.isa.caps().sgprs.into() || at == vcc && end <= vcc + f.mask_dwords(),
                        Bank::V => end <= self.after.room.vgprs,
                    };
                    let expected = match fixed {
                        Some(n) if n != at => format!("register {n}, where the launch has it"),
                        None if !at.is_multiple_of(info.align.into()) => format!("a multiple of {}", info.align),
                        _ if !fits => "a register that the wave has".into(),
                        _ => continue,
                    };
                    return Err(self.fail(b, Some(inst), Some(self.place(p, 0)), expected, format!("register {at}")));
                }
            }
        }
        Ok(())
    }

    /// The code before, found again in the code after: the same instructions in the same order, with some registers
    /// replaced by new ones, and spill code between.
    fn pair(&self, b: BlockId) -> Result<Vec<Option<usize>>, Mismatch> {
        let (old, new) = (&self.before.blocks[b as usize], &self.after.func.blocks[b as usize]);
        let same_arg = |o: Arg, n: Arg| match (o, n) {
            (Arg::Reg(o), Arg::Reg(n)) if o.reg != n.reg => {
                let fresh = n.reg as usize >= self.before.regs.len() && self.after.func.info(n).spill_temp;
                fresh && (o.sub, o.len) == (n.sub, n.len) && self.before.info(o).bank == self.after.func.info(n).bank
            }
            _ => o == n,
        };
        let same_args = |o: &[Arg], n: &[Arg]| o.len() == n.len() && o.iter().zip(n).all(|(&o, &n)| same_arg(o, n));
        let same = |o: &Inst, n: &Inst| {
            (o.code, o.imm, o.mods, o.flags, o.cache, o.extra, o.tied)
                == (n.code, n.imm, n.mods, n.flags, n.cache, n.extra, n.tied)
                && same_args(&o.dst, &n.dst)
                && same_args(&o.src, &n.src)
        };
        let mut at = 0;
        let mut pairs = Vec::with_capacity(new.insts.len());
        for inst in &new.insts {
            let known = old.insts.get(at).is_some_and(|o| same(o, inst));
            pairs.push(known.then_some(at));
            at += usize::from(known);
        }
        if let Some(lost) = old.insts.get(at) {
            let expected = format!("`{}`", Line(self.before, lost));
            return Err(self.fail(b, None, None, expected, "the end of the block".into()));
        }
        if (old.term, &old.logical) != (new.term, &new.logical) {
            return Err(self.fail(b, None, None, format!("{:?}", old.term), format!("{:?}", new.term)));
        }
        Ok(pairs)
    }

    fn flow(&self, bank: Bank) -> Result<(), Mismatch> {
        let f = self.after.func;
        let Some(&first) = f.order.first() else { return Ok(()) };
        let mut entry: Vec<Option<Holdings>> = vec![None; f.blocks.len()];
        let none = Holdings { holds: BTreeMap::new(), defined: BitSet::new(self.units.count) };
        entry[first as usize] = Some(none);
        let mut stale: Vec<bool> = f.order.iter().map(|&b| b == first).collect();
        let mut index = vec![0; f.blocks.len()];
        for (k, &b) in f.order.iter().enumerate() {
            index[b as usize] = k;
        }
        // A use that fails on the way fails at the end too: joins only take away what a place holds of defined units.
        while let Some(k) = stale.iter().position(|&s| s) {
            stale[k] = false;
            let b = f.order[k];
            let Some(mut state) = entry[b as usize].clone() else { continue };
            for (inst, pair) in f.blocks[b as usize].insts.iter().zip(&self.pairs[b as usize]) {
                match pair {
                    Some(n) => {
                        let old = &self.before.blocks[b as usize].insts[*n];
                        self.original(bank, b, old, inst, &mut state)?;
                    }
                    None => self.spill_code(bank, b, inst, &mut state)?,
                }
            }
            state.holds.retain(|_, h| !h.is_empty());
            state.holds.values_mut().for_each(|h| h.sort_unstable());
            let to: Vec<BlockId> = match bank {
                Bank::S => f.linear(k).collect(),
                Bank::V => f.blocks[b as usize].logical.clone(),
            };
            for t in to {
                let old = &mut entry[t as usize];
                let next = old.as_ref().map_or_else(|| state.clone(), |o| o.join(&state));
                if old.as_ref() != Some(&next) {
                    *old = Some(next);
                    stale[index[t as usize]] = true;
                }
            }
        }
        Ok(())
    }

    fn wants(&self, b: BlockId, inst: &Inst, state: &Holdings, p: Location, unit: u32) -> Result<(), Mismatch> {
        if self.follows || state.has(p, unit) || !state.knows(unit) {
            return Ok(());
        }
        Err(self.fail(b, Some(inst), Some(p), self.name(unit), self.found(state, p)))
    }

    /// Places that the instruction writes besides those of the bank's registers.
    fn clobbers(&self, bank: Bank, b: BlockId, inst: &Inst, state: &mut Holdings) -> Result<(), Mismatch> {
        if inst.is_pseudo(Pseudo::Call)
            && let Some(c) = self.after.room.functions.get(inst.imm as usize)
        {
            match bank {
                Bank::S => (0..128).filter(|&n| c.has(bank, n)).for_each(|n| state.put(Location::Sgpr(n), Vec::new())),
                Bank::V => (0..256).filter(|&n| c.has(bank, n)).for_each(|n| state.put(Location::Vgpr(n), Vec::new())),
            }
        }
        for d in &inst.dst {
            match *d {
                Arg::Phys(s) if bank == Bank::S && !s.is_vgpr() && u32::from(s.0) <= Src::VCC_LO.0.into() => {
                    for n in 0..self.after.func.mask_dwords() {
                        state.put(Location::Sgpr(u32::from(s.0) + n), Vec::new());
                    }
                }
                Arg::Reg(p) if self.after.func.info(p).bank == Bank::V => {
                    for n in 0..p.len.into() {
                        let at = self.place(p, n);
                        let Location::Vgpr(v) = at else { continue };
                        if bank == Bank::S && inst.op() != Some(i::V_WRITELANE_B32) {
                            state.clobber_lanes(v);
                        }
                        if let Some(&(_, r)) = self.resident.iter().find(|&&(n, r)| n == v && r != p.reg) {
                            let expected = format!("resident %v{r} alone");
                            return Err(self.fail(b, Some(inst), Some(at), expected, format!("%v{}", p.reg)));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn original(&self, bank: Bank, b: BlockId, old: &Inst, inst: &Inst, state: &mut Holdings) -> Result<(), Mismatch> {
        let ours = |p: &Part| self.before.info(*p).bank == bank;
        for (o, n) in old.uses().zip(inst.uses()).filter(|(o, _)| ours(o)) {
            for k in 0..o.len.into() {
                self.wants(b, inst, state, self.place(n, k), self.unit(o, k))?;
            }
        }
        self.clobbers(bank, b, inst, state)?;
        let copy = inst.is_pseudo(Pseudo::Copy);
        let defs = || old.dst.iter().zip(&inst.dst).enumerate();
        let mut writes: Vec<(Location, u32, bool)> = Vec::new();
        for (n, (o, d)) in defs() {
            let (Some(o), Some(d)) = (o.part().filter(ours), d.part()) else { continue };
            for k in 0..u32::from(o.len) {
                let to = self.place(d, k);
                let stays = copy
                    && inst
                        .src
                        .get(n)
                        .and_then(|s| s.part())
                        .is_some_and(|s| self.after.func.info(s).bank == bank && self.place(s, k) == to);
                // An undefined value costs no code and takes nothing away.
                writes.push((to, self.unit(o, k), stays || inst.is_pseudo(Pseudo::Undef)));
            }
        }
        for &(_, unit, _) in &writes {
            state.forget(unit);
        }
        for &(to, _, _) in writes.iter().filter(|w| !w.2) {
            state.put(to, Vec::new());
        }
        for &(to, unit, stays) in &writes {
            if !stays {
                state.put(to, vec![unit]);
            } else {
                state.holds.entry(to).or_default().push(unit);
            }
        }
        Ok(())
    }

    fn spill_code(&self, bank: Bank, b: BlockId, inst: &Inst, state: &mut Holdings) -> Result<(), Mismatch> {
        let unknown = || {
            let expected = "an instruction of the code before, or spill code".to_string();
            Err(self.fail(b, Some(inst), None, expected, "neither".into()))
        };
        let dst = inst.dst.first().and_then(|d| d.part());
        let src = |n: usize| inst.src.get(n).copied().unwrap_or_default();
        let lane = |v: Arg, lane: Arg| Some((self.place(v.part()?, 0), lane.imm()?));
        let Some(op) = inst.op() else { return unknown() };
        self.clobbers(bank, b, inst, state)?;
        if op == i::V_READLANE_B32 {
            let (Some(d), Some((Location::Vgpr(v), n))) = (dst, lane(src(0), src(1))) else { return unknown() };
            if bank == Bank::S {
                let units = state.get(Location::Lane(v, n));
                state.put(self.place(d, 0), units);
            }
        } else if op == i::V_WRITELANE_B32 {
            let (Some(d), Some(s), Some(n)) = (dst, src(0).part(), src(1).imm()) else { return unknown() };
            let Location::Vgpr(v) = self.place(d, 0) else { return unknown() };
            if bank == Bank::S {
                let units = state.get(self.place(s, 0));
                state.put(Location::Lane(v, n), units);
            }
        } else if op == i::V_MOV_B32 {
            let (Some(d), Some(n)) = (dst, src(0).imm()) else { return unknown() };
            if bank == Bank::V {
                state.put(self.place(d, 0), vec![OFFSET | n]);
            }
        } else if op == i::BUFFER_LOAD_DWORD || op == i::BUFFER_STORE_DWORD {
            let (Some((rsrc, wave)), Some(r), Some(w)) = (self.after.scratch, src(1).part(), src(2).part()) else {
                return unknown();
            };
            let data = if op == i::BUFFER_LOAD_DWORD { dst } else { src(3).part() };
            let Some(data) = data else { return unknown() };
            if bank == Bank::S {
                for (old, new) in [(rsrc, r), (wave, w)] {
                    for k in 0..old.len.into() {
                        let (at, unit) = (self.place(new, k), self.unit(old, k));
                        if !self.follows && !state.has(at, unit) {
                            let found = self.found(state, at);
                            return Err(self.fail(b, Some(inst), Some(at), self.name(unit), found));
                        }
                    }
                }
                return Ok(());
            }
            let offset = match src(0).part() {
                None => Some(inst.imm as u32),
                Some(p) if inst.flags.contains(Flags::OFFEN) => match state.get(self.place(p, 0))[..] {
                    [n] if n >= OFFSET => Some((n - OFFSET).wrapping_add(inst.imm as u32)),
                    _ => None,
                },
                Some(_) => None,
            };
            let (own, all) = self.after.scratch_bytes;
            let Some(at) = offset.filter(|&at| at >= own && at.is_multiple_of(4) && at < all) else {
                let expected = format!("an offset in scratch bytes {own} to {all}");
                return Err(self.fail(b, Some(inst), None, expected, format!("{offset:?}")));
            };
            let (from, to) = match op == i::BUFFER_LOAD_DWORD {
                true => (Location::Scratch(at), self.place(data, 0)),
                false => (self.place(data, 0), Location::Scratch(at)),
            };
            let units = state.get(from);
            state.put(to, units);
        } else {
            return unknown();
        }
        Ok(())
    }
}
