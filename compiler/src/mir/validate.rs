//! Rules of mir.

use super::print::Line;
use super::*;
use crate::inspect::{Form, lost, same_text};
use wavepipe_isa::row::{Format, Ty};

impl Form for Func {
    const NAME: &'static str = "mir";

    fn validate(&self) -> Result<(), String> {
        validate(self)
    }

    fn reads_back(&self) -> Result<(), String> {
        let text = self.to_string();
        let read = text.parse::<Func>().map_err(|e| e.to_string())?;
        same_text(&text, &read)?;
        if read == self.as_text() {
            return Ok(());
        }
        let whole = |f: &Func| format!("{:?} {:?} {:?}", f.blocks, f.order, f.regs);
        lost(&whole(&self.as_text()), &whole(&read))
    }
}

/// The first rule that is broken, with the instruction.
pub fn validate(f: &Func) -> Result<(), String> {
    for (k, &b) in f.order.iter().enumerate() {
        let block = &f.blocks[b as usize];
        let mut scc = false;
        for inst in &block.insts {
            let fail = |what: &str| Err(format!("b{b}: {what}: {}", Line(f, inst)));
            for p in inst.uses().chain(inst.defs()) {
                if f.regs.get(p.reg as usize).is_none_or(|r| p.sub + p.len > r.dwords) {
                    return fail("part outside of its register");
                }
            }
            if !matches!(inst.extra, Extra::None | Extra::Dpp16(_) | Extra::Image(_)) {
                return fail("an encoding that mir does not have");
            }
            match inst.code {
                InstCode::Pseudo(Pseudo::ConstAddress | Pseudo::Call) => scc = false,
                InstCode::Pseudo(Pseudo::Copy) if inst.dst.len() != inst.src.len() => return fail("uneven copy"),
                InstCode::Pseudo(_) => {}
                InstCode::Isa(op) => {
                    let row = op.row();
                    if row.src.contains(&Ty::Scc) && !scc {
                        return fail("reads SCC that nothing set");
                    }
                    scc |= row.dst.contains(&Ty::Scc);
                    let scalar = matches!(row.format, Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Smem);
                    let vector = |a: &Arg| matches!(a, Arg::Reg(p) if f.info(*p).bank == Bank::V);
                    if scalar && inst.src.iter().chain(&inst.dst).any(vector) {
                        return fail("vector register on the scalar unit");
                    }
                }
            }
        }
        if matches!(block.term, Term::Branch { cond: Cond::Scc0 | Cond::Scc1, .. }) && !scc {
            return Err(format!("b{b}: branches on SCC that nothing set"));
        }
        let returns = block.insts.last().is_some_and(|i| i.is_pseudo(Pseudo::Return));
        if returns != (block.term == Term::Return) {
            return Err(format!("b{b}: ends in {:?}", block.term));
        }
        if matches!(block.term, Term::Fall | Term::Branch { .. }) && k + 1 == f.order.len() {
            return Err(format!("b{b}: falls off the end"));
        }
    }
    Ok(())
}
