//! One wave's turn: from block to block, by host code where there is some, else operation by operation.

use super::block::{Block, CodeCache, Front, PC_END};
use super::env::Env;
use super::probe::{self, Probe, WaveView};
use super::region::Compiled;
use super::report::Stop;
use super::state::{Status, Wave};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use wavepipe_hw::fault::FaultKind;

/// Instructions that one wave runs before the next of its work-group has a turn.
pub(super) const QUANTUM: u64 = 8192;

/// What ends the turn of a work-group from outside.
#[derive(Clone, Copy)]
pub(super) struct Bound<'b> {
    pub budget: u64,
    pub preempt: &'b AtomicBool,
}

impl Bound<'_> {
    /// Whether so many instructions are all, or somebody else is to have the thread.
    #[inline(always)]
    pub fn is_over(&self, spent: u64) -> bool {
        spent >= self.budget || self.preempt.load(Relaxed)
    }
}

/// Runs one wave until its turn is over. A fault gives its instruction.
#[inline(always)]
pub(super) fn turn<P: Probe>(
    w: &mut Wave,
    env: &mut Env<'_>,
    front: &mut Front,
    code: &CodeCache,
    spent: &mut u64,
    bound: Bound<'_>,
    (probe, at): (&mut P, &mut [u64; 64]),
) -> Option<Stop> {
    let end = (*spent + QUANTUM).min(bound.budget);
    // Observers see every operation.
    let (map, hosts) = (env.map, !P::ACTIVE && code.host().is_some());
    while w.status == Status::Ready && *spent < end && !bound.preempt.load(Relaxed) {
        if w.pc >= PC_END {
            let (address, lanes) = (w.pc, w.exec64());
            w.fail(FaultKind::WildAddress { address, bytes: 4, write: false, nearest: None }, lanes);
            return Some(Stop { pc: address, text: String::new(), instr: None });
        }
        let (block, host) = match hosts && Compiled::takes(w) {
            true => front.hot(map, code, w),
            false => (front.get(map, code, w), None),
        };
        if w.stale {
            w.make_zero(host.as_ref().and_then(|(host, _)| host.unwritten()));
        }
        let stopped = match host {
            Some((host, slots)) => {
                let (waves, mut frame) = (env.waves, host.frame(env, slots, bound.preempt));
                // SAFETY: the region's blocks were decoded for this wave's size and register count (their key); its slots are
                // of this run's memory map.
                let ran = unsafe { host.run(&mut frame, w, waves, end - *spent) };
                *spent += ran.instructions;
                ran.stopped
            }
            None => {
                w.beginning = 0;
                let (done, stopped) =
                    if P::ACTIVE { watch(block, w, env, probe, at) } else { interpret(block, w, env) };
                *spent += done as u64;
                w.clock += done as u64;
                if !stopped {
                    w.pc = block.end;
                }
                stopped.then(|| (&**block, done - 1))
            }
        };
        if let Some((block, i)) = stopped
            && w.trouble.is_some()
        {
            return Some(Stop::of(block, i));
        }
    }
    None
}

/// Runs a block operation by operation; how many were done, and whether the last one ended it.
#[inline(always)]
fn interpret(block: &Block, w: &mut Wave, env: &mut Env<'_>) -> (usize, bool) {
    let mut done = 0;
    for op in &block.ops {
        done += 1;
        // SAFETY: the block was decoded for this wave's size and register count (its key), with the table chosen
        // for this host; operations name registers and temporaries within them only.
        if unsafe { (op.f)(w, op, env) } {
            return (done, true);
        }
    }
    (done, false)
}

/// As [`interpret`], with a probe that is shown what runs.
fn watch<P: Probe>(block: &Block, w: &mut Wave, env: &mut Env<'_>, probe: &mut P, at: &mut [u64; 64]) -> (usize, bool) {
    let (mut done, mut passed) = (0, 0);
    let mut stretches = block.stretches().iter();
    let mut next = stretches.next();
    for op in &block.ops {
        if let Some(stretch) = next.filter(|s| s.from == done) {
            next = stretches.next();
            if probe.passes(&WaveView(w), stretch) {
                passed = done + stretch.len;
            }
        }
        if done < passed {
            done += 1;
            // SAFETY: as below.
            if unsafe { (op.f)(w, op, env) } {
                return (done, true);
            }
            continue;
        }
        if let Some(place) = block.places.get(done)
            && probe::show(probe, w, block, place, op, env.map, at)
        {
            return (done + 1, true);
        }
        done += 1;
        // SAFETY: the block was decoded for this wave's size and register count (its key), with the table chosen
        // for this host; operations name registers and temporaries within them only.
        let stopped = unsafe { (op.f)(w, op, env) };
        if let Some(texels) = env.texels.as_deref_mut().filter(|t| !t.is_empty())
            && let Some(place) = block.places.get(done - 1)
        {
            probe::show_texels(probe, w, (block, place), op, texels);
            texels.clear();
        }
        if stopped {
            return (done, true);
        }
    }
    (done, false)
}
