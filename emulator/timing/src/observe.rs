//! What happens on the clock, for those who record it: traces and timelines.

use std::sync::Arc;
use wavepipe_core::dispatch::Dispatch;
use wavepipe_hw::pm4::Packet;
use wavepipe_isa::Instr;
use wavepipe_isa::row::Class;

/// A wave's place: SIMD of the machine, and slot on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    pub simd: u32,
    pub slot: u32,
}

/// One event, at the cycle that comes with it.
pub enum Event<'a> {
    /// The command processor executed a packet of a queue (its number in the machine) until the cycle `until`.
    Packet {
        queue: usize,
        packet: &'a Packet,
        until: u64,
    },
    /// A queue stands at WAIT_REG_MEM, or goes on.
    Waits {
        queue: usize,
        on: bool,
    },
    /// A dispatch was launched; its number counts up from 0.
    DispatchStarted {
        dispatch: u64,
        queue: usize,
        what: &'a Arc<Dispatch>,
    },
    DispatchEnded {
        dispatch: u64,
    },
    /// A wave starts at its first instruction at `cycle`, or later; or is back from suspension.
    WaveStarted {
        dispatch: u64,
        group: u64,
        wave: u32,
        at: Slot,
        resumed: bool,
    },
    WaveEnded {
        dispatch: u64,
        group: u64,
        wave: u32,
        at: Slot,
        suspended: bool,
    },
    /// A pass of an instruction issued; it could have for `stalled` cycles less, but for the reason.
    Issued {
        at: Slot,
        pc: u64,
        instr: Option<&'a Instr>,
        class: Class,
        half: usize,
        first: bool,
        stalled: u64,
        reason: crate::engine::Reason,
    },
}

/// Sees events in the order of their cycles, but for starts that lie ahead.
pub trait Recorder: Send {
    /// Whether [`Event::Issued`] is wanted, which is much.
    fn instructions(&self) -> bool;
    fn event(&mut self, cycle: u64, event: &Event<'_>);
}
