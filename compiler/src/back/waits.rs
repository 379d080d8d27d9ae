//! Wait insertion: each register waits for the counter of the instruction that fills it, no more.
//!
//! Forward dataflow. The state has, for every register with a result on its way, how many operations on its counter were
//! issued since (its age): vector loads and returning atomics count on vmcnt and come back in order; LDS and scalar memory
//! share lgkmcnt, and scalar memory returns out of order. Reading or writing a register of age n needs the counter ≤ n,
//! or 0 while scalar loads are out. A wait for n clears every age ≥ n.
//! Join takes the younger age of each register (the stronger need), so the fixpoint is reached from below in a few
//! rounds; then one more walk inserts the waits. Explicit waits (barriers) are dropped when nothing is outstanding.
//! Stores count on vscnt, which only memory barriers wait for.

use super::machine::{Body, Machine, Placed};
use crate::mir::{BlockId, Term};
use wavepipe_isa::Src;
use wavepipe_isa::instr::Instr;
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Format, MemKind, Sem, Space};

/// S_WAITCNT operands: vmcnt in bits 3:0 and 15:14, expcnt 6:4, lgkmcnt 13:8.
pub const ALL_ZERO_MEMORY: i32 = waitcnt(0, 0);
pub const LGKM_ZERO: i32 = waitcnt(VM_MAX, 0);

const VM_MAX: u8 = 63;
const LGKM_MAX: u8 = 63;
const NONE: u8 = u8::MAX;
/// SGPRs, VCC and M0 below 128; VGPRs from 128.
const REGS: usize = 128 + 256;

const fn waitcnt(vm: u8, lgkm: u8) -> i32 {
    ((vm & 15) as u16 | ((vm as u16) >> 4) << 14 | 7 << 4 | (lgkm as u16) << 8) as i16 as i32
}

#[derive(Clone, PartialEq)]
struct State {
    vm: [u8; REGS],
    lgkm: [u8; REGS],
    /// Operations may be outstanding on a counter, with or without a result.
    any_vm: bool,
    any_lgkm: bool,
    any_vs: bool,
    scalar_out: bool,
    reached: bool,
}

impl State {
    fn new() -> State {
        State {
            vm: [NONE; REGS],
            lgkm: [NONE; REGS],
            any_vm: false,
            any_lgkm: false,
            any_vs: false,
            scalar_out: false,
            reached: false,
        }
    }

    fn join(&mut self, o: &State) -> bool {
        let before = self.clone();
        for (a, b) in self.vm.iter_mut().zip(&o.vm).chain(self.lgkm.iter_mut().zip(&o.lgkm)) {
            *a = (*a).min(*b);
        }
        self.any_vm |= o.any_vm;
        self.any_lgkm |= o.any_lgkm;
        self.any_vs |= o.any_vs;
        self.scalar_out |= o.scalar_out;
        self.reached = true;
        *self != before
    }

    fn wait_vm(&mut self, n: u8) {
        for a in &mut self.vm {
            if *a != NONE && *a >= n {
                *a = NONE;
            }
        }
        self.any_vm &= n > 0;
    }

    fn wait_lgkm(&mut self, n: u8) {
        if n == 0 {
            self.lgkm = [NONE; REGS];
            (self.any_lgkm, self.scalar_out) = (false, false);
        } else if !self.scalar_out {
            for a in &mut self.lgkm {
                if *a != NONE && *a >= n {
                    *a = NONE;
                }
            }
        }
    }

    /// The counts that `instr` needs before it issues: (vmcnt, lgkmcnt).
    fn needs(&self, instr: &Instr, lanes: u32) -> (u8, u8) {
        let (mut vm, mut lgkm) = (VM_MAX, LGKM_MAX);
        for r in touched(instr, lanes) {
            if self.vm[r] != NONE {
                vm = vm.min(self.vm[r]);
            }
            if self.lgkm[r] != NONE {
                lgkm = lgkm.min(if self.scalar_out { 0 } else { self.lgkm[r] });
            }
        }
        (vm, lgkm)
    }

    fn issue(&mut self, instr: &Instr, lanes: u32) {
        let Sem::Mem(space, kind) = instr.op.row().sem else {
            if instr.op.row().format == Format::Ds {
                // Cross-lane traffic through the LDS unit.
                self.start(false, instr, lanes);
            }
            return;
        };
        match (space, kind) {
            (_, MemKind::Invalidate) => {}
            (Space::Scalar, _) => {
                self.start(false, instr, lanes);
                self.scalar_out = true;
            }
            (Space::Lds, _) => self.start(false, instr, lanes),
            _ if instr.defs(lanes).next().is_some() => self.start(true, instr, lanes),
            _ => self.any_vs = true,
        }
    }

