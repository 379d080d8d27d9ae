//! The text form of `mir`: one line an instruction, virtual registers as `%s12` and `%v3[1:2]`.

use super::*;
use std::fmt;

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &b in &self.order {
            let block = &self.blocks[b as usize];
            write!(f, "b{b}:")?;
            if block.loop_depth > 0 {
                write!(f, " depth {}", block.loop_depth)?;
            }
            if !block.logical.is_empty() {
                write!(f, " logical")?;
                for s in &block.logical {
                    write!(f, " b{s}")?;
                }
            }
            writeln!(f)?;
            for i in &block.insts {
                writeln!(f, "    {}", Line(self, i))?;
            }
            match block.term {
                Term::Fall => {}
                Term::Jump(t) => writeln!(f, "    jump b{t}")?,
                Term::Branch { cond, target } => writeln!(f, "    branch {cond:?} b{target}")?,
                Term::End => writeln!(f, "    end")?,
            }
        }
        Ok(())
    }
}

/// Prints one instruction in the context of its function.
pub struct Line<'a>(pub &'a Func, pub &'a Inst);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(func, i) = *self;
        match i.code {
            Code::Isa(op) => f.write_str(op.row().name)?,
            Code::Pseudo(p) => write!(f, "p_{p:?}")?,
        }
        let mut first = true;
        let mut sep = |f: &mut fmt::Formatter<'_>| {
            let s = if std::mem::take(&mut first) { " " } else { ", " };
            f.write_str(s)
        };
        for d in &i.dst {
            sep(f)?;
            arg(f, func, *d)?;
        }
        for (n, s) in i.src.iter().enumerate() {
            match n {
                0 if i.is_pseudo(Pseudo::Copy) => f.write_str(" <- ")?,
                _ => sep(f)?,
            }
            let bit = 1u8.checked_shl(n as u32).unwrap_or(0);
            let (neg, abs) = (i.mods.neg & bit != 0, i.mods.abs & bit != 0);
            if neg {
                f.write_str("-")?;
            }
            if abs {
                f.write_str("|")?;
            }
            arg(f, func, *s)?;
            if abs {
                f.write_str("|")?;
            }
        }
        if i.imm != 0 {
            write!(f, " imm:{}", i.imm)?;
        }
        if i.mods.clamp {
            f.write_str(" clamp")?;
        }
        if !i.flags.is_empty() {
            write!(f, " {:?}", i.flags)?;
        }
        if !matches!(i.extra, Extra::None) {
            write!(f, " {:?}", i.extra)?;
        }
        if i.tied {
            f.write_str(" tied")?;
        }
        Ok(())
    }
}

fn arg(f: &mut fmt::Formatter<'_>, func: &Func, a: Arg) -> fmt::Result {
    match a {
        Arg::None => f.write_str("-"),
        Arg::Phys(s) => write!(f, "{s:?}"),
        Arg::Imm(n) => write!(f, "{:#x}", n),
        Arg::Reg(p) => {
            let info = func.info(p);
            let bank = if info.bank == Bank::S { 's' } else { 'v' };
            write!(f, "%{bank}{}", p.reg)?;
            if p.len != info.dwords {
                if p.len == 1 {
                    write!(f, "[{}]", p.sub)?;
                } else {
                    write!(f, "[{}:{}]", p.sub, p.sub + p.len - 1)?;
                }
            }
            if let Some(s) = info.fixed {
                write!(f, "@{s:?}")?;
            }
            Ok(())
        }
    }
}
