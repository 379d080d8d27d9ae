//! Copy engines: transfers between memory and memory, or over the link to the host.
//!
//! An engine reads and writes a line a cycle through L2, or as fast as the link to the host moves them.

use super::access::{Met, Reply};
use super::shared::Shared;
use wavepipe_hw::machine::Machine;

/// One end of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DmaEnd {
    /// The card's memory, from this address on.
    Memory(u64),
    /// The host's memory, over PCI Express.
    Host,
    /// No memory: the source of a fill.
    Nothing,
}

impl DmaEnd {
    /// The end, so many bytes on.
    pub fn plus(self, bytes: u64) -> DmaEnd {
        match self {
            DmaEnd::Memory(address) => DmaEnd::Memory(address.wrapping_add(bytes)),
            DmaEnd::Host | DmaEnd::Nothing => self,
        }
    }
}

/// The most bytes that a transfer moves at once. A longer one is handed in piece by piece, each when the one before is
/// taken: so others get their turns at L2 and memory.
pub const DMA_PIECE: u64 = 64 << 10;

pub(super) struct Dma {
    /// Each direction of the link, from and to the host: the cycle from which it is free.
    link: [u64; 2],
    cycles_per_byte: f64,
    latency: u64,
}

impl Dma {
    pub(super) fn new(machine: &Machine) -> Dma {
        let pcie = &machine.pcie;
        Dma {
            link: [0; 2],
            cycles_per_byte: machine.clock.shader_mhz.value * 1e6 / (pcie.gbytes_per_second.value * 1e9),
            latency: machine.cycles(pcie.latency_ns.value),
        }
    }

    pub(super) fn transfer(
        &mut self,
        now: u64,
        source: DmaEnd,
        dest: DmaEnd,
        bytes: u64,
        shared: &mut Shared,
    ) -> Reply {
        let (line, bytes) = (shared.line_bytes(), bytes.min(DMA_PIECE));
        let over_link = (bytes as f64 * self.cycles_per_byte).ceil() as u64;
        let from_host = source == DmaEnd::Host;
        let to_host = dest == DmaEnd::Host;
        let mut start = now;
        for (direction, _) in [from_host, to_host].into_iter().enumerate().filter(|(_, used)| *used) {
            start = start.max(self.link[direction]);
            self.link[direction] = start + over_link;
        }
        let pace = if from_host || to_host { line as f64 * self.cycles_per_byte } else { 1.0 };
        let mut met = Met::default();
        let (mut taken, mut done) = (start, start);
        let (mut moved, mut index) = (0, 0);
        while moved < bytes {
            let at = start + (index as f64 * pace) as u64;
            // As much as lies in one line at both ends.
            let here = [source, dest].into_iter().fold(bytes - moved, |here, end| match end {
                DmaEnd::Memory(address) => here.min(line - address.wrapping_add(moved) % line),
                DmaEnd::Host | DmaEnd::Nothing => here.min(line),
            });
            let arrives = match source {
                DmaEnd::Memory(address) => shared.engine_reads(at, address.wrapping_add(moved) / line, &mut met),
                DmaEnd::Host => at + self.latency,
                DmaEnd::Nothing => at,
            };
            done = done.max(match dest {
                DmaEnd::Memory(address) => {
                    let address = address.wrapping_add(moved);
                    let mask = u128::MAX >> (128 - here) << (address % line);
                    shared.engine_writes(arrives, address / line, mask, &mut met)
                }
                DmaEnd::Host => arrives + self.latency,
                DmaEnd::Nothing => arrives,
            });
            (taken, moved, index) = (at + 1, moved + here, index + 1);
        }
        Reply { taken: taken.max(start + if from_host || to_host { over_link } else { 0 }), done, met }
    }
}
