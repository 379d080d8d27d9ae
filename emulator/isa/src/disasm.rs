//! Instruction → text, in LLVM's spelling.

use std::fmt::Write;

use crate::Gen;
use crate::encode;
use crate::instr::{Extra, Flags, Form, Instr};
use crate::layout;
use crate::legal;
use crate::reg::Src;
use crate::row::{Control, Format, MemKind, Sem, Space, Ty, WaveOp};

/// Names that stand for registers and constants of one dword.
pub(crate) const SPECIAL: &[(Src, &str)] = &[
    (Src::VCC_LO, "vcc_lo"),
    (Src::VCC_HI, "vcc_hi"),
    (Src::M0, "m0"),
    (Src::NULL, "null"),
    (Src::EXEC_LO, "exec_lo"),
    (Src::EXEC_HI, "exec_hi"),
    (Src::SHARED_BASE, "src_shared_base"),
    (Src::SHARED_LIMIT, "src_shared_limit"),
    (Src::PRIVATE_BASE, "src_private_base"),
    (Src::PRIVATE_LIMIT, "src_private_limit"),
    (Src::POPS_EXITING_WAVE_ID, "src_pops_exiting_wave_id"),
    (Src::VCCZ, "src_vccz"),
    (Src::EXECZ, "src_execz"),
    (Src::SCC, "src_scc"),
    (Src(254), "src_lds_direct"),
];
/// Inline floats from source 240.
pub(crate) const FLOATS: [&str; 9] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"];
pub(crate) const INV_2PI_64: &str = "0.15915494309189532";
pub(crate) const SDWA_SELECTS: [&str; 7] = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];
pub(crate) const SDWA_UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
pub(crate) const OMODS: [&str; 4] = ["", "mul:2", "mul:4", "div:2"];
/// Hardware registers of S_GETREG and S_SETREG.
pub(crate) const HWREGS: &[(u32, &str)] = &[
    (1, "HW_REG_MODE"),
    (2, "HW_REG_STATUS"),
    (3, "HW_REG_TRAPSTS"),
    (5, "HW_REG_GPR_ALLOC"),
    (6, "HW_REG_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (15, "HW_REG_SH_MEM_BASES"),
    (16, "HW_REG_TBA_LO"),
    (17, "HW_REG_TBA_HI"),
    (18, "HW_REG_TMA_LO"),
    (19, "HW_REG_TMA_HI"),
    (20, "HW_REG_FLAT_SCR_LO"),
    (21, "HW_REG_FLAT_SCR_HI"),
    (22, "HW_REG_XNACK_MASK"),
    (23, "HW_REG_HW_ID1"),
    (24, "HW_REG_HW_ID2"),
    (25, "HW_REG_POPS_PACKER"),
];
/// Messages of S_SENDMSG without an operation.
pub(crate) const MESSAGES: &[(u32, &str)] = &[
    (1, "MSG_INTERRUPT"),
    (4, "MSG_SAVEWAVE"),
    (5, "MSG_STALL_WAVE_GEN"),
    (6, "MSG_HALT_WAVES"),
    (7, "MSG_ORDERED_PS_DONE"),
    (8, "MSG_EARLY_PRIM_DEALLOC"),
    (9, "MSG_GS_ALLOC_REQ"),
    (10, "MSG_GET_DOORBELL"),
    (11, "MSG_GET_DDID"),
];
const MSG_GS: u32 = 2;
const MSG_GS_DONE: u32 = 3;
const MSG_SYSMSG: u32 = 15;
pub(crate) const GS_OPS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];
pub(crate) const SYSMSG_OPS: [&str; 5] =
    ["", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"];

/// The instruction as LLVM 19 prints it. `lanes` is 32 or 64.
pub fn text(instr: &Instr, generation: Gen, lanes: u32) -> String {
    let Gen::Gfx1010 = generation;
    let mut out = mnemonic(instr);
    let operands = operands(instr, lanes);
    for (i, operand) in operands.iter().enumerate() {
        out.push_str(if i == 0 { " " } else { ", " });
        out.push_str(operand);
    }
    modifiers(instr, &mut out);
    out
}

/// One line per instruction of a program, with byte offsets and code words; what does not decode stands as `.long`.
pub fn listing(words: &[u32], generation: Gen, lanes: u32) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < words.len() {
        let (line, size) = match crate::decode::decode(&words[at..], generation) {
            Ok((instr, size)) => (text(&instr, generation, lanes), size),
            Err(_) => (format!(".long {:#010x}", words[at]), 1),
        };
        let hex: Vec<String> = words[at..at + size].iter().map(|w| format!("{w:08x}")).collect();
        let _ = writeln!(out, "{line:<60} // {:06x}: {}", 4 * at, hex.join(" "));
        at += size;
    }
    out
}

