//! Races: two invocations of a dispatch that access the same bytes, at least one of them writing and not both by atomics, with
//! nothing that orders them. As programs are written for invocations, waves in step order nothing.
//!
//! Algorithm (happens-before, in the manner of FastTrack):
//!
//! 1. Each work-group has a time. It goes on at every barrier and fence of its waves, so that what was before one has an earlier
//!    time than what comes behind.
//! 2. Each word of memory has a cell of shadow ([`cells`]): its last plain write, and two of the reads and of the atomics since then
//!    that are in no order with each other; each with work-group, time, invocation and instruction.
//! 3. An access is compared with its cell. It comes behind another one if that is of the same invocation, or from before the last
//!    barrier of the work-group, or before the last one of the wave's lanes, or if its work-group's time has come to this wave
//!    through an atomic ([`clock`]).
//! 4. That is so if the other side published the time of its last fence by a later atomic at an address, and this side's wave read it
//!    there by an atomic and made a fence since. Loads and stores past incoherent caches (of the device's scope: `coherent`,
//!    `volatile`, and atomic loads and stores) count as atomics.
//! 5. Two plain writes of equal values are no race.
//! 6. LDS, buffers and images are ordered each by itself ([`Memory`]): by the barriers and fences that name them. A fence in front
//!    of a barrier counts as the barrier's, for all who meet there: its other half is taken for granted.
//!
//! Which barriers there are, lanes and work-groups of one wave need no instruction to know: the compiler marks them ([`order`]).
//! In code without marks, lanes of a wave are not compared with each other, a fence is a wait for stores, or what empties a
//! cache, that of the reading side is taken for granted, and barriers and fences are of all memory. Texels are looked at behind
//! the instruction, everything else in front of it.
//!
//! Not looked at: texels of buffers, GDS, private memory, and dispatches that run beside each other. One work-group after the other
//! runs with this check ([`crate::config::Config::host_threads`]), so that the pair named is always the same.

mod cells;
pub(crate) mod clock;
mod now;
mod shadow;
mod site;
mod wide;

use super::super::device::{Device, Passage};
use super::super::env::TexelTouch;
use super::super::mem::Reach;
use super::super::probe::{Accesses, Issue, WaveView};
use super::{Found, Group, Observer, Side, Wants};
use cells::{ALL, Cells, Mark, WAVES};
use clock::Clock;
use now::Now;
pub(crate) use shadow::Shadow;
pub use shadow::Shadows;
use shadow::{Acts, PAGE, Site};
use std::sync::Arc;
use wavepipe_hw::finding::{Access, AddressSpace, Between, FindingKind, Race};
use wavepipe_hw::order::{self, Among, BarrierMark};
use wavepipe_isa::row::{Control, MemKind, Sem, Space};

/// Memories that are ordered each by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Lds,
    Buffers,
    Images,
}

/// Whether it is about each [`Memory`].
type Of = [bool; 3];

/// What is known of each [`Memory`].
type Clocks = [Clock; 3];

fn merge(to: &mut Clocks, from: &Clocks) {
    to.iter_mut().zip(from).for_each(|(to, from)| to.merge(from));
}

#[derive(Default)]
struct WaveOrder {
    /// Its code marks its barriers.
    marked: bool,
    /// Barriers that it arrived at, and whether it stands at the last.
    barriers: u32,
    waits: bool,
    /// Accesses of other waves, and of its own other lanes, from before these times come before what it does; by [`Memory`].
    since_barrier: [u32; 3],
    since_lanes: [u32; 3],
    /// What has come to it through atomics, and what will have with its next fence.
    seen: Clocks,
    taken: Clocks,
    /// What its next atomics publish.
    fenced: [Option<Clock>; 3],
    /// What it has made fences for since the last barrier, of the work-group and of its lanes.
    recent: Of,
    recent_lanes: Of,
}

