//! Waits in front of barriers: what one wave wrote, or still reads, when it arrives at a barrier, and another wave of the
//! work-group touches behind it. A barrier waits for waves, not for their memory operations.
//!
//! An operation without a conflict behind the barrier may well be outstanding there (a load ahead of its use is), so only the
//! conflict is a finding. Algorithm, in work-groups of several waves:
//!
//! 1. The operations of a wave that are outstanding, queue by queue in the order of their issue, with their lanes' addresses.
//!    A wait for n leaves the last n of a queue, and a full counter stalls, so that there are never more than it holds. What is done
//!    in any order, GCN's FLAT, only a wait for none ends.
//! 2. When the wave arrives at a barrier, they are noted as crossing it. What it noted at the last one holds no longer for waves
//!    that come to this one, and is forgotten when all have.
//! 3. An access of another wave that has passed that barrier is a finding if it meets one of them, one of both writes, and not
//!    both are atomics; of each operation, once for each wave.
//!
//! Caches are no concern of this check, nor images, scalar memory and GDS; whole barriers that are missing are races.

use super::super::mem;
use super::super::mem::Reach;
use super::super::probe::{Accesses, Issue, WaveView};
use super::{Found, Group, Observer, Side, Wants};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use wavepipe_hw::finding::{Access, AccessKind, AddressSpace, Awaited, FindingKind, MissingWait};
use wavepipe_isa::Instr;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{Control, MemKind, Sem, Space};
use wavepipe_isa::wait::{Counted, Counts, Event, Queue};

/// The queues of operations that other waves may meet in memory.
const QUEUES: [Queue; 3] = [Queue::VectorLoads, Queue::VectorStores, Queue::Lds];
/// Lists of what is outstanding: those queues, then FLAT without an order, as memory and as LDS.
const LISTS: usize = QUEUES.len() + 2;

/// The list of an event, if other waves may meet its operation in memory.
fn list(event: &Counted) -> Option<usize> {
    match (event.queue, event.event) {
        (Some(queue), _) => QUEUES.iter().position(|q| *q == queue),
        (None, Event::FlatLoad | Event::FlatStore) => Some(QUEUES.len()),
        (None, Event::FlatLds) => Some(QUEUES.len() + 1),
        _ => None,
    }
}

/// What an operation touches. LDS has addresses of its own: FLAT's aperture.
#[derive(Clone)]
struct Touched {
    /// High dword of that aperture.
    shared: u32,
    at: [u64; 64],
    mask: u64,
    bytes: u64,
    /// Bytes from each lane's first address to its second; 0 if there is one.
    second: u64,
    /// All of it is in here.
    bounds: Range<u64>,
    writes: bool,
    atomic: bool,
}

impl Default for Touched {
    fn default() -> Self {
        Touched { shared: 0, at: [0; 64], mask: 0, bytes: 0, second: 0, bounds: 0..0, writes: false, atomic: false }
    }
}

impl Touched {
    /// Becomes what these accesses of a wave touch.
    fn set(&mut self, instr: &Instr, kind: MemKind, to: &Accesses<'_>, wave: &WaveView<'_>) {
        let Reach { space, mask, first, last, .. } = to.reach;
        // Two offsets count in elements; the addresses that came have both of them added as one of bytes.
        let field = instr.imm as u64 & 0xffff;
        let (back, second) = kind.pair_offsets(field as u32).map_or((0, 0), |offsets| {
            let [first, second] = offsets.map(u64::from);
            (field.wrapping_sub(first), second.wrapping_sub(first))
        });
        let lanes = wave.lanes();
        self.shared = wave.apertures().shared;
        let base = if space == Space::Lds { u64::from(self.shared) << 32 } else { 0 };
        let place = |at: u64| (base | at).wrapping_sub(back);
        for (own, at) in self.at.iter_mut().zip(to.at).take(lanes as usize) {
            *own = place(*at);
        }
        (self.mask, self.second) = (mask, second);
        (self.bytes, self.writes, self.atomic) = (mem::bytes(kind).into(), kind.writes(), kind.is_atomic());
        let (first, last) = (place(first), place(last));
        let other = [first, last].map(|at| at.wrapping_add(second));
        self.bounds = first.min(other[0])..last.max(other[1]).saturating_add(self.bytes);
    }

