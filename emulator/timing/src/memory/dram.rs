//! Memory channels.
//!
//! A channel is a calendar of bursts: bandwidth is the pins' rate, less refresh and the turns of the bus. Writes are
//! collected and written in batches; a batch with reads before it turns the bus there and back, which is charged to its
//! last burst. Every read takes the same latency besides waiting: banks and rows are not modelled.

use super::slots::Slots;
use wavepipe_hw::machine::Machine;

pub(super) struct Dram {
    channels: Vec<Channel>,
    /// Bursts that a channel writes at a time.
    batch: u64,
    turn_slots: u32,
    /// Cycles of a burst, less what refresh takes.
    slot_cycles: f64,
    burst: u64,
    interleave: u64,
    latency: u64,
}

struct Channel {
    slots: Slots,
    /// Bursts written since the last turn.
    written: u64,
    /// It has read since then.
    read: bool,
}

impl Dram {
    pub(super) fn new(machine: &Machine) -> Dram {
        let memory = &machine.memory;
        let channels = memory.channels.value;
        let cycles_per_second = machine.clock.shader_mhz.value * 1e6;
        let bytes_per_cycle = machine.memory_bandwidth() / cycles_per_second / channels as f64;
        let period = memory.burst.value as f64 / bytes_per_cycle;
        let slots = |ns: f64| (ns * machine.clock.shader_mhz.value / 1000.0 / period).round() as u64;
        let channel =
            Slots::new(period).with_breaks(slots(memory.refresh_interval_ns.value), slots(memory.refresh_ns.value));
        Dram {
            channels: (0..channels).map(|_| Channel { slots: channel.clone(), written: 0, read: false }).collect(),
            batch: memory.write_batch.value,
            turn_slots: slots(memory.turnaround_ns.value) as u32,
            slot_cycles: period / (1.0 - memory.refresh_ns.value / memory.refresh_interval_ns.value),
            burst: memory.burst.value,
            interleave: memory.interleave.value,
            latency: machine.cycles(memory.latency_ns.value),
        }
    }

    fn channel(&self, address: u64) -> usize {
        spread(address / self.interleave, self.channels.len() as u64).0
    }

    /// Reads `bytes` at `address`, which one channel holds: when they arrive, and for how long they waited for the channel.
    pub(super) fn read(&mut self, at: u64, address: u64, bytes: u64) -> (u64, u64) {
        let channel = self.channel(address);
        let channel = &mut self.channels[channel];
        channel.read = true;
        let (first, end) = channel.slots.take(at, (bytes / self.burst) as u32);
        // The latency ends with the line's arrival, so its transfer is part of it.
        (first + self.latency.max(end - first), first - at)
    }

    /// Writes `bursts` at `address`; nobody waits for it. When the channel has taken them.
    pub(super) fn write(&mut self, at: u64, address: u64, bursts: u32) -> u64 {
        let channel = self.channel(address);
        let channel = &mut self.channels[channel];
        channel.written += u64::from(bursts);
        let mut turn = 0;
        if channel.written >= self.batch {
            channel.written -= self.batch;
            if std::mem::take(&mut channel.read) {
                turn = self.turn_slots;
            }
        }
        channel.slots.take(at, bursts + turn).1
    }

    /// Cycles of a byte that all channels read and write, or only write, by the stream.
    pub(super) fn stream_cycles_per_byte(&self, write_only: bool) -> f64 {
        let bursts = self.batch as f64;
        let slots = if write_only { bursts } else { 2.0 * bursts + f64::from(self.turn_slots) };
        slots * self.slot_cycles / (bursts * self.burst as f64 * self.channels.len() as f64)
    }

    pub(super) fn burst(&self) -> u64 {
        self.burst
    }
}

/// Spreads consecutive blocks over `units` such that each run of `units` blocks, aligned, has one on every unit, and strides
/// of powers of two do not all meet on one. Gives the unit, and the block's number among those of its unit.
pub(super) fn spread(block: u64, units: u64) -> (usize, u64) {
    let (row, column) = match units.is_power_of_two() {
        true => (block >> units.trailing_zeros(), block & (units - 1)),
        false => (block / units, block % units),
    };
    // A sum of the row's digits of four bits turns the row.
    let mut turn = row ^ row >> 32;
    turn ^= turn >> 16;
    turn ^= turn >> 8;
    turn ^= turn >> 4;
    let unit = match units.is_power_of_two() {
        true => (column ^ turn) & (units - 1),
        false => (column + (turn & 15)) % units,
    };
    (unit as usize, row)
}
