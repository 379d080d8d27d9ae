//! What a form takes, and which registers an instruction reads and writes.

use crate::instr::{Flags, Form, Instr};
use crate::insts::{self as i, Op};
use crate::layout;
use crate::reg::Src;
use crate::row::{Format, MemKind, Sem, Ty, WaveOp};

/// Literal or scalar operands that one VALU instruction may read on gfx10.
pub const CONSTANT_BUS: usize = 2;

/// Whether the row has this encoding.
pub fn supports(op: Op, form: Form) -> bool {
    let row = op.row();
    if form == Form::Base {
        return true;
    }
    if !matches!(row.format, Format::Vop1 | Format::Vop2 | Format::Vopc) || row.dst.is_empty() {
        return false;
    }
    let only_base = row.src.contains(&Ty::Lit32)
        || matches!(row.sem, Sem::Wave(WaveOp::ReadFirstLane | WaveOp::SwapB32))
        || matches!(op, i::V_SWAPREL_B32 | i::V_PK_FMAC_F16);
    let wide = row.dst.iter().chain(row.src).any(|t| matches!(t, Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64));
    let accumulates = row.format == Format::Vop2 && row.src.contains(&Ty::Old);
    match form {
        _ if only_base => false,
        Form::Base | Form::E64 => true,
        Form::Sdwa => !wide && !accumulates,
        Form::Dpp16 | Form::Dpp8 => !wide && row.format != Format::Vopc && op != i::V_MAC_LEGACY_F32,
    }
}

impl Op {
    /// Whether the row has this encoding.
    pub fn supports(self, form: Form) -> bool {
        supports(self, form)
    }
}

/// What an operand slot may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepts {
    pub vgpr: bool,
    /// Scalar registers and inline constants.
    pub scalar: bool,
    pub constant: bool,
    pub literal: bool,
}

/// What source `n` of a row may hold in a form. Slots without bits accept nothing.
pub fn accepts(op: Op, form: Form, n: usize) -> Accepts {
    let row = op.row();
    let none = Accepts { vgpr: false, scalar: false, constant: false, literal: false };
    let vgpr = Accepts { vgpr: true, ..none };
    let any = Accepts { vgpr: true, scalar: true, constant: true, literal: true };
    let Some(&ty) = row.src.get(n) else { return none };
    if !layout::encoded(row, form, ty) {
        return none;
    }
    let nth = row.src[..n].iter().filter(|&&t| layout::encoded(row, form, t)).count();
    match row.format {
        // Addresses to jump to, and relative registers.
        Format::Sop1 if row.dst.is_empty() || row.sem == Sem::Wave(WaveOp::MovrelS) => Accepts { scalar: true, ..none },
        Format::Sop1 | Format::Sop2 | Format::Sopc => Accepts { vgpr: false, ..any },
        Format::Sopk => Accepts { scalar: true, ..none },
        Format::Smem => Accepts { scalar: true, ..none },
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p => match form {
            _ if matches!(ty, Ty::Vcc | Ty::Mask) => Accepts { scalar: true, ..none },
            Form::Dpp16 | Form::Dpp8 => vgpr,
            _ if matches!(row.sem, Sem::Wave(WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2)) => vgpr,
            Form::Sdwa => Accepts { literal: false, ..any },
            _ => match (row.sem, nth) {
                (Sem::Wave(WaveOp::SwapB32 | WaveOp::ReadFirstLane | WaveOp::ReadLane), 0) => vgpr,
                (Sem::Wave(WaveOp::Permlane16 | WaveOp::Permlanex16), 0) => vgpr,
                (Sem::Wave(WaveOp::ReadLane | WaveOp::WriteLane), 1) => Accepts { vgpr: false, literal: false, ..any },
                // Four-register and relative sources have no scalar path.
                _ if ty == Ty::B128 || op == i::V_SWAPREL_B32 => vgpr,
                (Sem::Wave(WaveOp::ReadLane | WaveOp::WriteLane | WaveOp::Permlane16 | WaveOp::Permlanex16), _) => {
                    Accepts { vgpr: false, ..any }
                }
                (_, 1) if form == Form::Base && matches!(row.format, Format::Vop2 | Format::Vopc) => vgpr,
                _ => any,
            },
        },
        Format::Ds => vgpr,
        Format::Flat | Format::Global | Format::Scratch => match ty {
            Ty::SAddr64 | Ty::SAddr32 => Accepts { scalar: true, ..none },
            _ => vgpr,
        },
        Format::Mubuf | Format::Mtbuf | Format::Mimg | Format::Vintrp | Format::Exp => match ty {
            Ty::SOffset => Accepts { scalar: true, constant: true, ..none },
            Ty::Rsrc => Accepts { scalar: true, ..none },
            _ => vgpr,
        },
        Format::Sopp => none,
    }
}