    /// First address of each piece that a lane accesses, and the lane.
    fn pieces(&self) -> impl Iterator<Item = (u64, u32)> + use<> {
        let (mask, at, second) = (self.mask, self.at, self.second);
        let lanes = (0..64u32).filter(move |lane| mask >> lane & 1 != 0);
        lanes.flat_map(move |lane| {
            let first = at[lane as usize];
            [Some(first), (second != 0).then(|| first.wrapping_add(second))]
                .into_iter()
                .flatten()
                .map(move |a| (a, lane))
        })
    }

    /// Address and lane of the first piece whose order with one of `o`'s matters, and of that one.
    fn conflict(&self, o: &Touched) -> Option<[(u64, u32); 2]> {
        let apart = self.bounds.end <= o.bounds.start || o.bounds.end <= self.bounds.start;
        if apart || !(self.writes || o.writes) || self.atomic && o.atomic {
            return None;
        }
        let meets = |a: u64, b: u64| a < b.saturating_add(o.bytes) && b < a.saturating_add(self.bytes);
        self.pieces().find_map(|a| Some([a, o.pieces().find(|b| meets(a.0, b.0))?]))
    }

    /// What a lane accesses at `at`.
    fn access(&self, at: u64) -> Access {
        let lds = (at >> 32) as u32 == self.shared;
        Access {
            kind: AccessKind::of(self.writes, self.atomic),
            space: if lds { AddressSpace::Lds } else { AddressSpace::Global },
            address: if lds { at & 0xffff_ffff } else { at },
            bytes: self.bytes as u32,
            name: None,
        }
    }
}

#[derive(Clone)]
struct Operation {
    pc: u64,
    instr: Instr,
    event: Counted,
    /// `None`: nothing that others meet.
    touched: Option<Arc<Touched>>,
}

/// An operation that was outstanding when its wave arrived at a barrier.
struct Crossing {
    wave: u32,
    /// How many barriers the wave had passed with this one, and with the next one, once it has come there.
    passed: u32,
    next: u32,
    /// The waves that it was a finding to.
    told: u64,
    operation: Operation,
    touched: Arc<Touched>,
    /// Of its queue, issued behind it.
    age: u8,
}

#[derive(Default)]
struct WaveMemory {
    outstanding: [VecDeque<Operation>; LISTS],
    passed: u32,
}

impl WaveMemory {
    fn wait(&mut self, counts: Counts, spare: &mut Spare) {
        for queue in &mut self.outstanding {
            // One queue counts on one counter.
            let Some(first) = queue.front() else { continue };
            let left = match (usize::from(counts.get(first.event.counter)), first.event.queue) {
                (0, _) => 0,
                (left, Some(_)) => left,
                (_, None) => continue,
            };
            while queue.len() > left {
                queue.pop_front().into_iter().for_each(|o| spare.take(o));
            }
        }
    }
}

/// What was touched by operations that are over, to be used again.
#[derive(Default)]
struct Spare(Vec<Arc<Touched>>);

impl Spare {
    fn take(&mut self, over: Operation) {
        self.0.extend(over.touched.filter(|touched| Arc::strong_count(touched) == 1));
    }

    fn make(&mut self, fill: impl FnOnce(&mut Touched)) -> Arc<Touched> {
        let mut touched = self.0.pop().unwrap_or_default();
        fill(Arc::make_mut(&mut touched));
        touched
    }
}

/// The check of one work-group.
#[derive(Default)]
pub(super) struct Barriers {
    waves: Vec<WaveMemory>,
    crossings: Vec<Crossing>,
    group: Group,
    spare: Spare,
}

/// How many barriers a wave has passed that comes to none any more.
const ENDED: u32 = u32::MAX;

impl Barriers {
    /// A wave comes to a barrier.
    fn arrive(&mut self, wave: u32) {
        let Some(w) = self.waves.get_mut(wave as usize) else { return };
        w.passed += 1;
        let passed = w.passed;
        self.crossings.iter_mut().filter(|c| c.wave == wave && c.next == ENDED).for_each(|c| c.next = passed);
        for queue in &w.outstanding {
            for (behind, operation) in queue.iter().rev().enumerate() {
                let Some(touched) = operation.touched.clone() else { continue };
                let (operation, age) = (operation.clone(), operation.event.queue.map_or(0, |_| behind as u8));
                self.crossings.push(Crossing { wave, passed, next: ENDED, told: 0, operation, touched, age });
            }
        }
        self.forget();
    }

