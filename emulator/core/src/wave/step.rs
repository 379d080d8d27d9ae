//! One instruction at a time: for a machine whose own clock says which wave issues next (`crate::timed`).
//!
//! [`WorkGroup::next`] is the instruction that a wave stands at, [`WorkGroup::touch`] what it is going to access, and
//! [`WorkGroup::step`] executes it. Meanings, faults and blocks are the run loop's own.

use super::Outcome;
use super::block::{Block, CodeCache, Key, PC_END};
use super::env::{Clock, Env, SLOTS, TexelTouch};
use super::group::{Parts, WorkGroup};
use super::op::MicroOp;
use super::probe;
use super::report::{self, Stop};
use super::state::{Status, Wave};
use super::{WaveFault, WaveView};
use super::{meeting, mem};
use crate::memory::MemoryMap;
use std::sync::Arc;
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::Instr;
use wavepipe_isa::row::Space;

/// A run of decoded instructions, as waves of one size and register count execute it.
#[derive(Clone)]
pub struct BlockCode(Arc<Block>);

impl BlockCode {
    /// Instructions, the last of which may be one that cannot execute.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.ops.len()
    }

    /// `None`: there is no such instruction, or its bytes decode to none.
    pub fn instr(&self, i: usize) -> Option<&Instr> {
        self.0.places.get(i)?.instr.as_ref()
    }

    /// Address of instruction `i`; of the first byte behind the last one.
    pub fn pc(&self, i: usize) -> u64 {
        self.0.places.get(i).map_or(self.0.end, |p| self.0.start + u64::from(p.offset))
    }

    /// 32 or 64.
    pub fn lanes(&self) -> u32 {
        self.0.lanes
    }

    /// A number that no other run has while this one is kept.
    pub fn key(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Whether anybody else keeps it. The machine does until its bytes change or are gone.
    pub fn is_kept(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Whether it is the same run: the same bytes for the same kind of wave, decoded at the same time.
    pub fn same(&self, other: &BlockCode) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Where a wave stands.
#[derive(Clone, Default)]
pub(super) struct Cursor {
    code: Option<BlockCode>,
    at: usize,
}

/// What a step came to.
pub enum Flow {
    /// The instruction behind it is next.
    Next,
    /// The wave stands somewhere else: ask [`WorkGroup::next`].
    Jump,
    /// It waits for its work-group at a barrier.
    Barrier,
    /// S_SLEEP.
    Sleep,
    /// It waits for another wave's GWS or ordered count; the same instruction is to be tried again.
    Wait,
    Ended,
    Fault(Box<WaveFault>),
}

/// What an instruction is about to access.
pub struct Touch {
    /// `None`: no memory.
    pub space: Option<Space>,
    /// Lanes that do.
    pub mask: u64,
    /// Their addresses; in LDS, offsets. A scalar access has lane 0 only.
    pub at: Box<[u64; 64]>,
    /// Of an image instruction, once it has run: each texel that it read or wrote.
    pub texels: Vec<TexelTouch>,
}

impl Default for Touch {
    fn default() -> Self {
        Touch { space: None, mask: 0, at: Box::new([0; 64]), texels: Vec::new() }
    }
}

/// The world of a step.
pub struct Outside<'a> {
    pub map: &'a MemoryMap,
    pub code: &'a CodeCache,
    /// The machine's clock, in shader cycles: S_MEMTIME.
    pub cycle: u64,
    /// In ticks of the reference clock: S_MEMREALTIME.
    pub ticks: u64,
}

impl WorkGroup {
    /// The run that a wave stands in, and its place there. `None`: the wave has ended, or its pc is no address.
    pub fn next(&mut self, wave: usize, outside: &Outside<'_>) -> Option<(&BlockCode, usize)> {
        let (waves, cursors, front) = self.stepping();
        let (w, cursor) = (waves.get(wave)?, cursors.get_mut(wave)?);
        if w.status == Status::Ended || w.pc >= PC_END {
            return None;
        }
        if cursor.code.as_ref().is_none_or(|c| cursor.at >= c.len()) {
            front.refresh(outside.map, outside.code);
            cursor.code = Some(BlockCode(front.shared(outside.map, outside.code, Key::of(w))));
            cursor.at = 0;
        }
        Some((cursor.code.as_ref()?, cursor.at))
    }

    /// What the instruction is going to access that the wave stands at; `touch.texels` only [`WorkGroup::step`] fills.
    pub fn touch(&mut self, wave: usize, touch: &mut Touch) {
        (touch.space, touch.mask) = (None, 0);
        touch.texels.clear();
        let (waves, cursors, _) = self.stepping();
        if let (Some(w), Some(cursor)) = (waves.get_mut(wave), cursors.get(wave))
            && let Some(op) = cursor.code.as_ref().and_then(|c| c.0.ops.get(cursor.at))
            && let Some(reach) = mem::reach(w, op, &mut touch.at)
        {
            (touch.space, touch.mask) = (Some(reach.space), reach.mask);
        }
    }

    /// Executes the instruction that the wave stands at.
    pub fn step(&mut self, wave: usize, outside: &Outside<'_>, touch: &mut Touch) -> Flow {
        if self.next(wave, outside).is_none() {
            return self.nowhere(wave);
        }
        if let Some(w) = self.stepping().0.get(wave).filter(|w| w.trouble.is_some()) {
            // Of the barrier that it has passed.
            let stop = report::barrier(w, outside.map);
            return self.faulted(wave, stop);
        }
        let mut texels = std::mem::take(&mut touch.texels);
        let (flow, stop) = {
            let parts = self.parts();
            let (w, cursor) = (&mut parts.waves[wave], &mut parts.cursors[wave]);
            let Some(code) = &cursor.code else { return Flow::Ended };
            let at = cursor.at;
            let op: &MicroOp = &code.0.ops[at];
            let mut env = Env {
                map: outside.map,
                lds: parts.lds,
                device: parts.device,
                passage: parts.passage,
                number: parts.number,
                waves: parts.count,
                border_colors: parts.border_colors,
                clock: Clock::Emulated(outside.ticks),
                texels: Some(&mut texels),
                trace: parts.trace,
                regions: [None; SLOTS],
                images: parts.images,
            };
            w.status = Status::Ready;
            w.clock = outside.cycle;
            w.pc = code.pc(at);
            let place = &code.0.places[at];
            let mut checker = parts.checker;
            let found = checker
                .as_deref_mut()
                .is_some_and(|c| probe::show(c, w, &code.0, place, op, outside.map, &mut touch.at));
            // SAFETY: `next` took the block for this wave's size and register count, which do not change while it runs, and
            // `at` is one of its operations.
            let stopped = found || unsafe { (op.f)(w, op, &mut env) };
            if let Some(checker) = checker {
                if let Some(texels) = env.texels.as_deref().filter(|t| !t.is_empty()) {
                    probe::show_texels(checker, w, (&code.0, place), op, texels);
                }
                if w.status == Status::Ended || w.trouble.is_some() {
                    checker.pause();
                }
            }
            if !stopped {
                cursor.at += 1;
                w.pc = op.next;
                (Flow::Next, None)
            } else if w.trouble.is_some() {
                let (pc, text) = code.0.site(at);
                (Flow::Ended, Some(Stop { pc, text, instr: code.instr(at).copied() }))
            } else {
                cursor.code = None;
                let flow = match w.status {
                    Status::Ended => Flow::Ended,
                    Status::AtBarrier => Flow::Barrier,
                    Status::Yielded => Flow::Sleep,
                    Status::Waiting => Flow::Wait,
                    Status::Ready => Flow::Jump,
                };
                (flow, None)
            }
        };
        touch.texels = texels;
        match stop {
            Some(stop) => self.faulted(wave, stop),
            None => flow,
        }
    }

    /// A step of a wave that stands nowhere: it has ended, or jumped out of the address space.
    #[cold]
    fn nowhere(&mut self, wave: usize) -> Flow {
        let (waves, ..) = self.stepping();
        let Some(w) = waves.get_mut(wave).filter(|w| w.status != Status::Ended) else { return Flow::Ended };
        let (address, lanes) = (w.pc, w.exec64());
        w.fail(FaultKind::WildAddress { address, bytes: 4, write: false, nearest: None }, lanes);
        self.faulted(wave, Stop { pc: address, text: String::new(), instr: None })
    }

    #[cold]
    fn faulted(&mut self, wave: usize, stop: Stop) -> Flow {
        let (launch, id) = self.identity();
        let (waves, ..) = self.stepping();
        match report::fault(&mut waves[wave], launch.as_deref(), id, stop) {
            Outcome::Fault(fault) => Flow::Fault(fault),
            Outcome::Done | Outcome::Budget => Flow::Ended,
        }
    }

    /// Lets the waves go on that wait at a barrier, if all that have not ended wait there.
    pub fn open_barrier(&mut self, map: &MemoryMap) -> bool {
        let (launch, id) = self.identity();
        let Parts { waves, passage, device, .. } = self.parts();
        let open = waves.iter().all(|w| matches!(w.status, Status::Ended | Status::AtBarrier));
        let any = waves.iter().any(|w| w.status == Status::AtBarrier);
        if open && any {
            // A wave that is to stop there has its fault with its next step.
            meeting::open(waves, &meeting::Group { launch: launch.as_deref(), id, passage, device }, map);
        }
        open && any
    }

    /// Whether every wave has ended.
    pub fn ended(&mut self) -> bool {
        self.stepping().0.iter().all(|w| w.status == Status::Ended)
    }
}

impl WaveView<'_> {
    /// STATUS.USER_PRIO, which S_SETPRIO writes.
    pub fn user_priority(&self) -> u32 {
        let wave: &Wave = self.0;
        wave.user_prio
    }
}
