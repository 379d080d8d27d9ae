//! The vector memory path of a compute unit: address unit, L0, texture unit, return to the registers.
//!
//! Passes go through in order. A pass keeps the path for the largest of: its addresses at the address unit's rate, a cycle
//! for each line at L0's tags, its data on the return or write bus, its addresses at the filter. Lines then go their own
//! ways; data is read from L0 in program order, so a pass returns no sooner than the one before it.

use super::access::{Kind, Level, Met, Reply, VectorAccess};
use super::cache::Tags;
use super::coalesce::{Lines, operations};
use super::shared::{Policy, Shared};
use super::slots::Window;
use super::tlb::Tlbs;
use wavepipe_hw::machine::{self, Machine};

struct Unit {
    tags: Tags,
    /// The path takes the next pass from this cycle on.
    free: u64,
    /// The return bus is free from this cycle on.
    returned: u64,
    misses: Window,
    writes: Window,
}

pub(super) struct Vector {
    units: Vec<Unit>,
    figures: machine::Vector,
    l0: machine::Cache,
    line_shift: u32,
    lines: Lines,
}

impl Vector {
    pub(super) fn new(machine: &Machine) -> Vector {
        let l0 = &machine.l0;
        let sets = l0.bytes.value / l0.line.value / l0.ways.value.max(1);
        let unit = || Unit {
            tags: Tags::new(sets, l0.ways.value),
            free: 0,
            returned: 0,
            misses: Window::new(l0.outstanding.value),
            writes: Window::new(l0.outstanding.value),
        };
        Vector {
            units: (0..machine.shape.cus.value).map(|_| unit()).collect(),
            figures: machine.vector.clone(),
            l0: l0.clone(),
            line_shift: l0.line.value.trailing_zeros(),
            lines: Lines::new(),
        }
    }

    pub(super) fn invalidate(&mut self, cu: usize) {
        let tags = &mut self.units[cu].tags;
        tags.clear(0..tags.sets());
    }

    pub(super) fn access(
        &mut self,
        now: u64,
        cu: usize,
        array: usize,
        access: &VectorAccess,
        tlbs: &mut Tlbs,
        shared: &mut Shared,
    ) -> Reply {
        let f = &self.figures;
        let lanes = u64::from(access.mask.count_ones());
        let mut met = Met { lanes: lanes as u16, ..Met::default() };
        let start = now.max(self.units[cu].free);
        met.queued = (start - now) as u32;
        let data = lanes * u64::from(access.bytes.max(1));
        met.moved(Level::L0, data);
        let filtered = access.texture.is_some_and(|t| t.filtered);

        // Lines, in passes over the lanes' corners; a line of two corners is asked for twice, as the tags see it.
        let mut lines = std::mem::replace(&mut self.lines, Lines::new());
        let corners = access.texture.map_or(&[][..], |t| t.neighbours);
        let tags_at = start + f.address.value;
        let (mut ready, mut tag_cycle) = (tags_at, 0);
        for at in std::iter::once(access.at).chain(corners) {
            lines.collect(at, access.mask, access.bytes, self.line_shift);
            met.lines += lines.len() as u16;
            for (line, bytes) in lines.iter() {
                let at = tags_at + tag_cycle;
                let done = self.line(at, cu, array, line, bytes, access, &mut met, tlbs, shared);
                ready = ready.max(done);
                tag_cycle += 1;
            }
        }
        self.lines = lines;

        let f = &self.figures;
        let rate = if access.kind == Kind::Load { f.load_lanes.value } else { f.store_lanes.value };
        let bus = data.div_ceil(f.return_bytes.value.max(1));
        let mut busy = lanes.div_ceil(rate.max(1)).max(tag_cycle).max(bus).max(1);
        if filtered {
            busy = busy.max(lanes.div_ceil(f.filter_lanes.value.max(1)));
        }
        let unit = &mut self.units[cu];
        unit.free = start + busy;
        let done = match access.kind.returns() {
            true => {
                let leaves = ready + if filtered { f.filter.value } else { 0 };
                let first = (leaves + f.data.value).max(unit.returned);
                unit.returned = first + bus.max(1);
                first + bus.max(1) - 1
            }
            false => ready,
        };
        Reply { taken: unit.free, done, met }
    }

    /// One line at L0 at cycle `at`. When its data leaves L0, or its write is acknowledged.
    #[expect(clippy::too_many_arguments, reason = "one request's words")]
    fn line(
        &mut self,
        at: u64,
        cu: usize,
        array: usize,
        line: u64,
        bytes: u128,
        access: &VectorAccess,
        met: &mut Met,
        tlbs: &mut Tlbs,
        shared: &mut Shared,
    ) -> u64 {
        let policy = Policy { bypass_l1: access.dlc, stream: access.slc };
        let (translated, known) = tlbs.translate(at, cu, line << self.line_shift);
        met.tlb_misses += u16::from(!known);
        let unit = &mut self.units[cu];
        let set = (line % unit.tags.sets() as u64) as usize;
        let hit = translated + self.l0.hit.value;
        match access.kind {
            Kind::Load => {
                if access.glc {
                    unit.tags.drop_line(set, line);
                } else if let Some(place) = unit.tags.look(set, line, true) {
                    match place.ready <= at {
                        true => met.hit(Level::L0),
                        false => met.miss(Level::L0),
                    }
                    return hit.max(place.ready);
                }
                met.miss(Level::L0);
                let sent = unit.misses.enter(hit);
                let ready = shared.read(sent + self.l0.miss.value, array, line, policy, met);
                let unit = &mut self.units[cu];
                unit.misses.leave(ready);
                if !access.glc {
                    unit.tags.fill(set, line, ready, true);
                }
                ready
            }
            Kind::Store => {
                // Written through: a line that is there stays, unless the bits say that others will write it.
                match access.glc {
                    true => drop(unit.tags.drop_line(set, line)),
                    false => drop(unit.tags.look(set, line, true)),
                }
                let sent = unit.writes.enter(hit);
                let done = shared.write(sent + self.l0.miss.value, array, line, bytes, policy, met);
                self.units[cu].writes.leave(done);
                done
            }
            Kind::Atomic { .. } => {
                unit.tags.drop_line(set, line);
                let (count, same) = operations(access, line, self.line_shift);
                let sent = unit.misses.enter(hit);
                let at = sent + self.l0.miss.value;
                let done = shared.atomic(at, array, line, bytes, count.max(1), same.max(1), policy, met);
                self.units[cu].misses.leave(done);
                done
            }
        }
    }
}
