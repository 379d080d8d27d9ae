//! What happens on the clock, for those who record it: traces and timelines.

use crate::memory::Met;
use crate::reason::Reason;
use std::sync::Arc;
use wavepipe_core::dispatch::Dispatch;
use wavepipe_core::policy::{Rank, Standing};
use wavepipe_hw::pm4::Packet;
use wavepipe_isa::Instr;
use wavepipe_isa::row::Class;

/// A wave's place: SIMD of the machine, and slot on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WaveSlot {
    pub simd: u32,
    pub slot: u32,
}

/// What a packet waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// A word of memory: a semaphore.
    Memory,
    /// The end of its queue's dispatches.
    Dispatches,
    /// A tick of the reference clock.
    Clock,
}

/// One event, at the cycle that comes with it.
pub enum Event<'a> {
    /// A queue was mapped, maybe in the place of one that is gone: its number in the machine, its pipe and place there.
    Queue {
        queue: usize,
        pipe: u32,
        place: u32,
        rank: Rank,
    },
    /// The command processor executed a packet of a queue (its number in the machine) until the cycle `until`.
    Packet {
        queue: usize,
        packet: &'a Packet,
        until: u64,
    },
    /// What a queue's packet waits for; `None`: it goes on.
    Waits {
        queue: usize,
        waits: Option<Awaited>,
    },
    /// A dispatch was launched; its number counts up from 0.
    DispatchStarted {
        dispatch: u64,
        queue: usize,
        what: &'a Arc<Dispatch>,
    },
    /// What a dispatch may do while others have work changed; it runs at first.
    Standing {
        dispatch: u64,
        standing: Standing,
    },
    DispatchEnded {
        dispatch: u64,
    },
    /// A wave starts at its first instruction at `cycle`, or later; or is back from suspension.
    WaveStarted {
        dispatch: u64,
        group: u64,
        wave: u32,
        at: WaveSlot,
        resumed: bool,
    },
    WaveEnded {
        dispatch: u64,
        group: u64,
        wave: u32,
        at: WaveSlot,
        suspended: bool,
    },
    /// Sums since power-on: instructions executed, and bytes asked of memory.
    Sample {
        executed: u64,
        memory_read: u64,
        memory_written: u64,
    },
    /// A pass of an instruction issued, and keeps its unit busy for so many cycles; it could have issued `stalled`
    /// cycles earlier, but for the reason.
    Issued {
        at: WaveSlot,
        pc: u64,
        instr: Option<&'a Instr>,
        class: Class,
        half: usize,
        first: bool,
        busy: u64,
        stalled: u64,
        reason: Reason,
    },
    /// What the instruction that issued last of a wave met on its way to memory, from where it is back at the cycle `done`.
    Accessed {
        at: WaveSlot,
        met: &'a Met,
        done: u64,
    },
}

/// Sees events in the order of their cycles, but for starts that lie ahead.
pub trait Recorder: Send {
    /// Whether [`Event::Issued`] and [`Event::Accessed`] are wanted, which are many.
    fn instructions(&self) -> bool;
    /// Cycles between two of [`Event::Sample`]; 0: none is wanted.
    fn sampling(&self) -> u64 {
        0
    }
    fn event(&mut self, cycle: u64, event: &Event<'_>);
    /// It is the driver's turn: what was seen belongs where others can read it.
    fn flush(&mut self) {}
    /// Why nothing is recorded any more.
    fn failure(&self) -> Option<&str> {
        None
    }
}
