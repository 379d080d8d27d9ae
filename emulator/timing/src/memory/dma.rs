//! Copy engines: one within the card, one for each direction of the link to the host. Each does its copies in turn.
//!
//! An engine reads and writes lines through L2: one a cycle, or as fast as the link or memory moves them. The first pieces
//! of a copy are booked at once, the others when time comes to them: so a long copy takes its share of L2 and memory and
//! leaves others the rest. When it ends is told at the beginning: what others ask for meanwhile delays them, not the copy.

use super::access::Met;
use super::shared::Shared;
use super::tally::Sum;
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
    fn plus(self, bytes: u64) -> DmaEnd {
        match self {
            DmaEnd::Memory(address) => DmaEnd::Memory(address.wrapping_add(bytes)),
            DmaEnd::Host | DmaEnd::Nothing => self,
        }
    }
}

/// Bytes that are booked at a time, and how many pieces at once when a copy begins: no farther ahead than calendars look.
const PIECE: u64 = 8 << 10;
const FIRST: u64 = 4;

pub(super) struct Dma {
    /// When the engine within the card, from the host and to the host has done all that it was given.
    free: [u64; 3],
    running: Vec<Copy>,
    /// When the next piece of any copy is due.
    pub next: u64,
    /// Of the link.
    cycles_per_byte: f64,
    latency: u64,
}

/// What is left of a copy.
struct Copy {
    at: u64,
    /// Cycles of a byte.
    pace: f64,
    source: DmaEnd,
    dest: DmaEnd,
    bytes: u64,
}

impl Copy {
    /// The same without its first bytes; when it goes on is not changed.
    fn plus(self, bytes: u64) -> Copy {
        let (source, dest) = (self.source.plus(bytes), self.dest.plus(bytes));
        Copy { source, dest, bytes: self.bytes - bytes, ..self }
    }
}

impl Dma {
    pub(super) fn new(machine: &Machine) -> Dma {
        let pcie = &machine.pcie;
        Dma {
            free: [0; 3],
            running: Vec::new(),
            next: u64::MAX,
            cycles_per_byte: machine.clock.shader_mhz.value * 1e6 / (pcie.gbytes_per_second.value * 1e9),
            latency: machine.cycles(pcie.latency_ns.value),
        }
    }

    /// Begins a copy. When its last byte will have arrived.
    pub(super) fn start(
        &mut self,
        now: u64,
        source: DmaEnd,
        dest: DmaEnd,
        bytes: u64,
        shared: &mut Shared,
        tally: &mut Sum,
    ) -> u64 {
        let over_link = source == DmaEnd::Host || dest == DmaEnd::Host;
        let engines = [!over_link, source == DmaEnd::Host, dest == DmaEnd::Host];
        let mine = || (0..3).filter(|engine| engines[*engine]);
        let start = mine().fold(now, |t, engine| t.max(self.free[engine]));
        let pace = match over_link {
            true => self.cycles_per_byte,
            false => shared.copy_cycles_per_byte(source == DmaEnd::Nothing).max(1.0 / shared.line_bytes() as f64),
        };
        let takes = |bytes: u64| (bytes as f64 * pace).ceil() as u64;
        let (mut done, mut moved, mut way) = (start, 0, 0);
        while moved < bytes.min(FIRST * PIECE) {
            let copy = Copy { at: start + takes(moved), pace, source, dest, bytes }.plus(moved);
            let arrived = self.piece(&copy, shared, tally);
            if moved == 0 {
                way = arrived.saturating_sub(start + takes(bytes.min(PIECE)));
            }
            (done, moved) = (done.max(arrived), moved + PIECE);
        }
        let end = start + takes(bytes);
        if moved < bytes {
            let at = start + takes(moved);
            self.running.push(Copy { at, pace, source, dest, bytes }.plus(moved));
            self.next = self.next.min(at);
            done = end + way;
        }
        mine().for_each(|engine| self.free[engine] = end);
        done
    }

    /// Books the pieces that are due at `now`.
    pub(super) fn catch_up(&mut self, now: u64, shared: &mut Shared, tally: &mut Sum) {
        while self.next <= now {
            let due = self.running.iter().enumerate().min_by_key(|(_, copy)| copy.at).map(|(index, _)| index);
            let Some(index) = due else { break };
            let copy = self.running.swap_remove(index);
            self.piece(&copy, shared, tally);
            if copy.bytes > PIECE {
                let at = copy.at + (PIECE as f64 * copy.pace).ceil() as u64;
                self.running.push(Copy { at, ..copy.plus(PIECE) });
            }
            self.next = self.running.iter().map(|copy| copy.at).min().unwrap_or(u64::MAX);
        }
    }

    /// Books the first [`PIECE`] of what is left. When its last byte has arrived.
    fn piece(&self, copy: &Copy, shared: &mut Shared, tally: &mut Sum) -> u64 {
        let Copy { at: start, pace, source, dest, .. } = *copy;
        let (line, bytes) = (shared.line_bytes(), copy.bytes.min(PIECE));
        let mut met = Met::default();
        let (mut done, mut moved) = (start, 0);
        while moved < bytes {
            // As much as lies in one line at both ends.
            let here = [source, dest].into_iter().fold(bytes - moved, |here, end| match end {
                DmaEnd::Memory(address) => here.min(line - address.wrapping_add(moved) % line),
                DmaEnd::Host | DmaEnd::Nothing => here.min(line),
            });
            let at = start + (moved as f64 * pace) as u64;
            let arrives = match source {
                DmaEnd::Memory(address) => shared.engine_reads(at, address.wrapping_add(moved) / line, &mut met),
                DmaEnd::Host => start + ((moved + here) as f64 * pace).ceil() as u64 + self.latency,
                DmaEnd::Nothing => at,
            };
            done = done.max(match dest {
                DmaEnd::Memory(address) => {
                    let address = address.wrapping_add(moved);
                    let mask = u128::MAX >> (128 - here) << (address % line);
                    shared.engine_writes(arrives, address / line, mask, &mut met)
                }
                DmaEnd::Host => arrives + (here as f64 * pace).ceil() as u64 + self.latency,
                DmaEnd::Nothing => arrives,
            });
            moved += here;
        }
        tally.add(&met);
        done
    }
}
