//! Wait insertion: each register waits for the counter of the instruction that fills it, no more.
//!
//! Forward dataflow. The state has, for every register with a result on its way, what fills it and how many operations of the
//! same queue were issued since (its age; [`wavepipe_isa::wait`] has counters, queues and orders). Reading or writing a
//! register of age n needs its counter at n: what was issued before it and others of its queue may still be out, and of what
//! comes back in any order (scalar memory) the age stays 0. A result may be overwritten by a later one of the same kind,
//! which arrives later. A wait for n clears every age ≥ n of its counter.
//! Join takes the younger age of each register (the stronger need), so a fixpoint is reached from below in a few rounds.
//! It remembers needs of early rounds that stronger waits have met since: what flows into each block is worked out afresh
//! from it, and taken where that holds by itself. Then one more walk inserts the waits. Explicit waits (barriers) are dropped
//! when nothing is outstanding.
//! Functions begin, and calls come back, with nothing outstanding but stores: before a call and a return all loads arrive.
//! Only memory barriers wait for stores. Where they count on the loads' counter, each makes what was issued before it older; where
//! the hardware reads their data late, its registers wait on a third counter before they are written again.

use super::machine::{Body, Link, Machine, Placed};
use crate::mir::{BlockId, Term};
use wavepipe_isa::instr::Instr;
use wavepipe_isa::insts as i;
use wavepipe_isa::row::Ty;
use wavepipe_isa::wait::{Counted, Counter, Counts, Event};
use wavepipe_isa::{Gen, Src};

/// What S_WAITCNT of memory barriers waits for.
pub const ALL_ZERO_MEMORY: Counts = Counts::NONE.with(Counter::Vm, 0).with(Counter::Lgkm, 0);
pub const LGKM_ZERO: Counts = Counts::NONE.with(Counter::Lgkm, 0);

/// The counters that results of memory count on.
const RESULTS: [Counter; 2] = [Counter::Vm, Counter::Lgkm];
/// SGPRs, VCC and M0 below 128; VGPRs from 128.
const REGS: usize = 128 + 256;

/// What is on its way to a register.
#[derive(Clone, Copy, PartialEq)]
struct Fill {
    age: u8,
    /// Bit e: [`Event`] e, on some path. None: nothing is.
    events: u16,
}

impl Fill {
    const NONE: Fill = Fill { age: u8::MAX, events: 0 };

    fn join(&mut self, o: Fill) {
        *self = Fill { age: self.age.min(o.age), events: self.events | o.events };
    }
}

const fn bit(event: Event) -> u16 {
    1 << event as u8
}

/// The events that are done in order with this one.
fn queue(event: Counted, isa: Gen) -> u16 {
    let all = Event::ALL.into_iter().filter_map(|e| e.counted(isa));
    let same = all.filter(|e| event.queue.is_some() && e.queue == event.queue);
    same.fold(0, |mask, e| mask | bit(e.event))
}

/// Whether registers are still to be read after a store was issued.
fn reads_late(isa: Gen) -> bool {
    Event::StoreData.counted(isa).is_some()
}

/// The counter that stores count on.
fn of_stores(isa: Gen) -> Counter {
    Event::VectorStore.counted(isa).map_or(Counter::Vm, |e| e.counter)
}

#[derive(Clone, PartialEq)]
struct WaitState {
    /// By counter of [`RESULTS`].
    fills: [[Fill; REGS]; RESULTS.len()],
    /// What is still to read each register; empty where nothing reads late.
    locks: Vec<Fill>,
    /// Operations may be outstanding on a counter, with or without a result.
    any: [bool; Counter::COUNT],
    reached: bool,
}

impl WaitState {
    fn new(isa: Gen) -> WaitState {
        let locks = vec![Fill::NONE; if reads_late(isa) { REGS } else { 0 }];
        WaitState { fills: [[Fill::NONE; REGS]; RESULTS.len()], locks, any: [false; Counter::COUNT], reached: false }
    }

    fn all(&mut self) -> impl Iterator<Item = (&mut [Fill], Counter)> {
        let fills = self.fills.iter_mut().map(|fills| fills.as_mut_slice()).zip(RESULTS);
        fills.chain(std::iter::once((self.locks.as_mut_slice(), Counter::Exp)))
    }

    /// What the code is entered with: a function's caller may have stored.
    fn begin(&mut self, m: &Machine) {
        self.reached = true;
        self.any[of_stores(m.isa) as usize] = m.called;
    }

