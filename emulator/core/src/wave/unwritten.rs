//! Vector registers that a program may read in lanes in which it has not written them. Those are zero when it begins; of the others
//! nobody sees what they were, and launching short kernels is to a good part to make registers zero.
//!
//! ```text
//! state:  registers written in all lanes, those written in the lanes that live now, and whether EXEC is what the launch made it
//! step:   a lane reads its own registers: those not written in the lanes that live are found. It reads other lanes', or is anything
//!         that is not known: those not written in all lanes. A write counts for the lanes that live; for all, under the launch's EXEC
//! EXEC:   fewer lanes: what the living have written stays so. Anything else: what is written in all lanes
//! flow:   forward over blocks, from the program's first; at a join what all ways have written. Barriers are gone through. A jump to
//!         nobody knows where, or registers that M0 moves: nothing is known of the program
//! ```
//!
//! That holds for waves of which all lanes were launched: others have lanes that nothing writes.

use super::block::{Block, CodeCache, Key};
use super::check::registers::RegisterSet;
use super::hot::{Role, role};
use super::indexed::Vectors;
use super::op::MicroOp;
use super::prepare::Finish;
use super::region::{Halt, control, when};
use super::{Piece, access, control};
use crate::memory::MemoryMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_isa::insts::{S_AND_B32, S_AND_B64, S_AND_SAVEEXEC_B32, S_AND_SAVEEXEC_B64, S_ANDN2_B32, S_ANDN2_B64};
use wavepipe_isa::row::{Control, Sem, WaveOp};
use wavepipe_isa::{Instr, Src};

/// Most operations that are looked at, those of loops several times.
const MAX_OPERATIONS: usize = 1 << 14;

#[derive(Clone, Copy, PartialEq)]
struct Written {
    /// In all lanes.
    written: RegisterSet,
    /// In the lanes that live.
    mine: RegisterSet,
    /// EXEC is the launch's.
    first: bool,
}

impl Written {
    fn meet(self, other: Written) -> Written {
        Written {
            written: self.written.and(&other.written),
            mine: self.mine.and(&other.mine),
            first: self.first && other.first,
        }
    }
}

/// What a program may read so.
pub(crate) struct Unwritten {
    pub registers: Box<[u32]>,
    /// The program.
    blocks: BTreeMap<u64, Arc<Block>>,
}

impl Unwritten {
    /// It is another program now, or may be.
    pub fn is_gone(&self) -> bool {
        self.blocks.values().any(|block| block.is_gone())
    }
}

/// What the program that begins with this block may read so, of a wave of all lanes; `None`: it may be anything.
pub(super) fn unwritten(first: &Arc<Block>, key: Key, map: &MemoryMap, code: &CodeCache) -> Option<Unwritten> {
    let generation = code.generation();
    if key.vectors != Vectors::Usual {
        return None;
    }
    let none = RegisterSet::default();
    let begin = Written { written: none, mine: none, first: true };
    let mut states = BTreeMap::from([(first.start, begin)]);
    let mut open = vec![first.clone()];
    let (mut found, mut operations, mut blocks) = (none, 0, BTreeMap::new());
    while let Some(block) = open.pop() {
        let mut state = states[&block.start];
        blocks.insert(block.start, block.clone());
        let mut ways = Vec::new();
        for (op, entry) in block.ops.iter().zip(&block.places) {
            operations += 1;
            if operations > MAX_OPERATIONS {
                return None;
            }
            // The program faults here.
            let Some(instr) = &entry.instr else { break };
            match control(op) {
                Some(Control::Branch) => ways.push((control::target(op), state)),
                Some(c) if when(c).is_some() => ways.push((control::target(op), state)),
                Some(c) if control::halt(c) == Some(Halt::End) => {}
                Some(Control::Barrier | Control::Sleep | Control::DenormMode | Control::RoundMode) => {
                    ways.push((op.next, state))
                }
                Some(_) if matches!(role(op, key.halves), Role::Nothing) => {}
                Some(Control::SetPrio | Control::SendMsg | Control::GetPc | Control::GetReg) => {}
                Some(_) => return None,
                None => step(&mut state, &mut found, op, instr, key)?,
            }
        }
        if block.is_cut() {
            ways.push((block.end, state));
        }
        for (pc, state) in ways.into_iter().filter(|(pc, _)| *pc < super::block::PC_END && pc & 3 == 0) {
            let met = states.get(&pc).map_or(state, |there| there.meet(state));
            if states.insert(pc, met) != Some(met) {
                open.push(code.get(map, Key { pc, ..key }));
            }
        }
    }
    // What was forgotten meanwhile does not say so.
    let registers = found.iter().filter_map(RegisterSet::vgpr_of).collect();
    (code.generation() == generation).then_some(Unwritten { registers, blocks })
}

fn step(state: &mut Written, found: &mut RegisterSet, op: &MicroOp, instr: &Instr, key: Key) -> Option<()> {
    let lanes = 32 * key.halves as u32;
    let moves = [WaveOp::MovrelS, WaveOp::MovrelD, WaveOp::MovrelSD, WaveOp::MovrelSD2, WaveOp::SwapRel];
    if matches!(op.row.sem, Sem::Wave(what) if moves.contains(&what)) {
        return None;
    }
    let (mut reads, mut writes) = (RegisterSet::default(), RegisterSet::default());
    instr.uses(lanes).for_each(|a| reads.insert(a.reg, a.dwords));
    instr.defs(lanes).for_each(|a| writes.insert(a.reg, a.dwords));
    // Of a register that is written in a half, the other stays.
    let (own, keeps) = match role(op, key.halves) {
        Role::Step(step) => (step.movement.is_none(), matches!(step.finish, Finish::Low16 | Finish::High16)),
        Role::Nothing => (true, false),
        Role::Interpreted => match access::access(op, key.halves, 0) {
            Some(access) => (true, access.element.is_some_and(|e| e.of != Piece::Whole)),
            None => (access::fetch(op, 0).is_some(), false),
        },
    };
    if keeps || !own {
        reads.add(&writes);
    }
    found.add(&reads.without(if own { &state.mine } else { &state.written }));
    if own {
        state.mine.add(&writes);
        if state.first {
            state.written.add(&writes);
        }
    }
    if [Src::EXEC_LO, Src::EXEC_HI].into_iter().any(|exec| writes.has(exec.0.into())) {
        state.first = false;
        if !leaves_fewer(instr, op) {
            state.mine = state.written;
        }
    }
    Some(())
}

/// Whether what it makes of EXEC are lanes that lived.
fn leaves_fewer(instr: &Instr, op: &MicroOp) -> bool {
    let [to, a, b] = [instr.dst.first(), instr.src.first(), instr.src.get(1)];
    match instr.op {
        S_AND_SAVEEXEC_B32 | S_AND_SAVEEXEC_B64 => true,
        S_AND_B32 | S_AND_B64 => a == to || b == to,
        S_ANDN2_B32 | S_ANDN2_B64 => a == to,
        _ => op.row.sem == Sem::CompareExec,
    }
}