fn mnemonic(instr: &Instr) -> String {
    let row = instr.op.row();
    let mut name = row.name.to_string();
    if legal::supports(instr.op, Form::E64) {
        name.push_str(match instr.form {
            Form::Base if row.format == Format::Vop3 => "",
            Form::Base => "_e32",
            Form::E64 => "_e64",
            Form::Sdwa => "_sdwa",
            Form::Dpp16 | Form::Dpp8 => "_dpp",
        });
    }
    name
}

/// A register tuple or constant, read as `ty`.
pub(crate) fn register(src: Src, dwords: u32, ty: Ty, literal: u32) -> String {
    let range = |prefix: &str, n: u32| match dwords {
        0 | 1 => format!("{prefix}{n}"),
        d => format!("{prefix}[{n}:{}]", n + d - 1),
    };
    match src {
        Src::NONE => "off".into(),
        s if s.is_vgpr() => range("v", s.vgpr()),
        Src(n) if n < 106 => range("s", n.into()),
        Src::VCC_LO if dwords == 2 => "vcc".into(),
        Src::EXEC_LO if dwords == 2 => "exec".into(),
        Src(n @ 108..=123) => range("ttmp", u32::from(n) - 108),
        Src::LITERAL => match ty {
            Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 => format!("{:#x}", literal & 0xffff),
            _ => format!("{literal:#x}"),
        },
        Src(n @ 128..=192) => (n - 128).to_string(),
        Src(n @ 193..=208) => format!("-{}", n - 192),
        Src::INV_2PI if matches!(ty, Ty::F64 | Ty::B64 | Ty::U64 | Ty::I64 | Ty::Mask | Ty::Addr64) && dwords == 2 => {
            INV_2PI_64.into()
        }
        Src(n @ 240..=248) => FLOATS[usize::from(n) - 240].into(),
        s => SPECIAL.iter().find(|(r, _)| *r == s).map_or_else(|| format!("src{}", s.0), |(_, n)| (*n).into()),
    }
}

/// Whether an operand of the row stands in the text, though it may not be in the bits.
pub(crate) fn printed(instr: &Instr, ty: Ty) -> bool {
    let row = instr.op.row();
    match ty {
        Ty::Vcc => matches!(row.format, Format::Vop2 | Format::Vopc),
        Ty::Unused => false,
        Ty::Imm16 => !matches!((row.sem, instr.imm), (Sem::Control(Control::EndPgm), 0)),
        _ => !ty.implicit(),
    }
}

/// Dwords of an operand as text shows it: addresses depend on the instruction.
pub(crate) fn dwords(instr: &Instr, ty: Ty, lanes: u32) -> u32 {
    let row = instr.op.row();
    match ty {
        Ty::Addr64 if row.format == Format::Global && instr.src[1] != Src::NONE => 1,
        Ty::Addr32 if row.format == Format::Mubuf && instr.flags.contains(Flags::OFFEN | Flags::IDXEN) => 2,
        _ => ty.dwords(lanes),
    }
}

/// What stands at one place of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Dst(usize),
    Src(usize),
}

