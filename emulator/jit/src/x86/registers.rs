//! Which value each of the host's registers holds: one of these for its vector registers, one for its general registers.
//!
//! Registers are a cache of the guest's: a home is loaded when it is first read and stored when it is evicted or the cache is
//! emptied. Who is evicted is the one that is asked for last, as far as that is known ([`super::ahead`]), else the one that was named
//! longest ago. Values of a step that no guest register holds are temporaries. What is pinned stays. A *fixed* home has its host
//! register for the whole region: nothing evicts it, and only a call makes it be stored and loaded anew. Besides, it may have another
//! one for a while, whose value is newer. And in some loops it has one that *runs*: right in the lanes that live, anything in others,
//! beside the guest's own value, which is kept at the same time.

use super::ahead::{Ahead, Next, Progress};
use crate::record::{F, Node};
use crate::step::operand;
use std::cmp::Reverse;
use std::rc::Rc;
use wavepipe_core::wave::{Operand, Step};

/// What a home holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Home {
    /// A guest register's lanes of one of the wave's chunks: as many lanes as a host register has.
    Vgpr(u32, u8),
    /// A scalar: in every lane, or the word itself in a general register.
    Scalar(u8),
    /// A constant in every lane.
    Constant(u32),
}

#[derive(Clone, Copy, Default, Debug)]
struct HostRegister {
    home: Option<Home>,
    dirty: bool,
    fixed: bool,
    /// What is fixed is that some home runs here in some loops; in others none.
    runs: bool,
    /// A fixed home's value is in memory only.
    away: bool,
    pins: u32,
    used: u32,
    /// What the group asks of the home next, and the step that touched it last.
    next: Next,
    touched: u32,
    /// It was newer than memory when the group began, and may be so in lanes that do not live now.
    older: bool,
}

impl HostRegister {
    /// How far away the next time is that somebody asks for what it holds. What the step itself has touched may be asked for once more.
    fn distance(&self, now: u32) -> u32 {
        match self.next {
            Next::NEVER => NOBODY,
            _ if self.is_dead(now) => DEAD,
            next => next.at,
        }
    }

    /// Whether nobody asks for what it holds before it is written.
    fn is_dead(&self, now: u32) -> bool {
        self.next.written && self.touched < now && !self.older
    }
}

/// Distances beyond all that are known: what nobody of the group asks for; what is written first, and read from memory then for the lanes
/// that do not live.
const NOBODY: u32 = u32::MAX - 2;
const DEAD: u32 = u32::MAX - 3;

impl Home {
    /// What a node of the step's names: a number, or a word of an operand.
    pub fn named(step: &Step, node: &Node, chunk: u8) -> Option<Home> {
        let word = node.literal & 1;
        Some(match node.f {
            F::literal => Home::Constant(node.literal),
            F::source => match operand(step, node.literal)? {
                Operand::Vgpr(v) => Home::Vgpr(v + word, chunk),
                Operand::Scalar(words) => Home::Scalar(words[word as usize]),
                Operand::Constant(words) => Home::Constant(words[word as usize]),
            },
            _ => return None,
        })
    }
}

/// A host register's number.
pub type Reg = u8;
pub const COUNT: usize = 32;

#[derive(Clone)]
pub struct Registers {
    slots: [HostRegister; COUNT],
    /// How many of them there are.
    count: usize,
    clock: u32,
    /// What is asked of homes, if that is known, and how far the group has come.
    ahead: Option<Rc<Ahead>>,
    progress: Progress,
    /// Steps so far, this one counted.
    now: u32,
}

/// A register and what it holds of the guest's: to be stored or loaded.
pub type Kept = (Reg, Home);

/// What a home was found as.
pub enum Found {
    Here(Reg),
    /// Its register is known, and has to be loaded.
    Away(Reg),
    No,
}

impl Registers {
    pub fn new(count: usize) -> Registers {
        let slots = [HostRegister::default(); COUNT];
        Registers { slots, count, clock: 0, ahead: None, progress: Progress::default(), now: 0 }
    }

    /// From here on it is known what is asked of homes; or no more.
    pub fn look_ahead(&mut self, ahead: Option<Rc<Ahead>>) {
        (self.ahead, self.progress, self.now) = (ahead, Progress::default(), 0);
        for at in 0..COUNT {
            let slot = self.slots[at];
            let next = self.next(slot.home);
            self.slots[at] = HostRegister { next, touched: 0, older: slot.dirty, ..slot };
        }
    }

    /// A step begins: what it names is asked for still.
    pub fn step(&mut self, chunk: u8, step: u32) {
        self.progress = Progress { chunk, steps: step + 1 };
        self.now += 1;
    }

    fn next(&self, home: Option<Home>) -> Next {
        self.ahead.as_ref().zip(home).map(|(ahead, home)| ahead.next(home, self.progress)).unwrap_or_default()
    }

