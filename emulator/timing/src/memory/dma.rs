//! Copy engines: transfers between memory and memory, or over the link to the host.

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

pub(super) struct Dma {
    /// Each direction of the link: the cycle from which it is free.
    link: [u64; 2],
    bytes_per_cycle: f64,
    latency: u64,
}

impl Dma {
    pub(super) fn new(machine: &Machine) -> Dma {
        let pcie = &machine.pcie;
        Dma {
            link: [0; 2],
            bytes_per_cycle: pcie.gbytes_per_second.value * 1e9 / (machine.clock.shader_mhz.value * 1e6),
            latency: machine.cycles(pcie.latency_ns.value),
        }
    }

    pub(super) fn transfer(&mut self, now: u64, source: DmaEnd, dest: DmaEnd, bytes: u64, shared: &mut Shared) -> u64 {
        let mut done = now;
        for (direction, end) in [source, dest].into_iter().enumerate() {
            done = done.max(match end {
                DmaEnd::Nothing => now,
                DmaEnd::Memory(address) => shared.transfer(now, address, bytes, direction == 1),
                DmaEnd::Host => {
                    let start = now.max(self.link[direction]);
                    self.link[direction] = start + (bytes as f64 / self.bytes_per_cycle).ceil() as u64;
                    self.link[direction] + self.latency
                }
            });
        }
        done
    }
}
