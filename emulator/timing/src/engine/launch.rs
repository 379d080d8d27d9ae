//! Work-groups come to the machine, and leave it for others: launch, suspension, resumption.
//!
//! Between queues [`policy::standing`] decides: work that is held starts no work-groups, work that is suspended is taken off
//! the machine, with all state of its waves, and put back when it may run again. Saving and restoring take each compute
//! unit as long as its registers and LDS take to move.

use super::Run;
use super::groups::Group;
use super::wave::{FrontFigures, TimedWave};
use crate::observe::{Event, WaveSlot};
use crate::reason::Reason;
use std::cmp::Reverse;
use wavepipe_core::policy::{self, Policy, Standing};

impl Run<'_, '_> {
    /// Decides who may run beside whom, and suspends those who may not.
    pub(super) fn standings(&mut self, now: u64) {
        let choice = self.machine.policy();
        for i in 0..self.front.actives.len() {
            let Some(active) = &self.front.actives[i] else { continue };
            let others = self.front.actives.iter().flatten().filter(|a| a.queue != active.queue && a.ready <= now);
            let highest = others.map(|a| a.rank).max();
            let mut standing = policy::standing(choice, active.rank, highest);
            let Some(active) = &mut self.front.actives[i] else { continue };
            if standing == Standing::Runs {
                active.outranked = None;
            } else if self.front.turns_of.on(now, *active.outranked.get_or_insert(now)) {
                standing = Standing::Runs;
            }
            if standing != active.standing {
                active.standing = standing;
                self.clock.event(now, &Event::Standing { dispatch: active.number, standing });
                self.front.full = false;
                if standing == Standing::Suspended {
                    self.suspend(i, now);
                }
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
                if let Some(mut wave) = self.simds[simd as usize].take(slot) {
                    wave.left = now.max(wave.issued + 1);
                    self.front.stayed(active, wave.started, wave.left);
                    group.away.push(wave);
                }
                let (number, at) = (group.number, WaveSlot { simd, slot });
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
    pub(super) fn saved(&mut self, now: u64) {
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
    pub(super) fn launches(&mut self, now: u64) {
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
            if !active.has_more() {
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
                let bytes = u64::from(dispatch.vgpr_rows()) * 4 * self.figures.simd.row_lanes.value * live as u64
                    + u64::from(dispatch.launch.lds_bytes);
                let age = self.front.ages;
                let fetch = &self.figures.fetch;
                let buffer = (fetch.buffer_bytes.value / fetch.line.value.max(1)) as usize;
                let front = FrontFigures::new(self.figures);
                let list = (0..live as u32).map(|index| {
                    self.front.ages += 1;
                    let mut wave = Box::new(TimedWave::new(dispatch.launch.vgprs, lanes, buffer, front));
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
            } else {
                wave.away += start.saturating_sub(wave.left);
                wave.started = start;
                if wave.ready < start {
                    (wave.ready, wave.reason) = (start, Reason::Launch);
                }
            }
            let (ready, parked, index) = (wave.ready, wave.parked, wave.index);
            let Some(slot) = self.simds[simd].put(wave) else { continue };
            if let Some(group) = self.groups.get(id) {
                group.slots[index as usize] = Some((simd as u32, slot));
            }
            let at = WaveSlot { simd: simd as u32, slot };
            let resumed = resumed.is_some();
            let event = Event::WaveStarted { dispatch: number, group: group_number, wave: index, at, resumed };
            self.clock.event(start, &event);
            if !parked {
                self.simds[simd].wake(ready.max(now + 1), self.clock);
            }
        }
        true
    }
}
