//! Shape of the final code: branches to branches, blocks nobody reaches, work nobody sees.

use super::machine::{Machine, Placed};
use super::waits::successors;
use crate::mir::{BlockId, Cond, Term};
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Format, Sem, Ty};
use wavepipe_isa::{Instr, Src};

pub fn tidy(m: &mut Machine) {
    leave_masks(m);
    for _ in 0..4 {
        thread(m);
        unreachable(m);
        invert(m);
        end_early(m);
    }
    unreachable(m);
}

/// `EXEC & c` saved and left again with nothing done in between: the lanes of c just leave.
///   s = EXEC; EXEC &= c;  EXEC = s & ~c   ⇒   s = EXEC;  EXEC = EXEC & ~c
fn leave_masks(m: &mut Machine) {
    let mut branched = branched(m);
    // How often each register is read.
    let mut reads = vec![0u32; 1 << 16];
    let count = |instr: &Instr, lanes: u32, reads: &mut Vec<u32>, change: fn(u32) -> u32| {
        for u in instr.uses(lanes) {
            for r in &mut reads[usize::from(u.reg.0)..][..u.dwords as usize] {
                *r = change(*r);
            }
        }
    };
    for p in m.blocks.iter().flat_map(|b| &b.insts) {
        count(&p.instr, m.lanes, &mut reads, |n| n + 1);
    }
    for k in 0..m.order.len() {
        let b = m.order[k] as usize;
        let Some(last) = m.blocks[b].insts.last().copied() else { continue };
        let save = last.instr;
        if save.op != i::S_AND_SAVEEXEC_B32 && save.op != i::S_AND_SAVEEXEC_B64 {
            continue;
        }
        // The arm: empty, falling through, and nobody else's target.
        let (Some(&arm), Some(&after)) = (m.order.get(k + 1), m.order.get(k + 2)) else { continue };
        let falls = |t: Term| t == Term::Fall;
        if !m.blocks[arm as usize].insts.is_empty() || !falls(m.blocks[arm as usize].term) {
            continue;
        }
        let skip = match m.blocks[b].term {
            Term::Fall => true,
            Term::Branch { cond: Cond::Execz, target } => target == after,
            _ => false,
        };
        let own = matches!(m.blocks[b].term, Term::Branch { target, .. } if target == after);
        let wanted = branched[arm as usize] > 0 || branched[after as usize] > u32::from(own);
        let Some(first) = m.blocks[after as usize].insts.first().copied() else { continue };
        let undo = first.instr;
        let undoes = (undo.op == i::S_ANDN2_B32 || undo.op == i::S_ANDN2_B64)
            && undo.dst[0] == Src::EXEC_LO
            && undo.src[0] == save.dst[0]
            && undo.src[1] == save.src[0]
            && save.dst[0] != save.src[0];
        if !skip || wanted || !undoes {
            continue;
        }
        // Besides by what undoes it.
        count(&undo, m.lanes, &mut reads, |n| n - 1);
        let saved_used = reads[usize::from(save.dst[0].0)] > 0;
        let wide = save.op == i::S_AND_SAVEEXEC_B64;
        let n = m.blocks[b].insts.len() - 1;
        if saved_used {
            let mut mov = Instr::new(if wide { i::S_MOV_B64 } else { i::S_MOV_B32 });
            mov.dst[0] = save.dst[0];
            mov.src[0] = Src::EXEC_LO;
            mov.imply();
            count(&save, m.lanes, &mut reads, |n| n - 1);
            count(&mov, m.lanes, &mut reads, |n| n + 1);
            m.blocks[b].insts[n].instr = mov;
        } else {
            count(&save, m.lanes, &mut reads, |n| n - 1);
            m.blocks[b].insts.pop();
        }
        m.blocks[b].term = Term::Fall;
        branched[after as usize] -= u32::from(own);
        m.blocks[after as usize].insts[0].instr.src[0] = Src::EXEC_LO;
        count(&m.blocks[after as usize].insts[0].instr, m.lanes, &mut reads, |n| n + 1);
    }
}

/// By block: the jumps and branches that go to it.
fn branched(m: &Machine) -> Vec<u32> {
    let mut to = vec![0; m.blocks.len()];
    for &b in &m.order {
        if let Term::Jump(t) | Term::Branch { target: t, .. } = m.blocks[b as usize].term {
            to[t as usize] += 1;
        }
    }
    to
}