    fn join(&mut self, o: &WaitState) -> bool {
        let before = self.clone();
        let fills = self.fills.as_flattened_mut().iter_mut().zip(o.fills.as_flattened());
        for (a, b) in fills.chain(self.locks.iter_mut().zip(&o.locks)) {
            a.join(*b);
        }
        for (a, b) in self.any.iter_mut().zip(o.any) {
            *a |= b;
        }
        self.reached = true;
        *self != before
    }

    fn wait(&mut self, counts: Counts) {
        for (fills, counter) in self.all() {
            if let Some(n) = counts.asked(counter) {
                fills.iter_mut().filter(|f| f.age >= n).for_each(|f| *f = Fill::NONE);
            }
        }
        for counter in Counter::ALL {
            self.any[counter as usize] &= counts.get(counter) > 0;
        }
    }

    /// The counts by which all results are there, and all that is stored has been read.
    fn results(&mut self, isa: Gen) -> Counts {
        let (any, stores) = (self.any, of_stores(isa));
        let mut counts = Counts::NONE;
        for (fills, counter) in self.all() {
            // Stores may be outstanding on the other side, and nothing else.
            let youngest = match counter == stores {
                true => fills.iter().filter(|f| f.events != 0).map(|f| f.age).min(),
                false => any[counter as usize].then_some(0),
            };
            counts = youngest.map_or(counts, |age| counts.with(counter, age));
        }
        counts
    }

    /// The counts that `instr` needs before it issues.
    fn needs(&self, instr: &Instr, (isa, lanes): Waves) -> Counts {
        // What only it fills may be filled again by the same kind of memory access.
        let mut events = instr.events(isa).filter(|e| RESULTS.contains(&e.counter));
        let again = match (events.next(), events.next()) {
            (Some(event), None) if event.writes_in_order() => bit(event.event),
            _ => 0,
        };
        let mut counts = Counts::NONE;
        let mut need = |regs: std::ops::Range<usize>, but: u16| {
            for (fills, counter) in self.fills.iter().zip(RESULTS) {
                let fills = fills[regs.clone()].iter().filter(|f| f.events & !but != 0);
                counts = fills.fold(counts, |sum, f| sum.and(Counts::NONE.with(counter, f.age)));
            }
        };
        for a in instr.uses(lanes) {
            // A load that keeps half of its register does not read it.
            let kept = if a.ty == Ty::Old { again } else { 0 };
            need(index(a.reg, a.dwords), kept);
        }
        instr.defs(lanes).for_each(|a| need(index(a.reg, a.dwords), again));
        if !self.locks.is_empty() {
            let written = instr.defs(lanes).flat_map(|a| &self.locks[index(a.reg, a.dwords)]);
            let unread = written.filter(|f| f.events != 0).map(|f| f.age).min();
            counts = unread.map_or(counts, |age| counts.with(Counter::Exp, age));
        }
        counts
    }

    fn issue(&mut self, instr: &Instr, (isa, lanes): Waves) {
        for event in instr.events(isa) {
            self.any[event.counter as usize] = true;
            let Some((fills, _)) = self.all().find(|(_, counter)| *counter == event.counter) else { continue };
            let queue = queue(event, isa);
            for f in fills.iter_mut().filter(|f| f.events != 0 && f.events & !queue == 0) {
                f.age = (f.age + 1).min(event.most);
            }
            let now = Fill { age: 0, events: bit(event.event) };
            match event.event {
                Event::StoreData => {
                    let read = instr.late_reads(event.event, lanes);
                    read.for_each(|a| fills[index(a.reg, a.dwords)].fill(now));
                }
                _ => instr.defs(lanes).for_each(|d| fills[index(d.reg, d.dwords)].fill(now)),
            }
        }
    }
}

fn index(reg: Src, dwords: u32) -> std::ops::Range<usize> {
    let first = if reg.is_vgpr() { 128 + reg.vgpr() as usize } else { usize::from(reg.0) };
    match reg {
        Src::SCC => 0..0,
        _ => first..(first + dwords as usize).min(REGS),
    }
}

/// How often the fixpoint is worked out afresh, at most. Each round passes what is gained on by a block.
const REFINEMENTS: usize = 4;

/// Generation and lanes of a wave.
type Waves = (Gen, u32);

