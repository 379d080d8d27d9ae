//! The text form: assembly, a label a block. What assembly has no words for stands behind `;`, in this order: `constants`,
//! where the distance to the constants is added to the literal, or `function N`, that to a function; `!FILE:LINE`, the
//! place in the source. What is called says so behind the wave size; where a kernel and its functions are together, the
//! functions' first blocks stand there.
//!
//! ```text
//! ; wave32
//! b0:
//!     s_getpc_b64 s[4:5]
//!     s_add_u32 s4, s4, 0x10 ; constants !0:12
//!     s_cbranch_execz b2
//! b1:
//!     s_endpgm
//! ```

use super::{Link, Machine, Placed};
use crate::ir::Loc;
use crate::mir::{Cond, Term};
use std::fmt;
use wavepipe_isa::{Gen, Op, disasm, insts as i};

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "; wave{}", self.lanes)?;
        if self.isa != Gen::default() {
            write!(f, " {}", self.isa.name())?;
        }
        f.write_str(if self.called { " called" } else { "" })?;
        f.write_str(if self.functions.is_empty() { "" } else { " functions" })?;
        self.functions.iter().try_for_each(|b| write!(f, " b{b}"))?;
        writeln!(f)?;
        for &b in &self.order {
            let body = &self.blocks[b as usize];
            writeln!(f, "b{b}:{}", Comment { link: Link::None, loc: body.loc })?;
            for &Placed { instr, loc, link } in &body.insts {
                let text = disasm::text(&instr, self.isa, self.lanes);
                writeln!(f, "    {text}{}", Comment { link, loc })?;
            }
            match body.term {
                Term::Fall | Term::Return => {}
                Term::End => writeln!(f, "    s_endpgm")?,
                Term::Jump(t) => writeln!(f, "    s_branch b{t}")?,
                Term::Branch { cond, target } => writeln!(f, "    {} b{target}", branch(cond).row().name)?,
            }
        }
        Ok(())
    }
}

/// The instruction that branches if `cond` holds.
pub fn branch(cond: Cond) -> Op {
    match cond {
        Cond::Scc0 => i::S_CBRANCH_SCC0,
        Cond::Scc1 => i::S_CBRANCH_SCC1,
        Cond::Vccz => i::S_CBRANCH_VCCZ,
        Cond::Vccnz => i::S_CBRANCH_VCCNZ,
        Cond::Execz => i::S_CBRANCH_EXECZ,
        Cond::Execnz => i::S_CBRANCH_EXECNZ,
    }
}

struct Comment {
    link: Link,
    loc: Loc,
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.link == Link::None && self.loc.line == 0 {
            return Ok(());
        }
        f.write_str(" ;")?;
        match self.link {
            Link::None => {}
            Link::Constants => f.write_str(" constants")?,
            Link::Function(n) => write!(f, " function {n}")?,
        }
        if self.loc.line != 0 {
            write!(f, " !{}:{}", self.loc.file, self.loc.line)?;
        }
        Ok(())
    }
}