/// The operands in the order of the text. Flags must be set; registers need not be.
pub(crate) fn text_order(instr: &Instr) -> Vec<Operand> {
    let row = instr.op.row();
    let memory = matches!(row.format, Format::Flat | Format::Global | Format::Scratch | Format::Mubuf);
    let no_dst = memory && encode::may_lack_dst(instr) || row.format == Format::Mubuf && atomic(instr);
    let mut out: Vec<Operand> =
        (0..row.dst.len().min(2)).filter(|&i| printed(instr, row.dst[i]) && !no_dst).map(Operand::Dst).collect();
    let sources = (0..row.src.len().min(4)).filter(|&i| printed(instr, row.src[i])).map(Operand::Src);
    let at = out.len();
    out.extend(sources);
    // A buffer's data comes first; global and scratch data before the scalar address.
    match row.format {
        Format::Mubuf if out.contains(&Operand::Src(3)) => out.rotate_right(1),
        Format::Global | Format::Scratch if out[at..].len() == 3 => out.swap(at + 1, at + 2),
        _ => {}
    }
    out
}

fn atomic(instr: &Instr) -> bool {
    matches!(instr.op.row().sem, Sem::Mem(_, MemKind::Atomic { .. }))
}

fn operands(instr: &Instr, lanes: u32) -> Vec<String> {
    let row = instr.op.row();
    let one = |operand| match operand {
        Operand::Dst(i) => {
            let status = u32::from(instr.flags.contains(Flags::TFE));
            register(instr.dst[i], dwords(instr, row.dst[i], lanes) + status, row.dst[i], 0)
        }
        Operand::Src(1) if row.format == Format::Smem => scalar_offset(instr),
        Operand::Src(i) => match row.src[i] {
            Ty::Imm16 => immediate(instr),
            Ty::Lit32 if row.format == Format::Sopk => {
                register(Src::inline(instr.literal).unwrap_or(Src::LITERAL), 1, Ty::B32, instr.literal)
            }
            Ty::Lit32 => {
                register(Src::LITERAL, 1, if row.dst[0] == Ty::F16 { Ty::F16 } else { Ty::B32 }, instr.literal)
            }
            ty => modified(instr, i, register(instr.src[i], dwords(instr, ty, lanes), ty, instr.literal)),
        },
    };
    text_order(instr).into_iter().map(one).collect()
}

fn scalar_offset(instr: &Instr) -> String {
    let hex = |v: i32| if v < 0 { format!("-{:#x}", -i64::from(v)) } else { format!("{v:#x}") };
    match (instr.src[1], instr.imm) {
        (Src::NONE, 0) => "null".into(),
        (Src::NONE, imm) => hex(imm),
        (src, 0) => register(src, 1, Ty::B32, 0),
        (src, imm) => format!("{} offset:{}", register(src, 1, Ty::B32, 0), hex(imm)),
    }
}

/// Puts the source's modifiers around its text.
fn modified(instr: &Instr, i: usize, text: String) -> String {
    let row = instr.op.row();
    let m = instr.mods;
    // The i-th modifier bit belongs to the i-th encoded source, which are the first ones of each row.
    let bit = |mask: u8| mask >> i & 1 != 0;
    let mixes = row.src.first() == Some(&Ty::Mix);
    let (neg, abs) = match row.format {
        Format::Vop3p if mixes => (bit(m.neg), bit(m.neg_hi)),
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 => (bit(m.neg), bit(m.abs)),
        _ => (false, false),
    };
    if let Extra::Sdwa(s) = instr.extra
        && s.sext >> i & 1 != 0
    {
        return format!("sext({text})");
    }
    let constant = matches!(instr.src[i].0, 128..=208 | 240..=248) || instr.src[i] == Src::LITERAL;
    let float = matches!(row.src[i], Ty::F16 | Ty::F32 | Ty::F64 | Ty::Mix);
    match (neg, abs) {
        (false, false) => text,
        (true, false) if !float => format!("sext({text})"),
        (true, false) if constant => format!("neg({text})"),
        (true, false) => format!("-{text}"),
        (false, true) => format!("|{text}|"),
        (true, true) => format!("-|{text}|"),
    }
}

