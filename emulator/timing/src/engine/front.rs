//! The front of the machine: packets, dispatchers, and who has to make room for whom.
//!
//! Each pipe executes one packet at a time, of its queue of the highest rank, in turn among equals; and starts one work-group
//! at a time, wherever there is room. Between queues [`policy::standing`] decides: work that is held starts no work-groups,
//! work that is suspended is taken off the machine, with all state of its waves, and put back when it may run again.
//! Dispatches of one queue start in order, and overlap unless a packet waits for idle.

use super::groups::Group;
use super::tally::Counters;
use super::wave::{Reason, TimedWave};
use super::{Clock, FRONT, Run};
use crate::memory::DmaEnd;
use crate::observe::{Event, Slot};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;
use wavepipe_core::cp::Stepped;
use wavepipe_core::dispatch::policy::{self, Policy, Rank, Standing};
use wavepipe_core::dispatch::{Dispatch, ScratchSpace};
use wavepipe_core::timed::{QueueRef, Timed};
use wavepipe_core::wave::WaveFault;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pm4::{DmaSource, Packet};

/// What a queue is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
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

struct Queue {
    queue: QueueRef,
    seen: u64,
    at: At,
    /// Order among queues of equal rank on its pipe.
    turn: u64,
}

/// A dispatch that has not ended.
struct Active {
    number: u64,
    dispatch: Arc<Dispatch>,
    queue: usize,
    rank: Rank,
    pipe: usize,
    waves: u32,
    /// From which cycle its work-groups may start.
    ready: u64,
    /// The work-group that starts next.
    next: u64,
    /// On the machine or on their way off it.
    resident: u64,
    suspended: VecDeque<u32>,
    ended: u64,
    standing: Standing,
    launched: u64,
    /// When the last wave ended, and the last store was acknowledged.
    last: u64,
    counters: Counters,
}

/// What a dispatch took, and did.
#[derive(Clone, Debug)]
pub struct DispatchReport {
    /// Counts up from 0.
    pub number: u64,
    /// The queue's number in the machine.
    pub queue: usize,
    pub code_va: u64,
    /// Cycles: when its packet was read, and when its last wave had ended and its last store arrived.
    pub launched: u64,
    pub ended: u64,
    pub counters: Counters,
}

pub struct Front {
    queues: Vec<Queue>,
    /// From which cycle each pipe executes its next packet, and its dispatcher starts the next work-group.
    packet_free: Vec<u64>,
    launch_free: Vec<u64>,
    actives: Vec<Option<Active>>,
    /// Work-groups that are off the machine once their state is saved.
    saving: Vec<(u64, u32)>,
    /// From which cycle a compute unit may save or restore more.
    save_free: Vec<u64>,
    /// Ended dispatches whose queue hears of it later.
    ending: Vec<(u64, usize)>,
    scratch: ScratchSpace,
    /// Something that has room for nothing else ended.
    full: bool,
    dispatches: u64,
    ages: u64,
    turns: u64,
    pub reports: Vec<DispatchReport>,
    /// For what has no dispatch.
    nobody: Counters,
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
            dispatches: 0,
            ages: 0,
            turns: 0,
            reports: Vec::new(),
            nobody: Counters::default(),
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
                self.queues.push(Queue { queue, seen: 0, at: At::Empty, turn: 0 });
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

    /// Whether anything but looking at memory again can happen.
    fn busy(&self) -> bool {
        self.queues.iter().any(|q| matches!(q.at, At::Packet(_)))
            || self.actives.iter().any(Option::is_some)
            || !self.ending.is_empty()
    }

    /// The next cycle in which there is something to do; looks at memory only if something else may have changed it.
    fn due(&self) -> Option<u64> {
        let busy = self.busy();
        let queues = self.queues.iter().filter_map(|q| {
            let pipe = self.packet_free[q.queue.place().0 as usize];
            match q.at {
                At::Packet(at) => Some(at.max(pipe)),
                At::Poll(at) if busy => Some(at.max(pipe)),
                _ => None,
            }
        });
        let launches = self.actives.iter().flatten().filter_map(|a| {
            let more = a.next < a.dispatch.total || !a.suspended.is_empty();
            (more && !self.full).then(|| a.ready.max(self.launch_free[a.pipe]))
        });
        let others = self.saving.iter().map(|s| s.0).chain(self.ending.iter().map(|e| e.0));
        queues.chain(launches).chain(others).min()
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
        if let Some(due) = self.front.due() {
            self.clock.wake(due.max(now + 1), FRONT);
        }
    }

