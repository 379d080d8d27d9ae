//! Accesses in a program's memory that are in no buffer of its: through pointers, and through descriptors of buffers that were
//! destroyed. The driver tells what buffers there are (`memory::placed`); what is outside of every allocation is a fault anyway.
//!
//! Of a scalar load only the first dword counts, for it loads a power of two of them. What descriptors cut off is not accessed,
//! and [`super::ranges`]' affair.

use super::super::device::{Device, Passage};
use super::super::mem;
use super::super::mem::Reach;
use super::super::probe::{Accesses, Issue, WaveView};
use super::{Found, Group, Observer, Wants};
use std::ops::Range;
use std::sync::Arc;
use wavepipe_hw::finding::{Access, AddressSpace, FindingKind, Stray};
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{Sem, Space};

/// Instructions whose last buffer is remembered, by address.
const LATELY: usize = 64;

#[derive(Default)]
pub(super) struct Pointers {
    device: Option<Arc<Device>>,
    passage: Passage,
    /// What `seen` is of.
    generation: u64,
    /// Ranges in which accesses are allowed.
    seen: Vec<Range<u64>>,
}

impl Observer for Pointers {
    fn wants(&self) -> Wants {
        Wants::ACCESSES
    }

    fn start(&mut self, _: &Group) {}

    fn on_device(&mut self, device: &Arc<Device>) {
        self.device = Some(device.clone());
        self.seen = vec![0..0; LATELY];
    }

    fn in_dispatch(&mut self, passage: &Passage) {
        if !self.passage.is(passage) {
            self.passage = passage.clone();
            self.seen.fill(0..0);
        }
    }

    fn access(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, to: &Accesses<'_>, found: &mut Vec<Found>) {
        let Reach { mut space, first, last, .. } = to.reach;
        // Whole addresses in registers are held against no range.
        if issue.instr.flags.contains(Flags::ADDR64) {
            space = Space::Global;
        }
        let Sem::Mem(_, kind) = issue.op.row.sem else { return };
        let bytes = match space {
            Space::Global | Space::Flat => u64::from(mem::bytes(kind)),
            Space::Scalar => 4,
            // The range check has seen to the rest.
            Space::Buffer => 1,
            Space::Lds | Space::Scratch | Space::Image => return,
        };
        // Scalar instructions run for no lane at all, too.
        let Some(device) = self.device.as_ref().filter(|_| wave.exec() != 0) else { return };
        let generation = device.placed.generation();
        if generation != self.generation {
            self.generation = generation;
            self.seen.fill(0..0);
        }
        let seen = &mut self.seen[(issue.pc >> 2) as usize % LATELY];
        // Most accesses are where the last ones were.
        if first >= seen.start && last.saturating_add(bytes) <= seen.end {
            return;
        }
        // Through descriptors the driver's code reaches private memory.
        let given = self.passage.what_is_given().filter(|_| space != Space::Buffer).map(|g| &g.memory[..]);
        let (mut stray, apertures) = (0u64, wave.apertures());
        for lane in to.lanes() {
            let first = to.at[lane];
            let elsewhere = [apertures.shared, apertures.private].contains(&((first >> 32) as u32));
            if space == Space::Flat && elsewhere {
                continue;
            }
            if first >= seen.start && first.saturating_add(bytes) <= seen.end {
                continue;
            }
            match device.placed.allowed(first, bytes, given) {
                Some(range) => *seen = range,
                None => stray |= 1 << lane,
            }
        }
        if stray == 0 {
            return;
        }
        let address = to.at[stray.trailing_zeros() as usize & 63];
        let what = match space {
            Space::Buffer => Stray::Destroyed { name: device.placed.destroyed_at(address).unwrap_or_default() },
            _ if device.placed.memory_around(address).1 => Stray::NoBuffer(device.placed.near(address)),
            _ => Stray::Drivers,
        };
        let access = super::access_kind(kind);
        let access = Access { kind: access, space: AddressSpace::Global, address, bytes: mem::bytes(kind), name: None };
        found.push(Found { kind: FindingKind::Stray(what), lanes: stray, access: Some(access), other: None });
    }
}