/// By block: the block behind it in the layout.
fn followers(m: &Machine) -> Vec<Option<BlockId>> {
    let mut next = vec![None; m.blocks.len()];
    m.order.windows(2).for_each(|w| next[w[0] as usize] = Some(w[1]));
    next
}

/// Where control ends up that enters `b`, through blocks without instructions.
fn final_target(m: &Machine, follower: &[Option<BlockId>], mut b: BlockId) -> BlockId {
    for _ in 0..m.order.len() {
        let body = &m.blocks[b as usize];
        if !body.insts.is_empty() {
            break;
        }
        b = match body.term {
            Term::Jump(t) => t,
            Term::Fall => match follower[b as usize] {
                Some(n) => n,
                None => break,
            },
            _ => break,
        };
    }
    b
}

fn thread(m: &mut Machine) {
    let next = followers(m);
    for k in 0..m.order.len() {
        let b = m.order[k] as usize;
        let to = |t| final_target(m, &next, t);
        let behind = next[b].map(to);
        let term = match m.blocks[b].term {
            Term::Jump(t) => Term::Jump(to(t)),
            Term::Branch { cond, target } => Term::Branch { cond, target: to(target) },
            t => t,
        };
        let end = |t: BlockId| {
            let body = &m.blocks[t as usize];
            body.insts.is_empty() && body.term == Term::End
        };
        m.blocks[b].term = match term {
            Term::Jump(t) if Some(t) == behind => Term::Fall,
            Term::Branch { target, .. } if Some(target) == behind => Term::Fall,
            // s_endpgm is as short as a branch to it.
            Term::Jump(t) if end(t) => Term::End,
            // An unconditional EXEC test after code that cannot empty it stays; nothing is known of EXEC here.
            t => t,
        };
    }
}

fn unreachable(m: &mut Machine) {
    let mut seen = vec![false; m.blocks.len()];
    let mut todo = vec![0usize];
    let index: std::collections::HashMap<BlockId, usize> = m.order.iter().enumerate().map(|(k, &b)| (b, k)).collect();
    while let Some(k) = todo.pop() {
        if std::mem::replace(&mut seen[m.order[k] as usize], true) {
            continue;
        }
        todo.extend(successors(m, k).filter_map(|s| index.get(&s).copied()));
    }
    // A block that is left out falls to nothing; its predecessor in the layout never falls into it.
    m.order.retain(|&b| seen[b as usize]);
}

/// `if (!c) skip the jump` becomes `if (c) jump`.
fn invert(m: &mut Machine) {
    let (next, mut branched) = (followers(m), branched(m));
    for k in 0..m.order.len() {
        let (b, Some(&j), Some(&after)) = (m.order[k] as usize, m.order.get(k + 1), m.order.get(k + 2)) else {
            continue;
        };
        let Term::Branch { cond, target } = m.blocks[b].term else { continue };
        let Term::Jump(to) = m.blocks[j as usize].term else { continue };
        if final_target(m, &next, after) != target && after != target || !m.blocks[j as usize].insts.is_empty() {
            continue;
        }
        let cond = match cond {
            Cond::Scc0 => Cond::Scc1,
            Cond::Scc1 => Cond::Scc0,
            Cond::Vccz => Cond::Vccnz,
            Cond::Vccnz => Cond::Vccz,
            Cond::Execz => Cond::Execnz,
            Cond::Execnz => Cond::Execz,
        };
        if branched[j as usize] > 0 {
            continue;
        }
        branched[target as usize] -= 1;
        m.blocks[b].term = Term::Branch { cond, target: to };
        m.blocks[j as usize].term = Term::Fall;
    }
}

/// Register writes right before the end of the kernel change nothing.
fn end_early(m: &mut Machine) {
    for k in 0..m.order.len() {
        let b = m.order[k] as usize;
        let next_ends = m.order.get(k + 1).is_some_and(|&n| {
            let body = &m.blocks[n as usize];
            body.insts.is_empty() && body.term == Term::End
        });
        match m.blocks[b].term {
            Term::End => {}
            Term::Fall if next_ends => {}
            _ => continue,
        }
        while m.blocks[b].insts.last().is_some_and(only_registers) {
            m.blocks[b].insts.pop();
        }
    }
}

fn only_registers(p: &Placed) -> bool {
    let row = p.instr.op.row();
    let alu = matches!(
        row.format,
        Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3
    );
    alu && !matches!(row.sem, Sem::Control(_)) && !row.dst.contains(&Ty::M0)
}