impl WaveOrder {
    /// What an access that the wave makes is compared by.
    #[inline(always)]
    fn now(&self, (first, me): (u32, Mark), site: &Site, lds: bool) -> Now<'_> {
        let memory = site.memory(lds) as usize;
        Now {
            me,
            first,
            writes: site.acts.contains(Acts::WRITE),
            lds,
            since_barrier: self.since_barrier[memory],
            // Where nothing marks what orders lanes, they are not compared.
            since_lanes: if self.marked { self.since_lanes[memory] } else { u32::MAX },
            seen: &self.seen[memory],
        }
    }
}

/// A barrier that waves arrive at.
#[derive(Default)]
struct Meeting {
    number: u32,
    /// Of the last arrival.
    time: u32,
    /// What it orders.
    orders: Of,
    seen: Clocks,
    taken: Clocks,
    fenced: Of,
}

/// The check of one work-group.
#[derive(Default)]
pub(super) struct Races {
    group: Group,
    /// `None` while it is in use.
    passage: Option<Passage>,
    /// Its number in the shadow; 0: it has none yet.
    number: u32,
    time: u32,
    waves: Vec<WaveOrder>,
    /// Of even and of odd number: nobody comes to the one after the next before all have left this one.
    meetings: [Meeting; 2],
    lds: Cells,
    /// What atomics in LDS published, by offset.
    published: std::collections::HashMap<u64, Clocks>,
    /// The shadow that `lds` and `sites` are of, and the first work-group of its dispatch.
    serial: u64,
    first: u32,
    device: Option<Arc<Device>>,
    /// Instructions that were looked up lately, by address.
    sites: Vec<(u64, u16)>,
    /// What lanes write, of the instruction that is looked at.
    values: Box<wide::Values>,
}

/// Entries of `sites`.
const LATELY: usize = 256;

/// What an instruction asks of memory.
struct Asked<'a> {
    wave: &'a WaveView<'a>,
    site: Site,
    number: u16,
    /// The end of what may be accessed.
    end: u64,
}

impl Races {
    fn site(&mut self, shadow: &mut Shadow, issue: &Issue<'_>, space: Space, kind: MemKind) -> Option<u16> {
        let slot = (issue.pc >> 2) as usize % LATELY;
        if let Some((pc, site)) = self.sites.get(slot).copied()
            && pc == issue.pc
        {
            return Some(site);
        }
        let site = shadow.site(issue.pc, || Site::new(issue.pc, issue.instr, space, kind))?;
        self.sites.resize(LATELY, (u64::MAX, 0));
        self.sites[slot] = (issue.pc, site);
        Some(site)
    }

    /// Does something with the dispatch's shadow.
    fn in_shadow(&mut self, act: impl FnOnce(&mut Races, &mut Shadow)) {
        let Some(passage) = self.passage.take() else { return };
        {
            let mut shadow = passage.shadow().lock();
            let device = self.device.as_ref();
            let new = || device.map_or_else(|| Shadows::default().take(), |device| device.shadows.take());
            let shadow = shadow.get_or_insert_with(new);
            self.follow(shadow);
            act(self, shadow);
        }
        self.passage = Some(passage);
    }

    /// Begins with a shadow, if it is another one than before.
    fn follow(&mut self, shadow: &mut Shadow) {
        if self.serial != shadow.serial {
            (self.serial, self.first) = (shadow.serial, shadow.first);
            self.lds = Cells::default();
            self.sites.clear();
        }
        if self.number == 0 {
            self.number = shadow.group(self.group.id);
        }
    }

    /// Earlier accesses of the wave are what its next atomics publish, and what its atomics took has come to it.
    fn fence(&mut self, wave: usize, of: Of) {
        if self.number == 0 {
            self.in_shadow(|_, _| ());
        }
        let w = &mut self.waves[wave];
        for memory in (0..3).filter(|memory| of[*memory]) {
            w.seen[memory].merge(&std::mem::take(&mut w.taken[memory]));
            let mut fenced = w.seen[memory].clone();
            fenced.add(self.number, self.time);
            w.fenced[memory] = Some(fenced);
        }
        self.time += 1;
    }

