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

#[cfg(test)]
mod tests {
    use super::*;

    /// What the rules say of blocks of assembly.
    fn said(text: &str) -> String {
        let m: Machine = format!("; wave32\n{text}").parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
        validate(&m).err().unwrap_or_default()
    }

    #[test]
    fn each_rule_is_held() {
        assert_eq!(said("b0:\n s_cmp_eq_u32 s0, 0\n s_cbranch_scc1 b1\nb1:\n s_endpgm"), "");
        for (text, wanted) in [
            ("b0:\n s_cbranch_scc1 b1\nb1:\n s_endpgm", "b0: branches on SCC that nothing set"),
            ("b0:\n s_addc_u32 s0, s0, 1\n s_endpgm", "b0: reads SCC that nothing set: s_addc_u32 s0, s0, 1"),
            ("b0:\n s_mov_b32 s0, 0", "b0: falls off the end"),
            ("b0:\n s_endpgm\nb1:\n s_cbranch_vccz b0", "b1: falls off the end"),
            (
                "b0:\n s_add_u32 s0, s0, 16 ; constants\n s_endpgm",
                "b0: adds a distance to something else than the program counter: s_add_u32 s0, s0, 16",
            ),
        ] {
            assert_eq!(said(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_no_text_says_is_found_too() {
        let text = "; wave32\nb0:\n v_add_f32_e32 v0, v1, v2\n s_cbranch_vccz b1\nb1:\n s_endpgm";
        let good: Machine = text.parse().unwrap();
        assert_eq!(validate(&good), Ok(()));
        let broken = |harm: &dyn Fn(&mut Machine)| {
            let mut m = good.clone();
            harm(&mut m);
            validate(&m).err().unwrap_or_default()
        };
        let instr = |harm: &dyn Fn(&mut Instr)| broken(&|m: &mut Machine| harm(&mut m.blocks[0].insts[0].instr));
        for (found, wanted) in [
            (broken(&|m| m.order.push(0)), "b0 stands twice in the layout"),
            (broken(&|m| m.order.push(7)), "b7 is no block"),
            (broken(&|m| m.blocks[0].term = Term::Jump(7)), "b0: branches to b7, which is not in the layout"),
            (instr(&|x| *x = Instr::new(i::S_ENDPGM)), "b0: ends a block within it"),
            (instr(&|x| x.src[1] = Src::s(3)), "b0: v_add_f32: source 1 cannot be s3"),
            (instr(&|x| x.src[0] = Src::NONE), "b0: v_add_f32: source 0 cannot be -"),
        ] {
            assert!(found.starts_with(wanted), "`{found}`, not `{wanted}`");
        }
    }
}
