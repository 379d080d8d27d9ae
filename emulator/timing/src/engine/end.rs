//! How things end on the machine: barriers, waves, work-groups, dispatches, and queues that are stopped.

use super::front::At;
use super::wave::TimedWave;
use super::{FRONT, Run};
use crate::observe::{Event, WaveSlot};
use crate::reason::Reason;
use wavepipe_core::wave::WaveFault;

impl Run<'_, '_> {
    /// A wave came to a barrier. If it was the last, all go on.
    pub(super) fn barrier(&mut self, wave: &mut TimedWave, now: u64) {
        let at = now + self.figures.latency.barrier.value;
        if self.open_barrier(wave.group, at) {
            wave.parked = false;
            wave.hold = (at, Reason::Barrier);
        }
    }

    fn open_barrier(&mut self, id: u32, at: u64) -> bool {
        let Some(group) = self.groups.get(id) else { return false };
        if !group.work.open_barrier(self.view.map()) {
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
                simd.refresh(*slot as usize);
                simd.wake(ready, self.clock);
            }
        }
        true
    }

    /// A wave's last instruction has issued.
    pub(super) fn wave_ended(&mut self, simd: usize, slot: u32, now: u64) {
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
        self.front.stayed(dispatch, wave.started, now + 1);
        if let Some(Some(active)) = self.front.actives.get_mut(dispatch) {
            active.last = active.last.max(drained);
            active.counters.fetch.merge(&wave.fetched);
            let at = WaveSlot { simd: simd as u32, slot };
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
    pub(super) fn end_dispatches(&mut self, now: u64) {
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
            self.front.report(active, at, &self.clock.memory.tally());
        }
    }

    /// Stops the queue of a dispatch with a fault.
    pub(super) fn fault(&mut self, dispatch: usize, fault: WaveFault) {
        let Some(Some(active)) = self.front.actives.get(dispatch) else { return };
        let (what, queue) = (active.dispatch.clone(), active.queue);
        self.machine.fault(&what, fault, self.view);
        self.drop_queue(queue);
    }

    /// Forgets everything that a stopped queue has on the machine.
    pub(super) fn drop_queue(&mut self, queue: usize) {
        for i in 0..self.front.actives.len() {
            if self.front.actives[i].as_ref().is_none_or(|a| a.queue != queue) {
                continue;
            }
            for id in self.groups.of(i) {
                self.front.saving.retain(|s| s.1 != id);
                let Some(group) = self.groups.remove(id) else { continue };
                let dispatch = self.front.actives[i].as_ref().map_or(0, |a| a.number);
                for (wave, at) in (0..).zip(&group.slots) {
                    let Some((simd, slot)) = *at else { continue };
                    self.simds[simd as usize].take(slot);
                    let (group, at) = (group.number, WaveSlot { simd, slot });
                    let event = Event::WaveEnded { dispatch, group, wave, at, suspended: false };
                    self.clock.event(self.clock.now, &event);
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
                self.front.report(active, at, &self.clock.memory.tally());
            }
        }
        for q in self.front.queues.iter_mut().filter(|q| q.queue.index() == queue) {
            q.at = At::Stopped;
        }
        self.front.full = false;
        self.clock.wake(self.clock.now + 1, FRONT);
    }

    /// Stops queues whose dispatches took too much of the host's time.
    pub(super) fn check_time(&mut self) {
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