    fn mark(&mut self, wave: usize, mark: BarrierMark) {
        let of = [mark.lds, mark.buffers, mark.images];
        let wide = mark.memory >= Among::WorkGroup;
        if mark.memory >= Among::Subgroup && of.contains(&true) {
            self.fence(wave, [mark.lds, mark.buffers && wide, mark.images && wide]);
        }
        let (alone, w) = (self.waves.len() == 1, &mut self.waves[wave]);
        for memory in (0..3).filter(|memory| of[*memory]) {
            w.recent[memory] |= wide;
            w.recent_lanes[memory] |= mark.memory >= Among::Subgroup;
        }
        if mark.execution >= Among::WorkGroup && !alone {
            // An S_BARRIER follows.
            return;
        }
        if mark.execution >= Among::Subgroup {
            self.time += 1;
            let ordered = std::mem::take(&mut w.recent_lanes);
            (0..3).filter(|memory| ordered[*memory]).for_each(|memory| w.since_lanes[memory] = self.time);
        }
    }

    /// A wave arrives at a barrier.
    fn arrive(&mut self, wave: usize) {
        self.time += 1;
        let w = &mut self.waves[wave];
        w.barriers += 1;
        w.waits = true;
        let meeting = &mut self.meetings[w.barriers as usize & 1];
        if meeting.number != w.barriers {
            *meeting = Meeting { number: w.barriers, ..Meeting::default() };
        }
        meeting.time = self.time;
        merge(&mut meeting.seen, &w.seen);
        merge(&mut meeting.taken, &w.taken);
        let recent = std::mem::take(&mut w.recent);
        w.recent_lanes = Default::default();
        for memory in 0..3 {
            meeting.orders[memory] |= recent[memory] | !w.marked;
            meeting.fenced[memory] |= w.fenced[memory].is_some();
        }
    }

    /// A wave goes on behind a barrier.
    #[cold]
    fn leave(&mut self, wave: usize) {
        let (number, w) = (self.number, &mut self.waves[wave]);
        let meeting = &self.meetings[w.barriers as usize & 1];
        w.waits = false;
        // Whoever makes the fence: all have come to where it was read.
        merge(&mut w.taken, &meeting.taken);
        for memory in (0..3).filter(|memory| meeting.orders[*memory]) {
            (w.since_barrier[memory], w.since_lanes[memory]) = (meeting.time, meeting.time);
            w.seen[memory].merge(&meeting.seen[memory]);
            if meeting.fenced[memory] {
                let mut seen = w.seen[memory].clone();
                seen.add(number, meeting.time - 1);
                w.fenced[memory] = Some(seen);
            }
        }
    }

    /// What atomics at an address bring and take.
    fn meet(w: &mut WaveOrder, published: &mut std::collections::HashMap<u64, Clocks>, acts: Acts, at: u64) {
        if acts.contains(Acts::READ)
            && let Some(published) = published.get(&at)
        {
            merge(if w.marked { &mut w.taken } else { &mut w.seen }, published);
        }
        if acts.contains(Acts::WRITE) && w.fenced.iter().any(Option::is_some) {
            let published = published.entry(at).or_default();
            for (to, from) in published.iter_mut().zip(&w.fenced) {
                from.iter().for_each(|fenced| to.merge(fenced));
            }
        }
    }