    /// Drops what no wave can meet any more.
    fn forget(&mut self) {
        let all = self.waves.iter().map(|w| w.passed).min().unwrap_or(0);
        self.crossings.retain(|c| c.next > all);
    }
}

impl Observer for Barriers {
    fn wants(&self) -> Wants {
        Wants::ISSUES | Wants::ACCESSES | Wants::LDS
    }

    fn start(&mut self, group: &Group) {
        self.waves.resize_with(group.waves, WaveMemory::default);
        for w in &mut self.waves {
            w.outstanding.iter_mut().flat_map(|queue| queue.drain(..)).for_each(|o| self.spare.take(o));
            w.passed = 0;
        }
        self.crossings.clear();
        self.group = *group;
    }

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, _: &mut Vec<Found>) {
        let footprint = issue.footprint(wave.lanes());
        let several = self.waves.len() > 1;
        let Some(w) = self.waves.get_mut(wave.index() as usize).filter(|_| several) else { return };
        if let Some(wait) = footprint.wait {
            w.wait(wait.counts(|reg| wave.sgpr(reg.0.into())), &mut self.spare);
        }
        for event in footprint.events.iter().flatten() {
            let Some(at) = list(event) else { continue };
            let queue = &mut w.outstanding[at];
            if queue.len() > usize::from(event.most) {
                queue.pop_front().into_iter().for_each(|o| self.spare.take(o));
            }
            queue.push_back(Operation { pc: issue.pc, instr: *issue.instr, event: *event, touched: None });
        }
        match issue.op.row.sem {
            Sem::Control(Control::Barrier) => self.arrive(wave.index()),
            Sem::Control(Control::EndPgm) => {
                w.passed = ENDED;
                self.forget();
            }
            _ => {}
        }
    }

    fn access(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, to: &Accesses<'_>, found: &mut Vec<Found>) {
        let Reach { space, mask, .. } = to.reach;
        let several = self.waves.len() > 1;
        let Some(w) = self.waves.get_mut(wave.index() as usize).filter(|_| several) else { return };
        let Sem::Mem(_, kind) = issue.op.row.sem else { return };
        let shared = matches!(space, Space::Lds | Space::Flat | Space::Global | Space::Buffer);
        if !shared || mask == 0 || issue.instr.flags.contains(Flags::GDS) {
            return;
        }
        let touched = self.spare.make(|touched| touched.set(issue.instr, kind, to, wave));
        // FLAT counts on two counters, and is done by that of the memory that its lanes reach.
        let [mut lds, mut memory] = [space == Space::Lds, space != Space::Lds];
        if space == Space::Flat {
            let shared = |lane: usize| (to.at[lane] >> 32) as u32 == touched.shared;
            (lds, memory) = (to.lanes().any(shared), to.lanes().any(|lane| !shared(lane)));
        }
        for event in issue.footprint(wave.lanes()).events.iter().flatten() {
            let counts = if event.event.is_of_lds() { lds } else { memory };
            if counts
                && let Some(at) = list(event)
                && let Some(operation) = w.outstanding[at].back_mut()
            {
                operation.touched = Some(touched.clone());
            }
        }
        let (index, me) = (wave.index(), 1u64.checked_shl(wave.index()).unwrap_or(0));
        let met = |c: &&mut Crossing| c.wave != index && (c.passed..c.next).contains(&w.passed) && c.told & me == 0;
        for c in self.crossings.iter_mut().filter(met) {
            let first = &c.touched;
            let Some([(address, other_lane), (at, lane)]) = first.conflict(&touched) else { continue };
            c.told |= me;
            let lds = (address >> 32) as u32 == first.shared;
            let what = match lds {
                true => Awaited::LdsBehindBarrier { address: address as u32, wave: c.wave },
                false => Awaited::MemoryBehindBarrier { address, wave: c.wave },
            };
            found.push(Found {
                kind: FindingKind::MissingWait(MissingWait {
                    what,
                    counter: c.operation.event.counter.name(),
                    at_most: c.age,
                }),
                lanes: 1 << lane,
                access: Some(touched.access(at)),
                other: Some(Side {
                    workgroup: self.group.id,
                    wave: c.wave,
                    lanes: 1 << other_lane,
                    pc: c.operation.pc,
                    instr: c.operation.instr,
                    access: Some(first.access(address)),
                }),
            });
        }
    }
}
