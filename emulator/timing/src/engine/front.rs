//! The front of the machine: packets, dispatchers, and who has to make room for whom.
//!
//! Each pipe executes one packet at a time, of its queue of the highest rank, in turn among equals; and starts one work-group
//! at a time, wherever there is room. Between queues [`policy::standing`] decides: work that is held starts no work-groups,
//! work that is suspended is taken off the machine, with all state of its waves, and put back when it may run again.
//! Dispatches of one queue start in order, and overlap unless a packet waits for idle.

use super::order::Order;
use super::tally::{Counters, DispatchReport, Ledger, Occupancy};
use super::{Clock, FRONT, Run};
use crate::memory::{DmaEnd, Tally};
use crate::observe::{Awaited, Event};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;
use wavepipe_core::cp::Stepped;
use wavepipe_core::dispatch::{Dispatch, ScratchSpace};
use wavepipe_core::policy::{Rank, Standing};
use wavepipe_core::timed::{QueueRef, Timed};
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pm4::{DmaSource, Packet};

/// What a queue is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At {
    /// Nothing behind its doorbell.
    Empty,
    /// A packet may execute from this cycle on.
    Packet(u64),
    /// WAIT_REG_MEM is looked at again in this cycle.
    Poll(u64),
    /// Its dispatches have to end first.
    Idle,
    Stopped,
}

pub(super) struct Queue {
    pub(super) queue: QueueRef,
    pub(super) seen: u64,
    pub(super) at: At,
    /// Order among queues of equal rank on its pipe.
    pub(super) turn: u64,
    /// What its packet waits for.
    pub(super) waits: Option<Awaited>,
}

/// A dispatch that has not ended.
pub(super) struct Active {
    pub(super) number: u64,
    pub(super) dispatch: Arc<Dispatch>,
    pub(super) queue: usize,
    pub(super) rank: Rank,
    pub(super) pipe: usize,
    pub(super) waves: u32,
    /// From which cycle its work-groups may start.
    pub(super) ready: u64,
    /// The work-group that starts next.
    pub(super) next: u64,
    /// On the machine or on their way off it.
    pub(super) resident: u64,
    pub(super) suspended: VecDeque<u32>,
    pub(super) ended: u64,
    pub(super) standing: Standing,
    /// From which cycle on others of higher priority have had the machine.
    pub(super) outranked: Option<u64>,
    pub(super) launched: u64,
    /// When the last wave ended, and the last store was acknowledged.
    pub(super) last: u64,
    pub(super) counters: Counters,
    pub(super) occupancy: Occupancy,
    /// Bytes that memory had read and written before.
    pub(super) memory_before: [u64; 2],
}

impl Active {
    /// Whether work-groups of it wait to start or to resume.
    pub(super) fn has_more(&self) -> bool {
        self.next < self.dispatch.total || !self.suspended.is_empty()
    }
}

/// When work that others hold back gets a turn all the same: over and over `turn` cycles after `patience` cycles.
pub(super) struct Turns {
    patience: u64,
    turn: u64,
}

impl Turns {
    /// Whether it is the turn of what has been outranked since a cycle.
    pub fn on(&self, now: u64, since: u64) -> bool {
        (now - since) % (self.patience + self.turn) >= self.patience
    }

    /// When that changes next.
    fn next(&self, now: u64, since: u64) -> u64 {
        let phase = (now - since) % (self.patience + self.turn);
        let end = if phase < self.patience { self.patience } else { self.patience + self.turn };
        now - phase + end
    }
}

pub struct Front {
    pub(super) queues: Vec<Queue>,
    /// From which cycle each pipe executes its next packet, and its dispatcher starts the next work-group.
    pub(super) packet_free: Vec<u64>,
    pub(super) launch_free: Vec<u64>,
    pub(super) actives: Vec<Option<Active>>,
    /// Work-groups that are off the machine once their state is saved.
    pub(super) saving: Vec<(u64, u32)>,
    /// From which cycle a compute unit may save or restore more.
    pub(super) save_free: Vec<u64>,
    /// Ended dispatches whose queue hears of it later.
    pub(super) ending: Vec<(u64, usize)>,
    pub(super) scratch: ScratchSpace,
    /// Something that has room for nothing else ended.
    pub(super) full: bool,
    pub(super) turns_of: Turns,
    pub(super) dispatches: u64,
    pub(super) ages: u64,
    pub(super) turns: u64,
    pub ledger: Ledger,
    /// For what has no dispatch.
    pub(super) nobody: Counters,
}

impl Front {
    pub fn new(machine: &Machine) -> Front {
        Front {
            queues: Vec::new(),
            packet_free: Vec::new(),
            launch_free: Vec::new(),
            actives: Vec::new(),
            saving: Vec::new(),
            save_free: vec![0; machine.shape.cus.value as usize],
            ending: Vec::new(),
            scratch: ScratchSpace::default(),
            full: false,
            turns_of: Turns {
                patience: machine.cycles(machine.launch.patience_ns.value).max(1),
                turn: machine.cycles(machine.launch.turn_ns.value).max(1),
            },
            dispatches: 0,
            ages: 0,
            turns: 0,
            ledger: Ledger::default(),
            nobody: Counters::default(),
        }
    }