    fn compare(
        &mut self,
        shadow: &mut Shadow,
        wave: &WaveView<'_>,
        issue: &Issue<'_>,
        place: (Space, u64, &[u64; 64]),
        found: &mut Vec<Found>,
    ) {
        let ((space, mask, addresses), apertures) = (place, wave.apertures());
        let Sem::Mem(_, kind) = issue.op.row.sem else { return };
        if space == Space::Image {
            return;
        }
        let Some(number) = self.site(shadow, issue, space, kind) else { return };
        let site = shadow.sites[usize::from(number)];
        let Some(end) = site.end(wave, space, issue.instr).filter(|_| !site.acts.is_empty()) else { return };
        let asked = Asked { wave, site, number, end };
        let only_reads = !site.acts.intersects(Acts::ATOMIC | Acts::WRITE);
        for (piece, delta) in site.pieces.iter().enumerate().take(site.count) {
            if self.whole(shadow, &asked, (piece, *delta), place) {
                continue;
            }
            // The address of the last lane, and how many in front of it had the same.
            let (mut last, mut alike) = (None, 0);
            let mut left = mask;
            while left != 0 {
                let lane = left.trailing_zeros();
                left &= left - 1;
                let mut at = addresses[lane as usize].wrapping_add_signed(*delta);
                let lds = match (space, (at >> 32) as u32) {
                    (Space::Lds, _) => true,
                    (Space::Flat, high) if high == apertures.shared => true,
                    (Space::Flat, high) if high == apertures.private => continue,
                    _ => false,
                };
                if lds {
                    at &= 0xffff;
                }
                alike = if last.replace(at) == Some(at) { alike + 1 } else { 0 };
                // Two reads without a race stand for all that are like them, as in a cell.
                if only_reads && alike > 1 {
                    continue;
                }
                let bytes = u64::from(site.bytes).min(if lds { u64::MAX } else { end.saturating_sub(at) });
                let value = |n: u64| site.value(wave, piece, n as u32, lane);
                if self.lane(shadow, &asked, value, (at, bytes, lane, lds), found) {
                    alike = 0;
                }
            }
        }
    }

    /// Notes what a wave does to words of memory, if it races with nothing and can be told at once.
    fn whole(
        &mut self,
        shadow: &mut Shadow,
        asked: &Asked<'_>,
        (piece, delta): (usize, i64),
        (space, mask, addresses): (Space, u64, &[u64; 64]),
    ) -> bool {
        let Asked { wave, site, number, end } = asked;
        let w = &self.waves[wave.index() as usize];
        let told = matches!(space, Space::Lds | Space::Global | Space::Buffer | Space::Scalar);
        if !told
            || site.acts.contains(Acts::ATOMIC)
            || site.bytes % 4 != 0
            || !w.seen[site.memory(space == Space::Lds) as usize].is_empty()
        {
            return false;
        }
        if site.acts.contains(Acts::WRITE) {
            for (n, values) in self.values.0.iter_mut().enumerate().take(site.bytes as usize / 4) {
                site.values(wave, piece, n as u32, values);
            }
        }
        let me = Mark { group: self.number, time: self.time, by: site.by(*number, wave.index(), 0) };
        let now = w.now((self.first, me), site, space == Space::Lds);
        let access = wide::Access { words: site.bytes as usize / 4, mask, addresses };
        if space == Space::Lds {
            let place = wide::Where { add: delta as u64, keep: 0xffff, end: 0x1_0000 };
            return wide::note(&mut self.lds, &access, place, &self.values, &now);
        }
        let base = addresses[mask.trailing_zeros() as usize % 64].wrapping_add_signed(delta) / PAGE * PAGE;
        let place = wide::Where {
            add: (delta as u64).wrapping_sub(base),
            keep: u64::MAX,
            end: PAGE.min(end.saturating_sub(base)),
        };
        // What has no shadow is not looked at: neither are those of it that are elsewhere.
        shadow.pages.cells(base).is_some_and(|cells| wide::note(cells, &access, place, &self.values, &now))
    }