    fn start(&mut self, vector: bool, instr: &Instr, lanes: u32) {
        let (ages, max) = if vector { (&mut self.vm, VM_MAX) } else { (&mut self.lgkm, LGKM_MAX) };
        for a in ages.iter_mut().filter(|a| **a != NONE) {
            *a = (*a + 1).min(max - 1);
        }
        for d in instr.defs(lanes) {
            for r in index(d.reg, d.dwords) {
                ages[r] = 0;
            }
        }
        if vector {
            self.any_vm = true;
        } else {
            self.any_lgkm = true;
        }
    }
}

fn index(reg: Src, dwords: u32) -> std::ops::Range<usize> {
    let first = if reg.is_vgpr() { 128 + reg.vgpr() as usize } else { usize::from(reg.0) };
    match reg {
        Src::SCC => 0..0,
        _ => first..(first + dwords as usize).min(REGS),
    }
}

fn touched(instr: &Instr, lanes: u32) -> Vec<usize> {
    let mut out: Vec<usize> = instr.uses(lanes).flat_map(|a| index(a.reg, a.dwords)).collect();
    out.extend(instr.defs(lanes).flat_map(|a| index(a.reg, a.dwords)));
    out
}

pub fn insert(m: &mut Machine) {
    let mut entry: Vec<State> = vec![State::new(); m.blocks.len()];
    let Some(&first) = m.order.first() else { return };
    entry[first as usize].reached = true;
    let mut changed = true;
    while changed {
        changed = false;
        for k in 0..m.order.len() {
            let b = m.order[k] as usize;
            if !entry[b].reached {
                continue;
            }
            let mut state = entry[b].clone();
            walk(&m.blocks[b], &mut state, m.lanes, None);
            for s in successors(m, k) {
                changed |= entry[s as usize].join(&state);
            }
        }
    }
    for b in 0..m.blocks.len() {
        let mut out = Vec::with_capacity(m.blocks[b].insts.len());
        let mut state = entry[b].clone();
        walk(&m.blocks[b], &mut state, m.lanes, Some(&mut out));
        m.blocks[b].insts = out;
    }
}

pub fn successors(m: &Machine, k: usize) -> impl Iterator<Item = BlockId> {
    let next = m.order.get(k + 1).copied();
    let (a, b) = match m.blocks[m.order[k] as usize].term {
        Term::Fall => (next, None),
        Term::Jump(t) => (None, Some(t)),
        Term::Branch { target, .. } => (next, Some(target)),
        Term::End => (None, None),
    };
    a.into_iter().chain(b)
}

fn walk(block: &Body, state: &mut State, lanes: u32, mut out: Option<&mut Vec<Placed>>) {
    for p in &block.insts {
        let instr = &p.instr;
        if instr.op == i::S_WAITCNT {
            let vm_wanted = instr.imm & 15 == 0 && state.any_vm;
            let lgkm_wanted = state.any_lgkm;
            let (vm, lgkm) = (if vm_wanted { 0 } else { VM_MAX }, if lgkm_wanted { 0 } else { LGKM_MAX });
            emit(&mut out, p, vm, lgkm);
            if vm_wanted {
                state.wait_vm(0);
            }
            state.wait_lgkm(if lgkm_wanted { 0 } else { LGKM_MAX });
            continue;
        }
        if instr.op == i::S_WAITCNT_VSCNT {
            if let (true, Some(out)) = (state.any_vs, out.as_deref_mut()) {
                out.push(*p);
            }
            state.any_vs = false;
            continue;
        }
        let (vm, lgkm) = state.needs(instr, lanes);
        if vm < VM_MAX || lgkm < LGKM_MAX {
            emit(&mut out, p, vm, lgkm);
            if vm < VM_MAX {
                state.wait_vm(vm);
            }
            if lgkm < LGKM_MAX {
                state.wait_lgkm(lgkm);
            }
        }
        state.issue(instr, lanes);
        if let Some(out) = out.as_deref_mut() {
            out.push(*p);
        }
    }
}

fn emit(out: &mut Option<&mut Vec<Placed>>, at: &Placed, vm: u8, lgkm: u8) {
    if vm == VM_MAX && lgkm == LGKM_MAX {
        return;
    }
    if let Some(out) = out.as_deref_mut() {
        let mut instr = Instr::new(i::S_WAITCNT);
        instr.imm = waitcnt(vm, lgkm);
        instr.imply();
        out.push(Placed { instr, loc: at.loc, constants: false });
    }
}