    /// What all waves did since power-on.
    pub fn totals(&self) -> Counters {
        let mut total = self.ledger.total().clone();
        self.actives.iter().flatten().for_each(|active| total.add(&active.counters));
        total
    }

    /// Counts a wave's stay on the machine.
    pub(super) fn stayed(&mut self, dispatch: usize, from: u64, to: u64) {
        if let Some(Some(active)) = self.actives.get_mut(dispatch) {
            active.counters.resident += to.saturating_sub(from);
            let since = active.launched;
            active.occupancy.add(from.saturating_sub(since), to.saturating_sub(since));
        }
    }

    pub fn counters(&mut self, dispatch: usize) -> &mut Counters {
        match self.actives.get_mut(dispatch) {
            Some(Some(active)) => &mut active.counters,
            _ => &mut self.nobody,
        }
    }

    /// Sees what the driver did since: mapped and unmapped queues, doorbells, memory.
    pub fn look(&mut self, clock: &mut Clock, machine: &Timed<'_>, figures: &Machine) {
        let mapped = machine.queues();
        self.queues.retain(|q| mapped.iter().any(|m| m.same(&q.queue)));
        for queue in mapped {
            if !self.queues.iter().any(|q| q.queue.same(&queue)) {
                let ((pipe, place), rank) = (queue.place(), queue.rank());
                clock.event(clock.now, &Event::Queue { queue: queue.index(), pipe, place, rank });
                self.queues.push(Queue { queue, seen: 0, at: At::Empty, turn: 0, waits: None });
            }
        }
        self.queues.sort_by_key(|q| q.queue.index());
        let own: Vec<_> = self.queues.iter().map(|q| (q.queue.index(), q.queue.reserved_cus())).collect();
        clock.rooms.reserve(&own);
        let pipes = self.queues.iter().map(|q| q.queue.place().0 as usize + 1).max().unwrap_or(0);
        self.packet_free.resize(pipes.max(self.packet_free.len()), 0);
        self.launch_free.resize(pipes.max(self.launch_free.len()), 0);
        let now = clock.now;
        for q in &mut self.queues {
            let written = q.queue.written();
            if written != q.seen {
                q.seen = written;
                if q.at == At::Empty {
                    q.at = At::Packet(now + figures.command.doorbell.value);
                }
            }
            // The driver may have written what it waits for.
            if let At::Poll(_) = q.at {
                q.at = At::Poll(now);
            }
        }
        clock.wake(now, FRONT);
    }

    /// Whether work-groups are about to start.
    pub(super) fn launching(&self) -> bool {
        !self.full && self.actives.iter().flatten().any(Active::has_more)
    }

    /// Whether anything but looking at memory again can happen.
    fn busy(&self) -> bool {
        self.queues.iter().any(|q| matches!(q.at, At::Packet(_)))
            || self.actives.iter().any(Option::is_some)
            || !self.ending.is_empty()
    }

    /// The next cycle in which there is something to do; looks at memory only if something else may have changed it.
    fn due(&self, now: u64, order: Option<&Order>) -> Option<u64> {
        let busy = self.busy();
        let queues = self.queues.iter().filter_map(|q| {
            let pipe = self.packet_free[q.queue.place().0 as usize];
            match q.at {
                At::Packet(at) if order.is_none_or(|o| o.is_packet(q.queue.index())) => Some(at.max(pipe)),
                At::Poll(at) if busy => Some(at.max(pipe)),
                _ => None,
            }
        });
        let launches = self
            .actives
            .iter()
            .flatten()
            .filter(|a| a.has_more() && !self.full)
            .map(|a| a.ready.max(self.launch_free[a.pipe]));
        let others = self.saving.iter().map(|s| s.0).chain(self.ending.iter().map(|e| e.0));
        let turns = self.actives.iter().flatten().filter_map(|a| Some(self.turns_of.next(now, a.outranked?)));
        queues.chain(launches).chain(others).chain(turns).min()
    }
}

impl Run<'_, '_> {
    /// Does what is due at the front.
    pub fn front(&mut self) {
        let now = self.clock.now;
        self.saved(now);
        self.end_dispatches(now);
        self.packets(now);
        self.standings(now);
        self.launches(now);
        self.draw();
        if let Some(due) = self.front.due(now, self.clock.order.as_ref()) {
            self.clock.wake(due.max(now + 1), FRONT);
        }
    }

