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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_held() {
        let said = |body: &str| {
            let text = format!("mir wave32 {{\n %s0: 2 dwords\n{body}\n}}");
            validate(&text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))).err().unwrap_or_default()
        };
        assert_eq!(said("b0:\n s_cmp_eq_u32 %s0[0], %s0[1]\n branch scc1 b0\nb1:\n end"), "");
        for (body, wanted) in [
            ("b0:\n branch scc0 b0\nb1:\n end", "b0: branches on SCC that nothing set"),
            ("b0:\n %s1 = s_cselect_b32 0x1, 0x2\n end", "b0: reads SCC that nothing set"),
            (
                "b0:\n s_cmp_eq_u32 %s0[0], %s0[1]\n %s0 = p_const_address\n branch scc1 b0\nb1:\n end",
                "b0: branches on SCC that nothing set",
            ),
            ("b0:\n %s1 = s_add_u32 %v2, 0x2\n end", "b0: vector register on the scalar unit"),
            ("b0:\n %s1, %s2 = p_copy 0x2\n end", "b0: uneven copy"),
            ("b0:\n %s1 = p_copy 0x2", "b0: falls off the end"),
        ] {
            let found = said(body);
            assert!(found.starts_with(wanted), "`{found}`, not `{wanted}`: {body}");
        }
        let mut f: Func = "mir wave32 {\nb0:\n p_keep %s0\n end\n}".parse().unwrap();
        f.blocks[0].insts[0].src[0] = Part { reg: 0, sub: 1, len: 1 }.into();
        assert!(validate(&f).unwrap_err().contains("part outside of its register"));
        f.blocks[0].insts[0].src[0] = Part { reg: 7, sub: 0, len: 1 }.into();
        assert!(validate(&f).unwrap_err().contains("part outside of its register"));
        f.blocks[0].insts[0].src.clear();
        f.blocks[0].insts[0].extra = Extra::Format(1);
        assert!(validate(&f).unwrap_err().contains("an encoding that mir does not have"));
    }
}
