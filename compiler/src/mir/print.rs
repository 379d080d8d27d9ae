//! The text form; [`super::parse`] reads it back. One instruction a line: what it writes, `=`, what it does and reads.
//!
//! ```text
//! mir wave32 {
//!   %s0: 4 dwords
//!   %s7: 2 dwords, align 4, spill_temp
//! b0: depth 1 logical b1 b2 !0:12
//!   %s0@s4, %v1@v0 = p_start
//!   %v2 = v_add_f32 -%v1, |%s0[2]| clamp !0:13
//!   %v3, %v4 = p_copy %v2, 0x5
//!   %s7[0:1] = s_and_saveexec_b64 %s7
//!   buffer_store_dword -, %s0, 0x0, %v3 imm:16 scope:device
//!   branch execz b2
//! }
//! ```
//!
//! A register is `%`, its bank and its number, which counts in both banks; with `[dword]` or `[first:last]` it is a part of
//! one; with `@` it stands where the launch or the allocator has put it (to be said at its first mention). Registers that differ from the ordinary, one dword,
//! are described at the top. `-` is no operand. Blocks stand in the order of the layout.
//!
//! Not in the text: registers that no instruction names, and blocks outside of the layout.

use super::*;
use std::fmt;
use wavepipe_isa::Gen;
use wavepipe_isa::cache::Scope;
use wavepipe_isa::instr::Dpp16;

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mir wave{} ", self.wave.lanes())?;
        if self.isa != Gen::default() {
            write!(f, "{} ", self.isa.name())?;
        }
        writeln!(f, "{{")?;
        let mut named = vec![false; self.regs.len()];
        for part in self.insts().flat_map(|i| i.dst.iter().chain(&i.src)).filter_map(|a| a.part()) {
            if let Some(n) = named.get_mut(part.reg as usize) {
                *n = true;
            }
        }
        for (r, info) in self.regs.iter().enumerate().filter(|(r, _)| named[*r]) {
            let said = described(info);
            if !said.is_empty() {
                writeln!(f, "  %{}{r}: {}", bank(info), said.join(", "))?;
            }
        }
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
            location(f, block.loc)?;
            writeln!(f)?;
            for i in &block.insts {
                write!(f, "  {}", Line(self, i))?;
                location(f, i.loc)?;
                writeln!(f)?;
            }
            match block.term {
                Term::Fall => {}
                Term::Jump(t) => writeln!(f, "  jump b{t}")?,
                Term::Branch { cond, target } => writeln!(f, "  branch {} b{target}", cond.name())?,
                Term::End => writeln!(f, "  end")?,
                Term::Return => writeln!(f, "  return")?,
            }
        }
        writeln!(f, "}}")
    }
}

fn bank(info: &RegInfo) -> char {
    match info.bank {
        Bank::S => 's',
        Bank::V => 'v',
    }
}

/// What differs from an ordinary register, but for its place.
fn described(info: &RegInfo) -> Vec<String> {
    let mut said = Vec::new();
    if info.dwords != 1 {
        said.push(format!("{} dwords", info.dwords));
    }
    if info.align != RegInfo::new(info.bank, info.dwords).align {
        said.push(format!("align {}", info.align));
    }
    for (on, word) in [(info.resident, "resident"), (info.spill_temp, "spill_temp")] {
        if on {
            said.push(word.into());
        }
    }
    said
}

fn location(f: &mut fmt::Formatter<'_>, loc: Loc) -> fmt::Result {
    if loc.line == 0 { Ok(()) } else { write!(f, " !{}:{}", loc.file, loc.line) }
}

/// Prints one instruction in the context of its function.
pub struct Line<'a>(pub &'a Func, pub &'a Inst);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(func, i) = *self;
        for (n, &d) in i.dst.iter().enumerate() {
            f.write_str(if n == 0 { "" } else { ", " })?;
            arg(f, func, d)?;
        }
        f.write_str(if i.dst.is_empty() { "" } else { " = " })?;
        match i.code {
            InstCode::Isa(op) => f.write_str(op.row().name)?,
            InstCode::Pseudo(p) => f.write_str(p.name())?,
        }
        for (n, &s) in i.src.iter().enumerate() {
            f.write_str(if n == 0 { " " } else { ", " })?;
            let bit = 1u8.checked_shl(n as u32).unwrap_or(0);
            f.write_str(if i.mods.neg & bit != 0 { "-" } else { "" })?;
            let bar = if i.mods.abs & bit != 0 { "|" } else { "" };
            f.write_str(bar)?;
            arg(f, func, s)?;
            f.write_str(bar)?;
        }
        let m = &i.mods;
        if i.imm != 0 {
            write!(f, " imm:{}", i.imm)?;
        }
        for (name, value) in [("omod", m.omod), ("op_sel", m.op_sel), ("op_sel_hi", m.op_sel_hi), ("neg_hi", m.neg_hi)]
        {
            if value != 0 {
                write!(f, " {name}:{value}")?;
            }
        }
        f.write_str(if m.clamp { " clamp" } else { "" })?;
        for (name, _) in i.flags.iter_names() {
            write!(f, " {}", name.to_lowercase())?;
        }
        f.write_str(if i.cache.returns { " returns" } else { "" })?;
        if i.cache.scope != Scope::default() {
            write!(f, " scope:{}", i.cache.scope.name())?;
        }
        match i.extra {
            Extra::None => {}
            Extra::Dpp16(Dpp16 { ctrl, row_mask, bank_mask, bound_ctrl, fetch_inactive }) => {
                write!(f, " dpp16:{ctrl:#x} row_mask:{row_mask:#x} bank_mask:{bank_mask:#x}")?;
                f.write_str(if bound_ctrl { " bound_ctrl" } else { "" })?;
                f.write_str(if fetch_inactive { " fi" } else { "" })?;
            }
            Extra::Image(x) => write!(f, " dmask:{:#x} dim:{} addresses:{}", x.dmask, x.dim, x.addresses)?,
            // The validator refuses the others.
            other => write!(f, " {other:?}")?,
        }
        f.write_str(if i.tied { " tied" } else { "" })
    }
}

fn arg(f: &mut fmt::Formatter<'_>, func: &Func, a: Arg) -> fmt::Result {
    match a {
        Arg::None => f.write_str("-"),
        Arg::Phys(s) => f.write_str(&special(s)),
        Arg::Imm(n) => write!(f, "{n:#x}"),
        Arg::Reg(p) => {
            let Some(info) = func.regs.get(p.reg as usize) else { return write!(f, "%?{}", p.reg) };
            write!(f, "%{}{}", bank(info), p.reg)?;
            let last = u32::from(p.sub) + u32::from(p.len).saturating_sub(1);
            match p.len {
                n if n == info.dwords && p.sub == 0 => {}
                1 => write!(f, "[{}]", p.sub)?,
                _ => write!(f, "[{}:{last}]", p.sub)?,
            }
            info.fixed.map_or(Ok(()), |s| write!(f, "@{}", special(s)))
        }
    }
}

/// The name of a machine register.
pub(super) fn special(s: Src) -> String {
    match s {
        s if s.is_vgpr() => format!("v{}", s.vgpr()),
        Src(n) if n < Src::VCC_LO.0 => format!("s{n}"),
        s => disasm::SPECIAL.iter().find(|(r, _)| *r == s).map_or_else(|| format!("src{}", s.0), |r| r.1.into()),
    }
}
