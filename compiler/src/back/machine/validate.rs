//! Rules of the machine form: what the encoder takes, in blocks that control can walk.

use super::{Link, Machine, Placed};
use crate::mir::{Cond, Term};
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Control, Sem};
use wavepipe_isa::{Instr, Src, disasm, encode, legal};

/// The first rule that is broken, with the block and the instruction.
pub fn validate(m: &Machine) -> Result<(), String> {
    let mut laid = vec![false; m.blocks.len()];
    for &b in &m.order {
        match laid.get_mut(b as usize) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => return Err(format!("b{b} stands twice in the layout")),
            None => return Err(format!("b{b} is no block")),
        }
    }
    for (k, &b) in m.order.iter().enumerate() {
        let body = &m.blocks[b as usize];
        let mut scc = false;
        for (n, placed) in body.insts.iter().enumerate() {
            let before = n.checked_sub(1).map(|n| &body.insts[n].instr);
            instruction(m, placed, before, scc)
                .map_err(|e| format!("b{b}: {e}: {}", disasm::text(&placed.instr, m.isa, m.lanes)))?;
            scc |= placed.instr.defs(m.lanes).any(|d| d.reg == Src::SCC);
        }
        if matches!(body.term, Term::Branch { cond: Cond::Scc0 | Cond::Scc1, .. }) && !scc {
            return Err(format!("b{b}: branches on SCC that nothing set"));
        }
        if let Term::Jump(t) | Term::Branch { target: t, .. } = body.term
            && !laid.get(t as usize).is_some_and(|&seen| seen)
        {
            return Err(format!("b{b}: branches to b{t}, which is not in the layout"));
        }
        let returns = body.insts.last().is_some_and(|p| p.instr.op == i::S_SETPC_B64);
        if returns != (body.term == Term::Return) {
            return Err(format!("b{b}: ends in {:?}", body.term));
        }
        if matches!(body.term, Term::Fall | Term::Branch { .. }) && k + 1 == m.order.len() {
            return Err(format!("b{b}: falls off the end"));
        }
    }
    Ok(())
}

/// `before`: the instruction before in the block. `scc`: something in the block has set SCC.
fn instruction(m: &Machine, placed: &Placed, before: Option<&Instr>, scc: bool) -> Result<(), String> {
    let instr = &placed.instr;
    legal::check(instr, m.isa)?;
    encode::encode(instr, m.isa, &mut Vec::new()).map_err(|e| e.to_string())?;
    let mut implied = *instr;
    implied.imply();
    if implied != *instr {
        return Err("lacks an operand that the encoding implies".into());
    }
    if ends_block(instr) {
        return Err("ends a block within it".into());
    }
    if instr.uses(m.lanes).any(|u| u.reg == Src::SCC) && !scc {
        return Err("reads SCC that nothing set".into());
    }
    for access in instr.uses(m.lanes).chain(instr.defs(m.lanes)) {
        let end = u32::from(access.reg.0) + access.dwords;
        let there = match access.reg {
            r if r.is_vgpr() => end <= 512,
            r if r.0 <= Src::VCC_HI.0 => end <= u32::from(Src::VCC_HI.0) + 1,
            _ => true,
        };
        if !there {
            return Err(format!("{:?} and {} more are not all registers", access.reg, access.dwords - 1));
        }
    }
    if placed.link != Link::None && (instr.op != i::S_ADD_U32 || before.is_none_or(|b| b.op != i::S_GETPC_B64)) {
        return Err("adds a distance to something else than the program counter".into());
    }
    Ok(())
}

/// Only a terminator may be one of these.
fn ends_block(instr: &Instr) -> bool {
    let Sem::Control(control) = instr.op.row().sem else { return false };
    matches!(
        control,
        Control::EndPgm
            | Control::Branch
            | Control::BranchScc0
            | Control::BranchScc1
            | Control::BranchVccz
            | Control::BranchVccnz
            | Control::BranchExecz
            | Control::BranchExecnz
            | Control::CodeEnd
    )
}