/// Puts a wait before each instruction that needs one, and takes away explicit ones that wait for nothing.
pub fn insert(m: &mut Machine) {
    let mut entry: Vec<WaitState> = vec![WaitState::new(m.isa); m.blocks.len()];
    let Some(&first) = m.order.first() else { return };
    entry[first as usize].begin(m);
    // Blocks whose entry has changed since they were walked, by their place in the layout.
    let mut wanted = vec![true; m.order.len()];
    let mut place = vec![0; m.blocks.len()];
    m.order.iter().enumerate().for_each(|(k, &b)| place[b as usize] = k);
    while wanted.contains(&true) {
        for k in 0..m.order.len() {
            let b = m.order[k] as usize;
            if !std::mem::take(&mut wanted[k]) || !entry[b].reached {
                continue;
            }
            let mut state = entry[b].clone();
            walk(&m.blocks[b], &mut state, (m.isa, m.lanes), None);
            for s in successors(m, k) {
                wanted[place[s as usize]] |= entry[s as usize].join(&state);
            }
        }
    }
    for _ in 0..REFINEMENTS {
        let next = flow(m, &entry);
        let holds = flow(m, &next).iter().zip(&next).all(|(more, state)| !more.reached || !state.clone().join(more));
        if !holds || next == entry {
            break;
        }
        entry = next;
    }
    for b in 0..m.blocks.len() {
        let mut out = Vec::with_capacity(m.blocks[b].insts.len());
        let mut state = entry[b].clone();
        walk(&m.blocks[b], &mut state, (m.isa, m.lanes), Some(&mut out));
        m.blocks[b].insts = out;
    }
}

/// What flows into each block if each is entered as `entry` says.
fn flow(m: &Machine, entry: &[WaitState]) -> Vec<WaitState> {
    let mut next: Vec<WaitState> = vec![WaitState::new(m.isa); m.blocks.len()];
    if let Some(&first) = m.order.first() {
        next[first as usize].begin(m);
    }
    for (k, &b) in m.order.iter().enumerate().filter(|&(_, &b)| entry[b as usize].reached) {
        let mut state = entry[b as usize].clone();
        walk(&m.blocks[b as usize], &mut state, (m.isa, m.lanes), None);
        for s in successors(m, k) {
            next[s as usize].join(&state);
        }
    }
    next
}

pub fn successors(m: &Machine, k: usize) -> impl Iterator<Item = BlockId> {
    let next = m.order.get(k + 1).copied();
    let (a, b) = match m.blocks[m.order[k] as usize].term {
        Term::Fall => (next, None),
        Term::Jump(t) => (None, Some(t)),
        Term::Branch { target, .. } => (next, Some(target)),
        Term::End | Term::Return => (None, None),
    };
    a.into_iter().chain(b)
}

fn walk(block: &Body, state: &mut WaitState, waves: Waves, mut out: Option<&mut Vec<Placed>>) {
    for p in &block.insts {
        let instr = &p.instr;
        if let Some(wait) = instr.waits(waves.0) {
            // Of a memory barrier: what nothing counts on needs no wait.
            let wanted = wait.counts(|_| 0);
            let useful = Counter::ALL.into_iter().filter(|c| wanted.asked(*c).is_some() && state.any[*c as usize]);
            let counts = useful.fold(Counts::NONE, |sum, c| sum.with(c, wanted.get(c)));
            if counts != Counts::NONE
                && let Some(out) = out.as_deref_mut()
            {
                let explicit = if instr.op == i::S_WAITCNT { waitcnt(p, counts, waves.0) } else { *p };
                out.push(explicit);
            }
            state.wait(counts);
            continue;
        }
        // The other function knows nothing of what is on its way.
        let leaves = instr.op == i::S_SWAPPC_B64 || instr.op == i::S_SETPC_B64;
        let counts = if leaves { state.results(waves.0) } else { state.needs(instr, waves) };
        if counts != Counts::NONE {
            state.wait(counts);
            if let Some(out) = out.as_deref_mut() {
                out.push(waitcnt(p, counts, waves.0));
            }
        }
        state.issue(instr, waves);
        state.any[of_stores(waves.0) as usize] |= leaves;
        if let Some(out) = out.as_deref_mut() {
            out.push(*p);
        }
    }
}

fn waitcnt(at: &Placed, counts: Counts, isa: Gen) -> Placed {
    let mut instr = Instr::new(i::S_WAITCNT);
    instr.imm = counts.imm(isa);
    instr.imply();
    Placed { instr, loc: at.loc, link: Link::None }
}
