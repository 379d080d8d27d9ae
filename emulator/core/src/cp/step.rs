//! A queue's packets one after the other: fetched, executed, or left where they wait.

use super::execute::Step;
use super::ring::Ring;
use crate::machine::Machine;
use crate::memory::View;
use std::sync::atomic::Ordering::SeqCst;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::pm4::Packet;

/// Packets that a queue executes before another of its pipe gets a turn.
const SLICE_PACKETS: u32 = 64;

/// How a queue came out of its slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slice {
    /// It can go on at once.
    More,
    /// Empty, waiting or stopped.
    Stuck,
}

/// What became of the packet at the front of a queue.
#[derive(Clone, Debug)]
pub enum Stepped {
    /// There is none.
    Empty,
    /// The queue stopped for good.
    Stopped,
    /// It waits for dispatches of this queue.
    WaitsIdle,
    /// It waits for memory.
    WaitsMemory,
    /// It waits for the reference clock to reach this tick.
    WaitsClock(u64),
    /// A part of it is done.
    Piece,
    /// It is done.
    Done(Packet),
}

impl Ring {
    /// Executes packets until the queue waits, is empty, or has had its share.
    pub fn slice(&mut self, machine: &Machine) -> Slice {
        let mut map = View::of(&machine.memory);
        for _ in 0..SLICE_PACKETS {
            match self.step(machine, &mut map) {
                Stepped::Done(_) => {}
                Stepped::Piece => return Slice::More,
                _ => return Slice::Stuck,
            }
        }
        Slice::More
    }

    /// Executes the packet at the front, or a piece of it.
    pub fn step(&mut self, machine: &Machine, view: &mut View) -> Stepped {
        self.watching = false;
        if self.shared.stopped.load(SeqCst) {
            return Stepped::Stopped;
        }
        let wptr = self.shared.wptr.load(SeqCst);
        if self.done(&view.map, wptr) {
            return Stepped::Empty;
        }
        // What was allocated before the doorbell rang must be seen.
        view.refresh(&machine.memory);
        let map = &view.map;
        let (packet, taken) = match self.fetch(map, wptr) {
            Ok(p) => p,
            Err(kind) => {
                machine.stop_queue(&self.shared, kind, None);
                return Stepped::Stopped;
            }
        };
        // The place moves first, so that INDIRECT_BUFFER can put itself in front; a packet that waits goes back.
        self.advance(taken as i64);
        match self.execute(machine, map, &packet) {
            Ok(Step::Done) => {
                self.report(map);
                Stepped::Done(packet)
            }
            Ok(step) => {
                self.advance(-(taken as i64));
                self.watching = matches!(step, Step::WaitMemory | Step::WaitClock(_));
                match step {
                    Step::WaitClock(tick) => Stepped::WaitsClock(tick),
                    Step::Piece => Stepped::Piece,
                    Step::WaitMemory => Stepped::WaitsMemory,
                    Step::Done | Step::WaitIdle => Stepped::WaitsIdle,
                }
            }
            Err(kind) => {
                self.advance(-(taken as i64));
                let kind = match kind {
                    FaultKind::BadPacket { why, .. } => self.bad(why),
                    other => other,
                };
                machine.stop_queue(&self.shared, kind, None);
                Stepped::Stopped
            }
        }
    }
}
