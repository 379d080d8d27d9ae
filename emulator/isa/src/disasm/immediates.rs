//! Immediates that have names in them: hardware registers, messages, counters, swizzles.

use std::ops::RangeInclusive;

use crate::generation::Gen::{self, *};
use crate::instr::Instr;
use crate::insts;
use crate::row::{Class, Control, Format, Sem};
use crate::wait::{Counter, Counts};

/// Hardware registers of S_GETREG and S_SETREG, and the generations that have them.
pub(crate) const HWREGS: &[(u32, &str, RangeInclusive<Gen>)] = &[
    (1, "HW_REG_MODE", Gfx1010..=Gfx1030),
    (2, "HW_REG_STATUS", Gfx1010..=Gfx1030),
    (3, "HW_REG_TRAPSTS", Gfx1010..=Gfx1030),
    (5, "HW_REG_GPR_ALLOC", Gfx1010..=Gfx1030),
    (6, "HW_REG_LDS_ALLOC", Gfx1010..=Gfx1030),
    (7, "HW_REG_IB_STS", Gfx1010..=Gfx1030),
    (15, "HW_REG_SH_MEM_BASES", Gfx1010..=Gfx1030),
    (16, "HW_REG_TBA_LO", Gfx1010..=Gfx1030),
    (17, "HW_REG_TBA_HI", Gfx1010..=Gfx1030),
    (18, "HW_REG_TMA_LO", Gfx1010..=Gfx1030),
    (19, "HW_REG_TMA_HI", Gfx1010..=Gfx1030),
    (20, "HW_REG_FLAT_SCR_LO", Gfx1010..=Gfx1030),
    (21, "HW_REG_FLAT_SCR_HI", Gfx1010..=Gfx1030),
    (22, "HW_REG_XNACK_MASK", Gfx1010..=Gfx1010),
    (23, "HW_REG_HW_ID1", Gfx1010..=Gfx1030),
    (24, "HW_REG_HW_ID2", Gfx1010..=Gfx1030),
    (25, "HW_REG_POPS_PACKER", Gfx1010..=Gfx1030),
    (29, "HW_REG_SHADER_CYCLES", Gfx1030..=Gfx1030),
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

/// A small number as decimal, any other as hexadecimal.
pub(super) fn short(v: u32) -> String {
    if v <= 64 { v.to_string() } else { format!("{v:#x}") }
}

pub(super) fn immediate(instr: &Instr, generation: Gen) -> String {
    let row = instr.op.row();
    let v = instr.imm as u32 & 0xffff;
    match row.sem {
        Sem::Control(Control::GetReg | Control::SetReg | Control::SetRegImm32) => hwreg(v, generation),
        Sem::Control(Control::Waitcnt) => waitcnt(v),
        Sem::Control(Control::SendMsg | Control::SendMsgHalt) => message(v),
        Sem::Control(Control::Nop) if row.format == Format::Sopk => version(v),
        Sem::Control(Control::DenormMode) => short(v),
        Sem::Control(Control::EndPgm) => v.to_string(),
        _ if row.class == Class::Branch => v.to_string(),
        Sem::Control(
            Control::Nop | Control::Sleep | Control::SetPrio | Control::SetKill | Control::SetHalt | Control::Trap,
        ) if row.format == Format::Sopp => match instr.op {
            insts::S_WAITCNT_DEPCTR => depctr(v, generation),
            insts::S_TTRACEDATA_IMM => format!("{v:#x}"),
            _ => short(v),
        },
        _ if indexes(instr.op) && v <= 15 => {
            let named: Vec<&str> = (0..4).filter(|i| v >> i & 1 != 0).map(|i| INDEXED[i]).collect();
            format!("gpr_idx({})", named.join(","))
        }
        _ => format!("{v:#x}"),
    }
}

/// Operands that S_SET_GPR_IDX_* index, by bit.
pub(crate) const INDEXED: [&str; 4] = ["SRC0", "SRC1", "SRC2", "DST"];

/// Whether the constant says which operands are indexed.
pub(crate) fn indexes(op: insts::Op) -> bool {
    matches!(op, insts::S_SET_GPR_IDX_ON | insts::S_SET_GPR_IDX_MODE)
}

fn hwreg(v: u32, generation: Gen) -> String {
    let (id, offset, size) = (v & 63, v >> 6 & 31, (v >> 11 & 31) + 1);
    let named = HWREGS.iter().find(|(n, _, on)| *n == id && on.contains(&generation));
    let name = named.map_or_else(|| id.to_string(), |(_, name, _)| (*name).to_string());
    if offset == 0 && size == 32 { format!("hwreg({name})") } else { format!("hwreg({name}, {offset}, {size})") }
}

/// Microcode versions of S_VERSION, and the bits that stand beside them.
pub(crate) const VERSIONS: [(u32, &str); 4] =
    [(0, "UC_VERSION_GFX7"), (4, "UC_VERSION_GFX10"), (6, "UC_VERSION_GFX11"), (9, "UC_VERSION_GFX12")];
pub(crate) const VERSION_BITS: [(u32, &str); 3] =
    [(0x2000, "UC_VERSION_W64_BIT"), (0x4000, "UC_VERSION_W32_BIT"), (0x8000, "UC_VERSION_MDP_BIT")];

fn version(v: u32) -> String {
    let number = v & 0x1fff;
    if number > 0xff {
        return format!("{v:#x}");
    }
    let named = VERSIONS.iter().find(|(n, _)| *n == number);
    let mut text = named.map_or_else(|| number.to_string(), |(_, name)| (*name).to_string());
    // As LLVM prints its expressions: each `|` around what was there before.
    for (n, (_, name)) in VERSION_BITS.iter().filter(|(bit, _)| v & bit != 0).enumerate() {
        text = if n == 0 { format!("{text}|{name}") } else { format!("({text})|{name}") };
    }
    text
}

fn waitcnt(v: u32) -> String {
    let counts = Counts::of_imm(v as i32);
    let all = counts == Counts::NONE;
    let parts: Vec<String> = Counter::ALL
        .into_iter()
        .filter(|c| !c.fields().is_empty() && (all || counts.asked(*c).is_some()))
        .map(|c| format!("{}({})", c.name(), counts.get(c)))
        .collect();
    parts.join(" ")
}

/// Fields of S_WAITCNT_DEPCTR: name, low bit, width; each at its highest value waits for nothing.
pub(crate) const DEPCTR: [(&str, u32, u32, RangeInclusive<Gen>); 7] = [
    ("depctr_hold_cnt", 7, 1, Gfx1030..=Gfx1030),
    ("depctr_sa_sdst", 0, 1, Gfx1010..=Gfx1030),
    ("depctr_va_vdst", 12, 4, Gfx1010..=Gfx1030),
    ("depctr_va_sdst", 9, 3, Gfx1010..=Gfx1030),
    ("depctr_va_ssrc", 8, 1, Gfx1010..=Gfx1030),
    ("depctr_va_vcc", 1, 1, Gfx1010..=Gfx1030),
    ("depctr_vm_vsrc", 2, 3, Gfx1010..=Gfx1030),
];

/// The fields that a generation has, and the operand that waits for nothing.
pub(crate) fn depctr_fields(generation: Gen) -> (Vec<(&'static str, u32, u32)>, u32) {
    let has = |(name, low, width, on): &(&'static str, u32, u32, RangeInclusive<Gen>)| {
        on.contains(&generation).then_some((*name, *low, *width))
    };
    let fields: Vec<_> = DEPCTR.iter().filter_map(has).collect();
    let used = fields.iter().map(|(_, low, width)| ((1 << width) - 1) << low).sum();
    (fields, used)
}

fn depctr(v: u32, generation: Gen) -> String {
    let (fields, used) = depctr_fields(generation);
    if v & !used != 0 {
        return format!("{v:#x}");
    }
    let all = v & used == used;
    let parts: Vec<String> = fields
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

pub(super) fn swizzle(v: u32) -> String {
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