/// A small number as decimal, any other as hexadecimal.
fn short(v: u32) -> String {
    if v <= 64 { v.to_string() } else { format!("{v:#x}") }
}

fn immediate(instr: &Instr) -> String {
    let row = instr.op.row();
    let v = instr.imm as u32 & 0xffff;
    match row.sem {
        Sem::Control(Control::GetReg | Control::SetReg | Control::SetRegImm32) => hwreg(v),
        Sem::Control(Control::Waitcnt) => waitcnt(v),
        Sem::Control(Control::SendMsg | Control::SendMsgHalt) => message(v),
        Sem::Control(
            Control::Branch
            | Control::BranchScc0
            | Control::BranchScc1
            | Control::BranchVccz
            | Control::BranchVccnz
            | Control::BranchExecz
            | Control::BranchExecnz
            | Control::BranchDebug(_)
            | Control::Call
            | Control::SubvectorBegin
            | Control::SubvectorEnd
            | Control::EndPgm,
        ) => v.to_string(),
        Sem::Control(
            Control::Nop | Control::Sleep | Control::SetPrio | Control::SetKill | Control::SetHalt | Control::Trap,
        ) if row.format == Format::Sopp => match row.opcode {
            0x23 => depctr(v),
            0x28 => format!("{v:#x}"),
            _ => short(v),
        },
        _ => format!("{v:#x}"),
    }
}

fn hwreg(v: u32) -> String {
    let (id, offset, size) = (v & 63, v >> 6 & 31, (v >> 11 & 31) + 1);
    let name = HWREGS.iter().find(|(n, _)| *n == id).map_or_else(|| id.to_string(), |(_, n)| (*n).to_string());
    if offset == 0 && size == 32 { format!("hwreg({name})") } else { format!("hwreg({name}, {offset}, {size})") }
}

fn waitcnt(v: u32) -> String {
    let (vm, exp, lgkm) = (v & 15 | v >> 10 & 0x30, v >> 4 & 7, v >> 8 & 0x3f);
    let all = vm == 63 && exp == 7 && lgkm == 63;
    let mut parts = Vec::new();
    if vm != 63 || all {
        parts.push(format!("vmcnt({vm})"));
    }
    if exp != 7 || all {
        parts.push(format!("expcnt({exp})"));
    }
    if lgkm != 63 || all {
        parts.push(format!("lgkmcnt({lgkm})"));
    }
    parts.join(" ")
}

/// Fields of S_WAITCNT_DEPCTR: name, low bit, width; each at its highest value waits for nothing.
pub(crate) const DEPCTR: [(&str, u32, u32); 6] = [
    ("depctr_sa_sdst", 0, 1),
    ("depctr_va_vdst", 12, 4),
    ("depctr_va_sdst", 9, 3),
    ("depctr_va_ssrc", 8, 1),
    ("depctr_va_vcc", 1, 1),
    ("depctr_vm_vsrc", 2, 3),
];

fn depctr(v: u32) -> String {
    let used: u32 = DEPCTR.iter().map(|(_, low, width)| ((1 << width) - 1) << low).sum();
    if v & !used != 0 {
        return format!("{v:#x}");
    }
    let all = v & used == used;
    let parts: Vec<String> = DEPCTR
        .iter()
        .map(|&(name, low, width)| (name, v >> low & ((1 << width) - 1), (1 << width) - 1))
        .filter(|&(_, value, top)| all || value != top)
        .map(|(name, value, _)| format!("{name}({value})"))
        .collect();
    parts.join(" ")
}