    /// Executes the packets that are due, one of each pipe.
    fn packets(&mut self, now: u64) {
        for pipe in 0..self.front.packet_free.len() {
            if self.front.packet_free[pipe] > now {
                continue;
            }
            let due = |q: &Queue| {
                q.queue.place().0 as usize == pipe && matches!(q.at, At::Packet(at) | At::Poll(at) if at <= now)
            };
            let queues = self.front.queues.iter().enumerate().filter(|(_, q)| due(q));
            let Some((n, _)) = queues.min_by_key(|(_, q)| (Reverse(q.queue.rank()), q.turn)) else { continue };
            self.front.turns += 1;
            self.front.queues[n].turn = self.front.turns;
            self.packet(n, pipe, now);
        }
    }

    fn packet(&mut self, n: usize, pipe: usize, now: u64) {
        let index = self.front.queues[n].queue.index();
        let command = &self.figures.command;
        let polled = matches!(self.front.queues[n].at, At::Poll(_));
        let stepped = loop {
            match self.machine.packet(index, self.view) {
                Stepped::Piece => {}
                stepped => break stepped,
            }
        };
        let at = match stepped {
            Stepped::Empty => At::Empty,
            Stepped::Stopped => {
                self.drop_queue(index);
                At::Stopped
            }
            Stepped::WaitsIdle => At::Idle,
            Stepped::WaitsMemory => {
                if !polled {
                    self.clock.event(now, &Event::Waits { queue: index, on: true });
                }
                At::Poll(now + command.poll.value)
            }
            Stepped::Piece => At::Packet(now),
            Stepped::Done(packet) => {
                if polled {
                    self.clock.event(now, &Event::Waits { queue: index, on: false });
                }
                let until = match &packet {
                    Packet::AcquireMem { gcr_cntl, .. } => {
                        self.clock.memory.acquire(now, *gcr_cntl).max(now + command.acquire.value)
                    }
                    Packet::DmaData { source, bytes, .. } => {
                        let from = match source {
                            DmaSource::Fill(_) => DmaEnd::Nothing,
                            DmaSource::Memory(at) => DmaEnd::Memory(*at),
                        };
                        let Packet::DmaData { dest, .. } = &packet else { return };
                        self.clock.memory.dma(now, from, DmaEnd::Memory(*dest), (*bytes).into())
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

    fn dispatch(&mut self, dispatch: Arc<Dispatch>, now: u64) {
        let queue = dispatch.queue();
        let number = self.front.dispatches;
        self.front.dispatches += 1;
        let started = Event::DispatchStarted { dispatch: number, queue: queue.index(), what: &dispatch };
        self.clock.event(now, &started);
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
            launched: now,
            last: now,
            counters: Counters::default(),
            dispatch,
        };
        let actives = &mut self.front.actives;
        match actives.iter().position(Option::is_none) {
            Some(free) => actives[free] = Some(active),
            None => actives.push(Some(active)),
        }
        self.front.full = false;
    }

    /// Decides who may run beside whom, and suspends those who may not.
    fn standings(&mut self, now: u64) {
        let choice = self.machine.policy();
        for i in 0..self.front.actives.len() {
            let Some(active) = &self.front.actives[i] else { continue };
            let others = self.front.actives.iter().flatten().filter(|a| a.queue != active.queue && a.ready <= now);
            let highest = others.map(|a| a.rank).max();
            let standing = policy::standing(choice, active.rank, highest);
            if standing == active.standing {
                continue;
            }
            if let Some(active) = &mut self.front.actives[i] {
                active.standing = standing;
            }
            self.front.full = false;
            if standing == Standing::Suspended {
                self.suspend(i, now);
            }
        }
    }

    /// Takes a dispatch's work-groups off what is not its queue's own.
    fn suspend(&mut self, active: usize, now: u64) {
        let Some(queue) = self.front.actives[active].as_ref().map(|a| a.queue) else { return };
        for id in self.groups.of(active) {
            let Some(group) = self.groups.get(id) else { continue };
            let Some(place) = &group.place else { continue };
            if self.clock.rooms.owns(queue, place, group.wgp_mode) || self.front.saving.iter().any(|s| s.1 == id) {
                continue;
            }
            let slots: Vec<_> = group.slots.iter_mut().map(Option::take).collect();
            for (wave, at) in slots.into_iter().enumerate() {
                let Some((simd, slot)) = at else { continue };
                group.away.extend(self.simds[simd as usize].take(slot));
                let (number, at) = (group.number, Slot { simd, slot });
                let dispatch = self.front.actives[active].as_ref().map_or(0, |a| a.number);
                let event = Event::WaveEnded { dispatch, group: number, wave: wave as u32, at, suspended: true };
                self.clock.event(now, &event);
            }
            let cu = self.figures.shape.cus_per_wgp.value as usize * place.wgp + place.cu;
            let free = self.front.save_free[cu].max(now + self.figures.launch.suspend.value);
            let done = free + group.saved_bytes.div_ceil(self.figures.launch.save_bytes_per_cycle.value.max(1));
            self.front.save_free[cu] = done;
            self.front.saving.push((done, id));
        }
    }

    /// Work-groups whose state is saved leave their room.
    fn saved(&mut self, now: u64) {
        let over: Vec<_> = self.front.saving.extract_if(.., |s| s.0 <= now).collect();
        for (_, id) in over {
            let Some(group) = self.groups.get(id) else { continue };
            if let Some(place) = group.place.take() {
                for wave in &group.away {
                    self.clock.rooms.free_wave(&place, usize::from(place.simds[wave.index as usize]));
                }
                self.clock.rooms.free_group(&place);
            }
            if let Some(Some(active)) = self.front.actives.get_mut(group.dispatch) {
                active.resident -= 1;
                active.suspended.push_back(id);
            }
            self.front.full = false;
        }
    }

    /// Starts work-groups, at most one of each pipe.
    fn launches(&mut self, now: u64) {
        if self.front.full {
            return;
        }
        let mut order: Vec<usize> =
            (0..self.front.actives.len()).filter(|i| self.front.actives[*i].is_some()).collect();
        // First come, first served, where all share.
        let ranked = self.machine.policy() != Some(Policy::Share);
        order.sort_by_key(|i| {
            let active = self.front.actives[*i].as_ref();
            active.map(|a| (Reverse(ranked.then_some(a.rank)), a.number))
        });
        let (mut any, mut waiting) = (false, false);
        for i in order {
            let Some(active) = &self.front.actives[i] else { continue };
            if active.next >= active.dispatch.total && active.suspended.is_empty() {
                continue;
            }
            if active.ready > now || self.front.launch_free[active.pipe] > now {
                waiting = true;
                continue;
            }
            any |= self.launch(i, now);
        }
        // Whoever frees room, or changes who may run, looks again.
        self.front.full = !any && !waiting;
    }

    /// Starts or resumes the next work-group of a dispatch, if there is room.
    fn launch(&mut self, i: usize, now: u64) -> bool {
        let Some(active) = &mut self.front.actives[i] else { return false };
        let own_only = active.standing != Standing::Runs;
        let resumed = active.suspended.front().copied();
        let waves = match resumed.and_then(|id| self.groups.get(id)) {
            Some(group) => group.away.len() as u32,
            None => active.waves,
        };
        let scratch = match active.dispatch.scratch {
            Some(need) if resumed.is_none() => match self.front.scratch.claim(need) {
                Some(range) => Some(range),
                None => return false,
            },
            _ => None,
        };
        let place = self.clock.rooms.take(&active.dispatch, active.queue, waves, own_only);
        let Some(mut place) = place else {
            if let Some(range) = scratch {
                self.front.scratch.release(&range);
            }
            return false;
        };
        let launch = &self.figures.launch;
        let per_wave = 1.0 / launch.waves_per_cycle.value;
        let takes = ((f64::from(waves) * per_wave).ceil() as u64).max(launch.workgroup.value);
        self.front.launch_free[active.pipe] = now + takes;
        active.resident += 1;
        let cu = self.figures.shape.cus_per_wgp.value as usize * place.wgp + place.cu;
        let (id, first, mut list) = match resumed {
            Some(id) => {
                active.suspended.pop_front();
                let Some(group) = self.groups.get(id) else { return false };
                let list = std::mem::take(&mut group.away);
                // `simds` is by wave of the work-group; those that ended have none.
                let mut simds = vec![0; group.slots.len()];
                for (wave, simd) in list.iter().zip(&place.simds) {
                    simds[wave.index as usize] = *simd;
                }
                place.simds = simds;
                group.place = Some(place.clone());
                let free = self.front.save_free[cu].max(now);
                let done = free + group.saved_bytes.div_ceil(launch.save_bytes_per_cycle.value.max(1));
                self.front.save_free[cu] = done;
                (id, done, list)
            }
            None => {
                let number = active.next;
                active.next += 1;
                let mut work = self.groups.spare.pop().unwrap_or_else(|| self.machine.group());
                active.dispatch.start(&mut work, number, scratch.as_ref().map_or(0, |s| s.start as u32));
                let dispatch = &active.dispatch;
                let lanes = dispatch.launch.wave.lanes();
                let live = work.waves();
                let bytes = u64::from(dispatch.vgpr_rows()) * 128 * live as u64 + u64::from(dispatch.launch.lds_bytes);
                let age = self.front.ages;
                let list = (0..live as u32).map(|index| {
                    self.front.ages += 1;
                    let mut wave = Box::new(TimedWave::new(dispatch.launch.vgprs, lanes));
                    (wave.index, wave.age, wave.group_age) = (index, self.front.ages, age);
                    wave
                });
                let list: Vec<_> = list.collect();
                // A last work-group may have fewer waves than there was room for.
                for simd in place.simds.drain(live.min(place.simds.len())..).collect::<Vec<_>>() {
                    self.clock.rooms.free_wave(&place, usize::from(simd));
                }
                active.counters.workgroups += 1;
                active.counters.waves += live as u64;
                self.machine.count(0, 1, live as u64);
                let group = Group {
                    work,
                    dispatch: i,
                    number,
                    wgp_mode: dispatch.wgp_mode,
                    place: Some(place.clone()),
                    slots: vec![None; live],
                    away: Vec::new(),
                    live,
                    saved_bytes: bytes,
                    scratch,
                    instructions: 0,
                };
                (self.groups.add(group), now + launch.wave_setup.value, list)
            }
        };
        let (number, group_number) = (active.number, self.groups.get(id).map_or(0, |g| g.number));
        let simds_per_wgp = self.figures.simds_per_wgp() as usize;
        for (n, mut wave) in list.drain(..).enumerate() {
            let start = first + (n as f64 * per_wave) as u64;
            let within = usize::from(place.simds[wave.index as usize]);
            let simd = place.wgp * simds_per_wgp + within;
            wave.group = id;
            if resumed.is_none() {
                wave.issued = start.saturating_sub(1);
                wave.hold = (start, Reason::Launch);
                self.settle(&mut wave, place.wgp, within);
                wave.started = start;
            } else if wave.ready < start {
                (wave.ready, wave.reason) = (start, Reason::Launch);
            }
            let (ready, parked, index) = (wave.ready, wave.parked, wave.index);
            let Some(slot) = self.simds[simd].put(wave) else { continue };
            if let Some(group) = self.groups.get(id) {
                group.slots[index as usize] = Some((simd as u32, slot));
            }
            let at = Slot { simd: simd as u32, slot };
            let resumed = resumed.is_some();
            let event = Event::WaveStarted { dispatch: number, group: group_number, wave: index, at, resumed };
            self.clock.event(start, &event);
            if !parked {
                self.simds[simd].wake(ready.max(now + 1), self.clock);
            }
        }
        true
    }

    /// A wave came to a barrier. If it was the last, all go on.
    pub fn barrier(&mut self, wave: &mut TimedWave, now: u64) {
        let at = now + self.figures.latency.barrier.value;
        if self.open_barrier(wave.group, at) {
            wave.parked = false;
            wave.hold = (at, Reason::Barrier);
        }
    }

    fn open_barrier(&mut self, id: u32, at: u64) -> bool {
        let Some(group) = self.groups.get(id) else { return false };
        if !group.work.open_barrier() {
            return false;
        }
        for (simd, slot) in group.slots.iter().flatten() {
            let simd = &mut self.simds[*simd as usize];
            if let Some(Some(w)) = simd.slots.get_mut(*slot as usize)
                && w.parked
            {
                w.parked = false;
                if w.ready < at {
                    (w.ready, w.reason) = (at, Reason::Barrier);
                }
                let ready = w.ready;
                simd.wake(ready, self.clock);
            }
        }
        true
    }

    /// A wave's last instruction has issued.
    pub fn wave_ended(&mut self, simd: usize, slot: u32, now: u64) {
        let Some(mut wave) = self.simds[simd].take(slot) else { return };
        let id = wave.group;
        let drained = wave.drained().max(now);
        let Some(group) = self.groups.get(id) else { return };
        group.slots[wave.index as usize] = None;
        group.live -= 1;
        if let Some(place) = &group.place {
            let within = usize::from(place.simds[wave.index as usize]);
            self.clock.rooms.free_wave(place, within);
        }
        let (dispatch, number, live) = (group.dispatch, group.number, group.live);
        if let Some(Some(active)) = self.front.actives.get_mut(dispatch) {
            active.last = active.last.max(drained);
            active.counters.resident += now.saturating_sub(wave.started);
            let at = Slot { simd: simd as u32, slot };
            let event =
                Event::WaveEnded { dispatch: active.number, group: number, wave: wave.index, at, suspended: false };
            self.clock.event(now, &event);
        }
        if live > 0 {
            self.open_barrier(id, now + self.figures.latency.barrier.value);
        } else if let Some(group) = self.groups.remove(id) {
            if let Some(place) = &group.place {
                self.clock.rooms.free_group(place);
            }
            if let Some(range) = &group.scratch {
                self.front.scratch.release(range);
            }
            if let Some(Some(active)) = self.front.actives.get_mut(dispatch) {
                active.dispatch.ended(number, group.instructions);
                active.resident -= 1;
                active.ended += 1;
                if active.ended == active.dispatch.total {
                    self.front.ending.push((active.last, dispatch));
                }
            }
            self.groups.spare.push(group.work);
        }
        self.front.full = false;
        self.clock.wake(now + 1, FRONT);
    }

    /// Dispatches whose last store has arrived: their queues go on.
    fn end_dispatches(&mut self, now: u64) {
        let over: Vec<_> = self.front.ending.extract_if(.., |e| e.0 <= now).collect();
        for (at, i) in over {
            let Some(active) = self.front.actives.get_mut(i).and_then(Option::take) else { continue };
            self.clock.event(at, &Event::DispatchEnded { dispatch: active.number });
            self.machine.dispatch_ended(&active.dispatch);
            let release = now + self.figures.command.release.value;
            for q in self.front.queues.iter_mut().filter(|q| q.queue.index() == active.queue && q.at == At::Idle) {
                q.at = At::Packet(release);
            }
            self.front.full = false;
            self.front.report(active, at);
        }
    }

    /// Stops the queue of a dispatch with a fault.
    pub fn fault(&mut self, dispatch: usize, fault: WaveFault) {
        let Some(Some(active)) = self.front.actives.get(dispatch) else { return };
        let (what, queue) = (active.dispatch.clone(), active.queue);
        self.machine.fault(&what, fault, self.view);
        self.drop_queue(queue);
    }

    /// Forgets everything that a stopped queue has on the machine.
    fn drop_queue(&mut self, queue: usize) {
        for i in 0..self.front.actives.len() {
            if self.front.actives[i].as_ref().is_none_or(|a| a.queue != queue) {
                continue;
            }
            for id in self.groups.of(i) {
                self.front.saving.retain(|s| s.1 != id);
                let Some(group) = self.groups.remove(id) else { continue };
                for (simd, slot) in group.slots.iter().flatten() {
                    self.simds[*simd as usize].take(*slot);
                }
                if let Some(place) = &group.place {
                    let waves = group.slots.iter().enumerate().filter(|(_, s)| s.is_some()).map(|(i, _)| i);
                    for index in waves.chain(group.away.iter().map(|w| w.index as usize)) {
                        self.clock.rooms.free_wave(place, usize::from(place.simds[index]));
                    }
                    self.clock.rooms.free_group(place);
                }
                if let Some(range) = &group.scratch {
                    self.front.scratch.release(range);
                }
            }
            self.front.ending.retain(|e| e.1 != i);
            if let Some(active) = self.front.actives[i].take() {
                self.machine.dispatch_ended(&active.dispatch);
                self.clock.event(self.clock.now, &Event::DispatchEnded { dispatch: active.number });
                let at = self.clock.now;
                self.front.report(active, at);
            }
        }
        for q in self.front.queues.iter_mut().filter(|q| q.queue.index() == queue) {
            q.at = At::Stopped;
        }
        self.front.full = false;
        self.clock.wake(self.clock.now + 1, FRONT);
    }

    /// Stops queues whose dispatches took too much of the host's time.
    pub fn check_time(&mut self) {
        for i in 0..self.front.actives.len() {
            let Some(active) = &self.front.actives[i] else { continue };
            let (dispatch, queue) = (active.dispatch.clone(), active.queue);
            if !self.machine.overdue(&dispatch) {
                continue;
            }
            let group = self.groups.of(i).first().copied();
            let site = group.and_then(|id| self.groups.get(id)).and_then(|g| g.work.site(self.view.map()));
            self.machine.time_out(&dispatch, site);
            self.drop_queue(queue);
        }
    }
}

impl Front {
    fn report(&mut self, active: Active, ended: u64) {
        self.reports.push(DispatchReport {
            number: active.number,
            queue: active.queue,
            code_va: active.dispatch.launch.code_va,
            launched: active.launched,
            ended,
            counters: active.counters,
        });
    }
}