/// Checks forms, operand kinds, the constant bus and modifiers. The message says what is wrong.
pub fn check(instr: &Instr) -> Result<(), String> {
    let row = instr.op.row();
    let fail = |what: String| Err(format!("{}: {what}", row.name));
    if !supports(instr.op, instr.form) {
        return fail(format!("has no {:?} form", instr.form));
    }
    for (n, &ty) in row.src.iter().enumerate().take(4) {
        if !layout::encoded(row, instr.form, ty) {
            continue;
        }
        let src = instr.src[n];
        let ok = accepts(instr.op, instr.form, n);
        let optional = matches!(ty, Ty::SAddr64 | Ty::SAddr32)
            || ty == Ty::SOffset && row.format == Format::Smem
            || ty == Ty::Addr32 && row.format == Format::Scratch
            || ty == Ty::Addr32 && !instr.flags.intersects(Flags::OFFEN | Flags::IDXEN) && row.format == Format::Mubuf;
        let fits = match src {
            Src::NONE => optional,
            Src::LITERAL => ok.literal,
            s if s.is_vgpr() => ok.vgpr,
            // LDS direct reads like a VGPR.
            Src(254) => ok.vgpr || ok.scalar,
            Src(128..=208 | 240..=248) => ok.constant,
            _ => ok.scalar,
        };
        if !fits {
            return fail(format!("source {n} cannot be {src:?} in the {:?} form", instr.form));
        }
        if let Err(what) = tuple(src, ty, crate::disasm::dwords(instr, ty, 64)) {
            return fail(format!("source {n} {what}"));
        }
    }
    for (n, &ty) in row.dst.iter().enumerate().take(2) {
        if layout::encoded(row, instr.form, ty)
            && let Err(what) = tuple(instr.dst[n], ty, crate::disasm::dwords(instr, ty, 64))
        {
            return fail(format!("destination {n} {what}"));
        }
    }
    if matches!(row.format, Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p) {
        let mut bus: Vec<Src> = Vec::new();
        for (n, &ty) in row.src.iter().enumerate().take(4) {
            let implied = matches!(ty, Ty::Vcc | Ty::Lit32);
            if !implied && !layout::encoded(row, instr.form, ty) {
                continue;
            }
            let src = match ty {
                Ty::Lit32 => Src::LITERAL,
                Ty::Vcc if !layout::encoded(row, instr.form, ty) => Src::VCC_LO,
                _ => instr.src[n],
            };
            let uses = src.is_sgpr() || matches!(src.0, 235..=239 | 251..=255);
            if uses && !bus.contains(&src) {
                bus.push(src);
            }
        }
        // 64-bit shifts have one port.
        let ports = match instr.op {
            i::V_LSHLREV_B64 | i::V_LSHRREV_B64 | i::V_ASHRREV_I64 => 1,
            _ => CONSTANT_BUS,
        };
        if bus.len() > ports {
            return fail(format!("reads {} scalar values, of {ports} that the constant bus carries", bus.len()));
        }
    }
    if row.src.first() == Some(&Ty::Rsrc) && row.format == Format::Smem && instr.imm < 0 {
        return fail("a buffer's offset is unsigned".into());
    }
    let atomic = matches!(row.sem, Sem::Mem(_, MemKind::Atomic { .. }));
    if row.format == Format::Mubuf && atomic && instr.flags.contains(Flags::DLC) {
        return fail("a buffer atomic has no dlc".into());
    }
    let float = |t: &Ty| matches!(t, Ty::F16 | Ty::F32 | Ty::F64 | Ty::PkF16 | Ty::Mix);
    // An integer beside a float may be negated: LLVM writes sext(…).
    if instr.mods.neg | instr.mods.abs != 0 && row.format != Format::Vop3p && !row.src.iter().any(float) {
        return fail("takes no negation or absolute value".into());
    }
    Ok(())
}