fn message(v: u32) -> String {
    let (id, op, stream) = (v & 15, v >> 4 & 7, v >> 8 & 3);
    if v & !0x37f != 0 {
        return v.to_string();
    }
    if let Some((_, name)) = MESSAGES.iter().find(|(n, _)| *n == id)
        && op == 0
        && stream == 0
    {
        return format!("sendmsg({name})");
    }
    let gs = id == MSG_GS || id == MSG_GS_DONE;
    let name = if id == MSG_GS { "MSG_GS" } else { "MSG_GS_DONE" };
    match (id, op) {
        (MSG_GS_DONE, 0) if stream == 0 => format!("sendmsg({name}, {})", GS_OPS[0]),
        (_, 1..=3) if gs => format!("sendmsg({name}, {}, {stream})", GS_OPS[op as usize]),
        (MSG_SYSMSG, 1..=4) if stream == 0 => format!("sendmsg(MSG_SYSMSG, {})", SYSMSG_OPS[op as usize]),
        _ => format!("sendmsg({id}, {op}, {stream})"),
    }
}

fn modifiers(instr: &Instr, out: &mut String) {
    let row = instr.op.row();
    let m = instr.mods;
    let sources = row.src.iter().filter(|&&t| layout::encoded(row, instr.form, t)).count();
    let list = |mask: u8, n: usize| (0..n).map(|i| (mask >> i & 1).to_string()).collect::<Vec<_>>().join(",");
    match row.format {
        Format::Vop3p => {
            if m.op_sel != 0 {
                let _ = write!(out, " op_sel:[{}]", list(m.op_sel, sources));
            }
            let default = if row.src.first() == Some(&Ty::Mix) { 0 } else { (1u8 << sources) - 1 };
            if m.op_sel_hi != default {
                let _ = write!(out, " op_sel_hi:[{}]", list(m.op_sel_hi, sources));
            }
            if row.src.first() != Some(&Ty::Mix) {
                if m.neg != 0 {
                    let _ = write!(out, " neg_lo:[{}]", list(m.neg, sources));
                }
                if m.neg_hi != 0 {
                    let _ = write!(out, " neg_hi:[{}]", list(m.neg_hi, sources));
                }
            }
        }
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 if m.op_sel != 0 => {
            let permlane = matches!(row.sem, Sem::Wave(WaveOp::Permlane16 | WaveOp::Permlanex16));
            let n = if permlane { 2 } else { sources };
            let mut text = list(m.op_sel, n);
            if !permlane {
                let _ = write!(text, ",{}", m.op_sel >> 3 & 1);
            }
            let _ = write!(out, " op_sel:[{text}]");
        }
        _ => {}
    }
    if m.clamp {
        out.push_str(" clamp");
    }
    if m.omod != 0 {
        let _ = write!(out, " {}", OMODS[usize::from(m.omod & 3)]);
    }
    let binary = row.format != Format::Vop1;
    match instr.extra {
        Extra::None | Extra::Image(_) | Extra::Format(_) | Extra::Export(_) | Extra::Interp { .. } => {}
        Extra::Sdwa(s) => {
            let select = |v: u8| SDWA_SELECTS.get(usize::from(v)).copied().unwrap_or("?");
            if row.format != Format::Vopc {
                let unused = SDWA_UNUSED.get(usize::from(s.dst_unused)).copied().unwrap_or("?");
                let _ = write!(out, " dst_sel:{} dst_unused:{unused}", select(s.dst_sel));
            }
            let _ = write!(out, " src0_sel:{}", select(s.src0_sel));
            if binary {
                let _ = write!(out, " src1_sel:{}", select(s.src1_sel));
            }
        }
        Extra::Dpp8 { selects, fetch_inactive } => {
            let lanes: Vec<String> = (0..8).map(|i| (selects >> (3 * i) & 7).to_string()).collect();
            let _ = write!(out, " dpp8:[{}]", lanes.join(","));
            if fetch_inactive {
                out.push_str(" fi:1");
            }
        }
        Extra::Dpp16(d) => {
            let c = d.ctrl;
            let n = c & 15;
            let control = match c >> 4 {
                0..=15 => format!("quad_perm:[{},{},{},{}]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3),
                0x10 => format!("row_shl:{n}"),
                0x11 => format!("row_shr:{n}"),
                0x12 => format!("row_ror:{n}"),
                0x14 if n == 0 => "row_mirror".into(),
                0x14 if n == 1 => "row_half_mirror".into(),
                0x15 => format!("row_share:{n}"),
                0x16 => format!("row_xmask:{n}"),
                _ => format!("dpp_ctrl:{c:#x}"),
            };
            let _ = write!(out, " {control} row_mask:{:#x} bank_mask:{:#x}", d.row_mask, d.bank_mask);
            if d.bound_ctrl {
                out.push_str(" bound_ctrl:1");
            }
            if d.fetch_inactive {
                out.push_str(" fi:1");
            }
        }
    }
    memory_modifiers(instr, out);
}

fn memory_modifiers(instr: &Instr, out: &mut String) {
    let row = instr.op.row();
    let f = instr.flags;
    if row.format == Format::Mubuf {
        for (flag, name) in [(Flags::IDXEN, " idxen"), (Flags::OFFEN, " offen")] {
            if f.contains(flag) {
                out.push_str(name);
            }
        }
    }
    match row.format {
        Format::Ds => {
            let (first, second) = (instr.imm & 0xff, instr.imm >> 8 & 0xff);
            if pairs(instr) {
                if first != 0 {
                    let _ = write!(out, " offset0:{first}");
                }
                if second != 0 {
                    let _ = write!(out, " offset1:{second}");
                }
            } else if row.sem == Sem::Wave(WaveOp::DsSwizzle) {
                if instr.imm != 0 {
                    let _ = write!(out, " offset:{}", swizzle(instr.imm as u32));
                }
            } else if instr.imm != 0 {
                let _ = write!(out, " offset:{}", instr.imm);
            }
        }
        Format::Flat | Format::Global | Format::Scratch | Format::Mubuf if instr.imm != 0 => {
            let _ = write!(out, " offset:{}", instr.imm);
        }
        _ => {}
    }
    for (flag, name) in [(Flags::GDS, " gds"), (Flags::GLC, " glc"), (Flags::SLC, " slc"), (Flags::DLC, " dlc")] {
        if f.contains(flag) {
            out.push_str(name);
        }
    }
    for (flag, name) in [(Flags::LDS, " lds"), (Flags::TFE, " tfe")] {
        if f.contains(flag) {
            out.push_str(name);
        }
    }
}

/// Whether the DS offset is two, one for each of two elements.
pub(crate) fn pairs(instr: &Instr) -> bool {
    let row = instr.op.row();
    match row.sem {
        Sem::Mem(Space::Lds, MemKind::Load2 { .. } | MemKind::Store2 { .. } | MemKind::Exchange2 { .. }) => true,
        _ => false,
    }
}

fn swizzle(v: u32) -> String {
    if v & 0xff00 == 0x8000 {
        let p: Vec<String> = (0..4).map(|i| (v >> (2 * i) & 3).to_string()).collect();
        return format!("swizzle(QUAD_PERM,{})", p.join(","));
    }
    if v & 0x8000 != 0 {
        return v.to_string();
    }
    let (and, or, xor) = (v & 31, v >> 5 & 31, v >> 10 & 31);
    if xor.is_power_of_two() && or == 0 && and == 31 {
        return format!("swizzle(SWAP,{xor})");
    }
    if xor != 0 && (xor + 1).is_power_of_two() && or == 0 && and == 31 {
        return format!("swizzle(REVERSE,{})", xor + 1);
    }
    let group = 32 - and;
    if and != 31 && group.is_power_of_two() && or < group && xor == 0 && group > 1 {
        return format!("swizzle(BROADCAST,{group},{or})");
    }
    let mut pattern = String::new();
    for bit in (0..5).rev().map(|i| 1 << i) {
        let at = |lane: u32| (((lane & and) | or) ^ xor) & bit != 0;
        pattern.push(match (at(0), at(bit)) {
            (false, false) => '0',
            (true, true) => '1',
            (false, true) => 'p',
            (true, false) => 'i',
        });
    }
    format!("swizzle(BITMASK_PERM,\"{pattern}\")")
}