    /// Gives the home a register for good; its value is to be loaded.
    pub fn fix(&mut self, r: Reg, home: Home) {
        self.slots[usize::from(r)] =
            HostRegister { home: Some(home), fixed: true, away: true, ..HostRegister::default() };
    }

    /// A register for homes that run.
    pub fn reserve_running(&mut self, r: Reg) {
        self.slots[usize::from(r)] = HostRegister { fixed: true, runs: true, ..HostRegister::default() };
    }

    /// From here on these run, with their values there, and no others.
    pub fn run(&mut self, running: &[Kept]) {
        for (at, s) in self.slots.iter_mut().enumerate().filter(|(_, s)| s.runs) {
            let home = running.iter().find(|(r, _)| usize::from(*r) == at).map(|(_, home)| *home);
            // What goes on running may have to be loaded still.
            if s.home != home {
                *s = HostRegister { home, fixed: true, runs: true, ..HostRegister::default() };
            }
        }
    }

    /// Whether the home runs.
    pub fn runs(&self, home: Home) -> bool {
        self.slots.iter().any(|s| s.runs && s.home == Some(home))
    }

    /// Homes that run and were written there, and nowhere else.
    pub fn ran(&self) -> Vec<Kept> {
        (0..COUNT).filter(|&at| self.slots[at].runs).filter_map(|at| self.store(at)).collect()
    }

    pub fn find(&mut self, home: Home) -> Found {
        // Fixed ones are the last, behind what runs.
        let Some(at) = self.slots.iter().position(|s| s.home == Some(home)) else { return Found::No };
        self.touch(at);
        match std::mem::take(&mut self.slots[at].away) {
            true => Found::Away(at as Reg),
            false => Found::Here(at as Reg),
        }
    }

    /// The register that the home has for good.
    pub fn fixed_for(&self, home: Home) -> Option<Reg> {
        let at = self.slots.iter().position(|s| s.fixed && !s.runs && s.home == Some(home))?;
        Some(at as Reg)
    }

    /// The same, for a new value.
    pub fn find_fixed(&mut self, home: Home) -> Option<Reg> {
        let r = self.fixed_for(home)?;
        self.slots[usize::from(r)].away = false;
        Some(r)
    }

    /// Whether some register is the home's.
    pub fn has(&self, home: Home) -> bool {
        self.slots.iter().any(|s| s.home == Some(home))
    }

    /// Whether the group reads the home again within so many steps behind this one.
    pub fn asks_within(&self, home: Home, steps: u32) -> bool {
        let (next, now) = (self.next(Some(home)), self.ahead.as_ref().map_or(0, |ahead| ahead.at(self.progress)));
        !next.written && next.at < now.saturating_add(steps)
    }

    /// Whether the register has what the guest's lanes are, for good.
    pub fn has_fixed(&self, r: Reg) -> bool {
        let s = &self.slots[usize::from(r)];
        s.fixed && !s.runs
    }

    fn touch(&mut self, at: usize) {
        self.clock += 1;
        self.slots[at].used = self.clock;
        (self.slots[at].next, self.slots[at].touched) = (self.next(self.slots[at].home), self.now);
    }

    /// A register, pinned once, that holds nothing now, and what has to be stored before; `None`: all are pinned.
    pub fn take(&mut self) -> Option<(Reg, Option<Kept>)> {
        let free = self.slots[..self.count].iter().enumerate().filter(|(_, s)| s.pins == 0 && !s.fixed);
        let far = |s: &HostRegister| (Reverse(s.distance(self.now)), s.used);
        let empty = free.clone().find(|(_, s)| s.home.is_none());
        let (at, _) = empty.or_else(|| free.min_by_key(|(_, s)| far(s)))?;
        let evicted = self.store(at).filter(|_| !self.slots[at].is_dead(self.now));
        self.slots[at] = HostRegister { pins: 1, ..HostRegister::default() };
        self.touch(at);
        Some((at as Reg, evicted))
    }

    fn store(&self, at: usize) -> Option<Kept> {
        let slot = self.slots[at];
        slot.home.filter(|_| slot.dirty).map(|home| (at as Reg, home))
    }

    pub fn pin(&mut self, r: Reg) {
        self.slots[usize::from(r)].pins += 1;
    }

    pub fn pins(&self, r: Reg) -> u32 {
        self.slots[usize::from(r)].pins
    }

    /// The home's register, pinned once more, is written: what it was is of no interest.
    pub fn overwrite(&mut self, r: Reg) {
        self.pin(r);
        self.slots[usize::from(r)].away = false;
    }

    pub fn unpin(&mut self, r: Reg) {
        self.slots[usize::from(r)].pins -= 1;
    }