    /// Notes what one lane does; whether it races.
    fn lane(
        &mut self,
        shadow: &mut Shadow,
        asked: &Asked<'_>,
        value: impl Fn(u64) -> u32,
        (at, bytes, lane, lds): (u64, u64, u32, bool),
        found: &mut Vec<Found>,
    ) -> bool {
        let Asked { wave, site, number, .. } = asked;
        let index = wave.index() as usize;
        if site.acts.contains(Acts::ATOMIC) {
            let published = if lds { &mut self.published } else { &mut shadow.published };
            Self::meet(&mut self.waves[index], published, site.acts, at);
        }
        let by = site.by(*number, wave.index(), lane);
        let me = Mark { group: self.number, time: self.time, by };
        let now = self.waves[index].now((self.first, me), site, lds);
        let race = match lds {
            true => self.lds.one(at, bytes, value, &now),
            false => shadow.pages.one(at, bytes, value, &now),
        };
        let Some((at, other)) = race else { return false };
        let o = &shadow.sites[other.by.site()];
        let same =
            |f: &&mut Found| matches!(f.kind, FindingKind::Race(_)) && f.other.as_ref().is_some_and(|x| x.pc == o.pc);
        if let Some(f) = found.iter_mut().find(same) {
            f.lanes |= 1 << lane;
            return true;
        }
        let between = match () {
            _ if other.group != self.number => Between::WorkGroups,
            _ if other.by.wave() != wave.index() => Between::Waves,
            _ => Between::Lanes,
        };
        let access = |s: &Site| Access {
            kind: s.kind(),
            space: if lds { AddressSpace::Lds } else { AddressSpace::Global },
            address: at,
            bytes: s.bytes.min(4),
            name: None,
        };
        found.push(Found {
            kind: FindingKind::Race(Race { one: site.kind(), other: o.kind(), between }),
            lanes: 1 << lane,
            access: Some(access(site)),
            other: Some(Side {
                workgroup: shadow.group_of(other.group),
                wave: other.by.wave(),
                lanes: 1 << (other.by.lane() % ALL),
                pc: o.pc,
                instr: o.instr,
                access: Some(access(o)),
            }),
        });
        true
    }
}

impl Observer for Races {
    fn wants(&self) -> Wants {
        Wants::ISSUES | Wants::ACCESSES | Wants::LDS | Wants::TEXELS
    }

    fn start(&mut self, group: &Group) {
        self.group = *group;
        (self.number, self.time) = (0, 1);
        self.waves.clear();
        self.waves.resize_with(group.waves, WaveOrder::default);
        self.meetings = Default::default();
        self.published.clear();
    }

    fn on_device(&mut self, device: &Arc<Device>) {
        self.device = Some(device.clone());
    }

    fn in_dispatch(&mut self, passage: &Passage) {
        self.passage = Some(passage.clone());
    }

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, _: &mut Vec<Found>) {
        let index = wave.index() as usize;
        let Some(w) = self.waves.get_mut(index) else { return };
        if w.waits {
            self.leave(index);
        }
        let instr = issue.instr;
        match issue.op.row.sem {
            Sem::Control(Control::Barrier) => self.arrive(index),
            Sem::Control(Control::Nop) => {
                let Some(bits) = order::bits(instr) else { return };
                let marked = self.waves[index].marked;
                match BarrierMark::from_bits(bits) {
                    Some(mark) if marked => self.mark(index, mark),
                    _ if issue.pc == self.group.code_va => self.waves[index].marked = bits == order::BEGIN,
                    _ => {}
                }
            }
            Sem::Control(Control::WaitcntVscnt) if instr.imm == 0 && !self.waves[index].marked => {
                self.fence(index, [true; 3]);
            }
            Sem::Mem(_, MemKind::Invalidate) if !self.waves[index].marked => self.fence(index, [true; 3]),
            _ => {}
        }
    }

    fn access(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, to: &Accesses<'_>, found: &mut Vec<Found>) {
        let Reach { space, mask, .. } = to.reach;
        if mask == 0 || self.waves.len() > WAVES || self.waves.len() <= wave.index() as usize {
            return;
        }
        self.in_shadow(|races, shadow| races.compare(shadow, wave, issue, (space, mask, to.at), found));
    }

    fn texels(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, texels: &[TexelTouch], found: &mut Vec<Found>) {
        let Sem::Mem(space @ Space::Image, kind) = issue.instr.op.row().sem else { return };
        if self.waves.len() > WAVES || self.waves.len() <= wave.index() as usize {
            return;
        }
        self.in_shadow(|races, shadow| {
            let Some(number) = races.site(shadow, issue, space, kind) else { return };
            let site = shadow.sites[usize::from(number)];
            if site.acts.is_empty() {
                return;
            }
            let asked = Asked { wave, site, number, end: u64::MAX };
            for t in texels {
                let value = |n: u64| t.value[n as usize & 3];
                races.lane(shadow, &asked, value, (t.at, t.bytes.into(), t.lane.into(), false), found);
            }
        });
    }
}