/// A tuple must begin where the hardware can name it, and end inside of the file.
fn tuple(first: Src, ty: Ty, dwords: u32) -> Result<(), String> {
    if first.is_vgpr() && first.vgpr() + dwords > 256 {
        return Err("runs past v255".into());
    }
    let align = match dwords {
        0 | 1 => 1,
        2 => 2,
        _ => 4,
    };
    // A mask is one register in wave32.
    if first.0 < 106 && !matches!(ty, Ty::Mask | Ty::Vcc) {
        if !first.0.is_multiple_of(align) {
            return Err(format!("must begin at a multiple of {align} SGPRs"));
        }
        if u32::from(first.0) + dwords > 108 {
            return Err("runs past VCC".into());
        }
    }
    Ok(())
}

/// A register range that an instruction reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// First register; [`Src::SCC`] for SCC.
    pub reg: Src,
    /// Dwords; 0 for SCC.
    pub dwords: u32,
    pub ty: Ty,
}

impl Instr {
    /// Registers that the instruction writes, implicit ones too. VALU instructions also depend on EXEC, which is not listed.
    pub fn defs(&self, lanes: u32) -> impl Iterator<Item = Access> + '_ {
        let row = self.op.row();
        let swap = (row.sem == Sem::Wave(WaveOp::SwapB32)).then_some((self.src[0], Ty::B32));
        row.dst
            .iter()
            .enumerate()
            .map(move |(n, &ty)| (self.resolved(self.dst.get(n).copied().unwrap_or(Src::NONE), ty), ty))
            .chain(swap)
            .filter_map(move |(reg, ty)| self.access(reg, ty, lanes))
    }

    /// Registers that the instruction reads, implicit ones too; constants are left out.
    pub fn uses(&self, lanes: u32) -> impl Iterator<Item = Access> + '_ {
        let row = self.op.row();
        let swap = (row.sem == Sem::Wave(WaveOp::SwapB32)).then_some((self.dst[0], Ty::B32));
        row.src
            .iter()
            .enumerate()
            .map(move |(n, &ty)| (self.resolved(self.src[n], ty), ty))
            .chain(swap)
            .filter_map(move |(reg, ty)| self.access(reg, ty, lanes))
    }

    fn resolved(&self, reg: Src, ty: Ty) -> Src {
        match ty {
            Ty::Scc => Src::SCC,
            Ty::Exec => Src::EXEC_LO,
            Ty::M0 => Src::M0,
            Ty::Vcc if reg == Src::NONE => Src::VCC_LO,
            Ty::Old => self.dst[0],
            _ => reg,
        }
    }

    fn access(&self, reg: Src, ty: Ty, lanes: u32) -> Option<Access> {
        let row = self.op.row();
        let register = reg.is_vgpr() || reg.is_sgpr() || reg == Src::SCC;
        let dwords = match ty {
            Ty::Old => row.dst.first().map_or(1, |t| t.dwords(lanes)),
            // A mask that S_*_SAVEEXEC_B64 writes is 64 bits wide whatever the wave.
            Ty::Exec if matches!(row.sem, Sem::SaveExec | Sem::WriteExec) => row.src[0].dwords(lanes),
            _ => crate::disasm::dwords(self, ty, lanes),
        };
        (register && !matches!(ty, Ty::Imm16 | Ty::Lit32 | Ty::Unused)).then_some(Access { reg, dwords, ty })
    }

    /// Whether the instruction reads or writes memory, LDS included.
    pub fn is_memory(&self) -> bool {
        matches!(self.op.row().sem, Sem::Mem(_, k) if !matches!(k, MemKind::Clock { .. } | MemKind::Invalidate))
    }
}