    /// Executes the packets that are due, one of each pipe.
    fn packets(&mut self, now: u64) {
        for pipe in 0..self.front.packet_free.len() {
            if self.front.packet_free[pipe] > now {
                continue;
            }
            let order = self.clock.order.as_ref();
            let due = |q: &Queue| {
                let at = match q.at {
                    At::Packet(at) if order.is_none_or(|o| o.is_packet(q.queue.index())) => at,
                    At::Poll(at) => at,
                    _ => return false,
                };
                q.queue.place().0 as usize == pipe && at <= now
            };
            let queues = self.front.queues.iter().enumerate().filter(|(_, q)| due(q));
            let Some((n, _)) = queues.min_by_key(|(_, q)| (Reverse(q.queue.rank()), q.turn)) else { continue };
            self.front.turns += 1;
            self.front.queues[n].turn = self.front.turns;
            if let Some(order) = self.clock.order.as_mut().filter(|_| matches!(self.front.queues[n].at, At::Packet(_)))
            {
                order.went();
            }
            self.packet(n, pipe, now);
        }
    }

    fn packet(&mut self, n: usize, pipe: usize, now: u64) {
        let index = self.front.queues[n].queue.index();
        let command = &self.figures.command;
        // WAIT_REG_MEM, looked at again and again, reads no counter.
        if !matches!(self.front.queues[n].at, At::Poll(_)) {
            let (totals, memory) = (self.front.totals(), self.clock.memory.tally());
            self.machine.set_counts(|event| totals.event(event, now, &memory));
        }
        let stepped = loop {
            match self.machine.packet(index, self.view) {
                Stepped::Piece => {}
                stepped => break stepped,
            }
        };
        let waits = match stepped {
            Stepped::WaitsIdle => Some(Awaited::Dispatches),
            Stepped::WaitsMemory => Some(Awaited::Memory),
            Stepped::WaitsClock(_) => Some(Awaited::Clock),
            _ => None,
        };
        if std::mem::replace(&mut self.front.queues[n].waits, waits) != waits {
            self.clock.event(now, &Event::Waits { queue: index, waits });
        }
        let at = match stepped {
            Stepped::Empty => At::Empty,
            Stepped::Stopped => {
                self.drop_queue(index);
                At::Stopped
            }
            Stepped::WaitsIdle => At::Idle,
            Stepped::WaitsMemory => At::Poll(now + command.poll.value),
            Stepped::WaitsClock(tick) => At::Packet(self.figures.cycle_of_tick(tick).max(now + 1)),
            Stepped::Piece => At::Packet(now),
            Stepped::Done(packet) => {
                let until = match &packet {
                    Packet::AcquireMem { gcr_cntl, .. } => {
                        self.clock.memory.acquire(now, *gcr_cntl).max(now + command.acquire.value)
                    }
                    Packet::DmaData { source, dest, bytes, .. } => {
                        let from = match source {
                            DmaSource::Fill(_) => DmaEnd::Nothing,
                            DmaSource::Memory(at) => self.dma_end(*at),
                        };
                        let to = self.dma_end(*dest);
                        self.clock.memory.dma(now, from, to, (*bytes).into())
                    }
                    _ => now + command.packet.value,
                };
                self.clock.event(now, &Event::Packet { queue: index, packet: &packet, until });
                self.front.packet_free[pipe] = until;
                At::Packet(until)
            }
        };
        self.front.queues[n].at = at;
        for dispatch in self.machine.dispatches() {
            self.dispatch(dispatch, now);
        }
    }

    /// On which side of the link to the host an address is.
    fn dma_end(&self, va: u64) -> DmaEnd {
        match self.view.map().span(va, 1) {
            Some((region, _)) if region.of_host => DmaEnd::Host,
            _ => DmaEnd::Memory(va),
        }
    }

    fn dispatch(&mut self, dispatch: Arc<Dispatch>, now: u64) {
        let queue = dispatch.queue();
        let number = self.front.dispatches;
        self.front.dispatches += 1;
        let started = Event::DispatchStarted { dispatch: number, queue: queue.index(), what: &dispatch };
        self.clock.event(now, &started);
        let before = self.clock.memory.tally();
        let active = Active {
            number,
            queue: queue.index(),
            rank: queue.rank(),
            pipe: queue.place().0 as usize,
            waves: dispatch.waves(),
            ready: now + self.figures.launch.dispatch.value,
            next: 0,
            resident: 0,
            suspended: VecDeque::new(),
            ended: 0,
            standing: Standing::Runs,
            outranked: None,
            launched: now,
            last: now,
            counters: Counters::default(),
            occupancy: Occupancy::default(),
            memory_before: [before.memory_read, before.memory_written],
            dispatch,
        };
        let actives = &mut self.front.actives;
        match actives.iter().position(Option::is_none) {
            Some(free) => actives[free] = Some(active),
            None => actives.push(Some(active)),
        }
        self.front.full = false;
    }
}

impl Front {
    pub(super) fn report(&mut self, active: Active, ended: u64, memory: &Tally) {
        self.ledger.note(DispatchReport {
            number: active.number,
            queue: active.queue,
            code_va: active.dispatch.launch.code_va,
            launched: active.launched,
            ended,
            counters: active.counters,
            occupancy: active.occupancy,
            memory: [memory.memory_read - active.memory_before[0], memory.memory_written - active.memory_before[1]],
        });
    }
}