    /// Whether the register is a temporary with this one user left.
    pub fn dies(&self, r: Reg) -> bool {
        let s = self.slots[usize::from(r)];
        s.home.is_none() && s.pins == 1
    }

    pub fn is_home(&self, r: Reg) -> bool {
        self.slots[usize::from(r)].home.is_some()
    }

    /// Whether it holds the same in every lane.
    pub fn is_alike(&self, r: Reg) -> bool {
        matches!(self.slots[usize::from(r)].home, Some(Home::Scalar(_) | Home::Constant(_)))
    }

    pub fn make_home(&mut self, r: Reg, home: Home) {
        self.slots[usize::from(r)].home = Some(home);
        self.touch(r.into());
    }

    /// The register holds a value that is the guest's no more; not of one that is fixed.
    pub fn forget(&mut self, home: Home) {
        let holds = |s: &&mut HostRegister| s.home == Some(home) && !s.fixed;
        self.slots.iter_mut().filter(holds).for_each(|s| (s.home, s.dirty) = (None, false));
    }

    /// At the end of a chunk: what is written behind the group before anybody reads it is dropped, if it comes from the group.
    pub fn drop_over(&mut self, chunk: u8) {
        let of = |s: &&mut HostRegister| matches!(s.home, Some(Home::Vgpr(_, c)) if c == chunk);
        let over = |s: &&mut HostRegister| !s.fixed && s.dirty && !s.older && s.next == Next::OVER;
        self.slots.iter_mut().filter(of).filter(over).for_each(|s| (s.home, s.dirty) = (None, false));
    }

    /// The home's register, if it is newer than memory.
    pub fn newer(&self, home: Home) -> Option<Reg> {
        let at = self.slots.iter().position(|s| s.home == Some(home) && s.dirty)?;
        Some(at as Reg)
    }

    /// Whether the register holds the home's value.
    pub fn holds(&self, r: Reg, home: Home) -> bool {
        self.slots[usize::from(r)].home == Some(home)
    }

    /// Whether the register is the home's for good.
    pub fn is_fixed(&self, r: Reg, home: Home) -> bool {
        let s = self.slots[usize::from(r)];
        s.fixed && s.home == Some(home)
    }

    /// The home's value is newer than the guest register's.
    pub fn soil(&mut self, r: Reg) {
        self.slots[usize::from(r)].dirty = true;
    }

    /// Memory has the home's value.
    pub fn clean(&mut self, r: Reg) {
        self.slots[usize::from(r)].dirty = false;
    }

    /// What is newer than memory; fixed homes only if `all`.
    pub fn dirty(&self, all: bool) -> Vec<Kept> {
        (0..COUNT).filter(|&at| all || !self.slots[at].fixed).filter_map(|at| self.store(at)).collect()
    }

    /// Forgets all but the fixed homes.
    fn empty(&mut self) {
        self.slots.iter_mut().filter(|s| !s.fixed).for_each(|s| *s = HostRegister::default());
    }

    /// Forgets all homes but the fixed ones; temporaries that are pinned stay.
    pub fn forget_homes(&mut self) {
        let gone = |s: &&mut HostRegister| !s.fixed && (s.home.is_some() || s.pins == 0);
        self.slots.iter_mut().filter(gone).for_each(|s| *s = HostRegister::default());
    }

    /// Everything is in memory, and nothing else is anywhere.
    pub fn leave(&mut self) {
        self.empty();
        for s in self.slots.iter_mut().filter(|s| s.fixed) {
            (s.dirty, s.away) = (false, true);
        }
    }

    /// Fixed homes that have to be loaded; from now on they are.
    pub fn back(&mut self) -> Vec<Kept> {
        let mut back = Vec::new();
        for (at, s) in self.slots.iter_mut().enumerate() {
            if let Some(home) = s.home
                && std::mem::take(&mut s.away)
            {
                back.push((at as Reg, home));
            }
        }
        back
    }

    /// Homes besides the fixed ones.
    pub fn held(&self) -> Vec<Kept> {
        let held = self.slots.iter().enumerate().filter(|(_, s)| !s.fixed);
        held.filter_map(|(at, s)| Some((at as Reg, s.home?))).collect()
    }

    pub fn fixed(&self) -> Vec<Kept> {
        let fixed = self.slots.iter().enumerate().filter(|(_, s)| s.fixed);
        fixed.filter_map(|(at, s)| Some((at as Reg, s.home?))).collect()
    }

    /// Nothing but the fixed homes, of which these may be newer than memory.
    pub fn begin(&mut self, soiled: u32) {
        self.empty();
        for (at, s) in self.slots.iter_mut().enumerate().filter(|(_, s)| s.fixed) {
            (s.dirty, s.away) = (soiled >> at & 1 != 0, false);
        }
    }
}
