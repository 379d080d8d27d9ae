//! Immediates that have names in them: hardware registers, messages, counters, swizzles.

use std::ops::RangeInclusive;

use crate::generation::Gen::{self, *};
use crate::generation::{Named, name_of};
use crate::instr::Instr;
use crate::insts;
use crate::legal;
use crate::row::{Class, Control, Format, Sem};
use crate::wait::Counter;

/// Hardware registers of S_GETREG and S_SETREG.
#[rustfmt::skip]
pub(crate) const HWREGS: &[Named] = &[
    (1, "HW_REG_MODE", FIRST..=LAST),
    (2, "HW_REG_STATUS", FIRST..=LAST),
    (3, "HW_REG_TRAPSTS", FIRST..=Gfx1150),
    (4, "HW_REG_HW_ID", FIRST..=Gfx900),
    (4, "HW_REG_STATE_PRIV", Gfx1201..=LAST),
    (5, "HW_REG_GPR_ALLOC", FIRST..=LAST),
    (6, "HW_REG_LDS_ALLOC", FIRST..=LAST),
    (7, "HW_REG_IB_STS", FIRST..=LAST),
    (10, "HW_REG_PERF_SNAPSHOT_DATA", Gfx1201..=LAST),
    (11, "HW_REG_PERF_SNAPSHOT_PC_LO", Gfx1201..=LAST),
    (12, "HW_REG_PERF_SNAPSHOT_PC_HI", Gfx1201..=LAST),
    (15, "HW_REG_SH_MEM_BASES", Gfx900..=Gfx1150),
    (15, "HW_REG_PERF_SNAPSHOT_DATA1", Gfx1201..=LAST),
    (16, "HW_REG_TBA_LO", Gfx900..=Gfx1030),
    (16, "HW_REG_PERF_SNAPSHOT_DATA2", Gfx1201..=LAST),
    (17, "HW_REG_TBA_HI", Gfx900..=Gfx1030),
    (17, "HW_REG_EXCP_FLAG_PRIV", Gfx1201..=LAST),
    (18, "HW_REG_TMA_LO", Gfx900..=Gfx1030),
    (18, "HW_REG_PERF_SNAPSHOT_PC_LO", Gfx1100..=Gfx1150),
    (18, "HW_REG_EXCP_FLAG_USER", Gfx1201..=LAST),
    (19, "HW_REG_TMA_HI", Gfx900..=Gfx1030),
    (19, "HW_REG_PERF_SNAPSHOT_PC_HI", Gfx1100..=Gfx1150),
    (19, "HW_REG_TRAP_CTRL", Gfx1201..=LAST),
    (20, "HW_REG_FLAT_SCR_LO", Gfx1010..=Gfx1150),
    (20, "HW_REG_SCRATCH_BASE_LO", Gfx1201..=LAST),
    (21, "HW_REG_FLAT_SCR_HI", Gfx1010..=Gfx1150),
    (21, "HW_REG_SCRATCH_BASE_HI", Gfx1201..=LAST),
    (22, "HW_REG_XNACK_MASK", Gfx1010..=Gfx1010),
    (23, "HW_REG_HW_ID1", Gfx1010..=LAST),
    (24, "HW_REG_HW_ID2", Gfx1010..=LAST),
    (25, "HW_REG_POPS_PACKER", Gfx1010..=Gfx1030),
    (27, "HW_REG_PERF_SNAPSHOT_DATA", Gfx1100..=Gfx1150),
    (29, "HW_REG_SHADER_CYCLES", Gfx1030..=Gfx1150),
    (29, "HW_REG_SHADER_CYCLES_LO", Gfx1201..=LAST),
    (30, "HW_REG_SHADER_CYCLES_HI", Gfx1201..=LAST),
    (31, "HW_REG_DVGPR_ALLOC_LO", Gfx1201..=LAST),
    (32, "HW_REG_DVGPR_ALLOC_HI", Gfx1201..=LAST),
];
/// Messages of S_SENDMSG without an operation.
#[rustfmt::skip]
pub(crate) const MESSAGES: &[Named] = &[
    (1, "MSG_INTERRUPT", FIRST..=LAST),
    (2, "MSG_HS_TESSFACTOR", Gfx1100..=LAST),
    (3, "MSG_DEALLOC_VGPRS", Gfx1100..=LAST),
    (4, "MSG_SAVEWAVE", Gfx900..=Gfx1030),
    (5, "MSG_STALL_WAVE_GEN", Gfx900..=Gfx1150),
    (6, "MSG_HALT_WAVES", Gfx900..=Gfx1150),
    (7, "MSG_ORDERED_PS_DONE", Gfx900..=Gfx1030),
    (8, "MSG_EARLY_PRIM_DEALLOC", Gfx900..=Gfx1030),
    (9, "MSG_GS_ALLOC_REQ", Gfx900..=LAST),
    (10, "MSG_GET_DOORBELL", Gfx900..=Gfx1030),
    (11, "MSG_GET_DDID", Gfx1010..=Gfx1030),
    (128, "MSG_RTN_GET_DOORBELL", Gfx1100..=LAST),
    (129, "MSG_RTN_GET_DDID", Gfx1100..=LAST),
    (130, "MSG_RTN_GET_TMA", Gfx1100..=LAST),
    (131, "MSG_RTN_GET_REALTIME", Gfx1100..=LAST),
    (132, "MSG_RTN_SAVE_WAVE", Gfx1100..=LAST),
    (133, "MSG_RTN_GET_TBA", Gfx1100..=LAST),
    (134, "MSG_RTN_GET_TBA_TO_PC", Gfx1100..=LAST),
    (135, "MSG_RTN_GET_SE_AID_ID", Gfx1201..=LAST),
];
/// Messages with an operation.
pub(crate) const OPERATED: &[Named] =
    &[(2, "MSG_GS", FIRST..=Gfx1030), (3, "MSG_GS_DONE", FIRST..=Gfx1030), (15, "MSG_SYSMSG", FIRST..=LAST)];
const MSG_GS: u32 = 2;
const MSG_GS_DONE: u32 = 3;
const MSG_SYSMSG: u32 = 15;
pub(crate) const GS_OPS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];
pub(crate) const SYSMSG_OPS: &[Named] = &[
    (1, "SYSMSG_OP_ECC_ERR_INTERRUPT", FIRST..=LAST),
    (2, "SYSMSG_OP_REG_RD", FIRST..=LAST),
    (3, "SYSMSG_OP_HOST_TRAP_ACK", FIRST..=Gfx701),
    (4, "SYSMSG_OP_TTRACE_PC", FIRST..=LAST),
];

/// Fields of S_DELAY_ALU: name, low bit, width, and what their values mean, from 1 on.
pub(crate) const DELAYS: [(&str, u32, u32, &[&str]); 3] =
    [("instid0", 0, 4, &DELAY_IDS), ("instskip", 4, 3, &DELAY_SKIPS), ("instid1", 7, 4, &DELAY_IDS)];
const DELAY_IDS: [&str; 11] = [
    "VALU_DEP_1",
    "VALU_DEP_2",
    "VALU_DEP_3",
    "VALU_DEP_4",
    "TRANS32_DEP_1",
    "TRANS32_DEP_2",
    "TRANS32_DEP_3",
    "FMA_ACCUM_CYCLE_1",
    "SALU_CYCLE_1",
    "SALU_CYCLE_2",
    "SALU_CYCLE_3",
];
const DELAY_SKIPS: [&str; 5] = ["NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];

/// A small number as decimal, any other as hexadecimal.
pub(super) fn short(v: u32) -> String {
    if v <= 64 { v.to_string() } else { format!("{v:#x}") }
}

const FIRST: Gen = Gen::FIRST;
const LAST: Gen = Gen::LAST;

pub(super) fn immediate(instr: &Instr, generation: Gen) -> String {
    let row = instr.op.row();
    let v = instr.imm as u32 & 0xffff;
    match row.sem {
        Sem::Control(Control::GetReg | Control::SetReg | Control::SetRegImm32) => hwreg(v, generation),
        Sem::Control(Control::Waitcnt) => waitcnt(v, generation),
        Sem::Control(Control::SendMsg | Control::SendMsgHalt) => message(v, generation),
        _ if row.format == Format::Sop1 => message(v, generation),
        _ if instr.op == insts::S_BARRIER_WAIT => short(v),
        Sem::Control(Control::Nop) if row.format == Format::Sopk => version(v),
        Sem::Control(Control::DenormMode) => short(v),
        Sem::Control(Control::EndPgm) => v.to_string(),
        _ if row.class == Class::Branch => v.to_string(),
        Sem::Control(
            Control::Nop | Control::Sleep | Control::SetPrio | Control::SetKill | Control::SetHalt | Control::Trap,
        ) if row.format == Format::Sopp => match instr.op {
            insts::S_WAITCNT_DEPCTR => depctr(v, generation),
            insts::S_DELAY_ALU => delays(v),
            insts::S_TTRACEDATA_IMM | insts::S_SINGLEUSE_VDST => format!("{v:#x}"),
            _ => short(v),
        },
        _ if legal::indexes(instr.op) && v <= 15 => {
            let named: Vec<&str> = (0..4).filter(|i| v >> i & 1 != 0).map(|i| INDEXED[i]).collect();
            format!("gpr_idx({})", named.join(","))
        }
        _ => format!("{v:#x}"),
    }
}

/// Operands that S_SET_GPR_IDX_* index, by bit.
pub(crate) const INDEXED: [&str; 4] = ["SRC0", "SRC1", "SRC2", "DST"];

/// Whether a generation has the hardware register of this number.
pub fn has_hwreg(id: u32, generation: Gen) -> bool {
    name_of(HWREGS, id, generation).is_some()
}

fn hwreg(v: u32, generation: Gen) -> String {
    let (id, offset, size) = (v & 63, v >> 6 & 31, (v >> 11 & 31) + 1);
    let name = name_of(HWREGS, id, generation).map_or_else(|| id.to_string(), str::to_string);
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

fn waitcnt(v: u32, generation: Gen) -> String {
    let nothing = Counter::all_bits(generation);
    let asked = |c: &Counter| c.of_imm(v, generation) != c.of_imm(nothing, generation);
    let there = Counter::ALL.into_iter().filter(|c| !c.fields(generation).is_empty());
    // What waits for nothing says so of each.
    let parts = there.filter(|c| v & nothing == nothing || asked(c));
    parts.map(|c| format!("{}({})", c.name(), c.of_imm(v, generation))).collect::<Vec<_>>().join(" ")
}

/// Fields of S_WAITCNT_DEPCTR: name, low bit, width; each at its highest value waits for nothing.
pub(crate) const DEPCTR: [(&str, u32, u32, RangeInclusive<Gen>); 7] = [
    ("depctr_hold_cnt", 7, 1, Gfx1030..=LAST),
    ("depctr_sa_sdst", 0, 1, Gfx1010..=LAST),
    ("depctr_va_vdst", 12, 4, Gfx1010..=LAST),
    ("depctr_va_sdst", 9, 3, Gfx1010..=LAST),
    ("depctr_va_ssrc", 8, 1, Gfx1010..=LAST),
    ("depctr_va_vcc", 1, 1, Gfx1010..=LAST),
    ("depctr_vm_vsrc", 2, 3, Gfx1010..=LAST),
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

fn delays(v: u32) -> String {
    let field = |low: u32, width: u32| v >> low & ((1 << width) - 1);
    let known = |&(_, low, width, names): &(&str, u32, u32, &[&str])| field(low, width) as usize <= names.len();
    if v >> 11 != 0 || !DELAYS.iter().all(known) {
        return format!("{v:#x}");
    }
    let parts: Vec<String> = DELAYS
        .iter()
        .filter_map(|&(name, low, width, names)| {
            let value = (field(low, width) as usize).checked_sub(1)?;
            Some(format!("{name}({})", names[value]))
        })
        .collect();
    if parts.is_empty() { "0".into() } else { parts.join(" | ") }
}

fn message(v: u32, generation: Gen) -> String {
    if generation.caps().wide_messages {
        return match (name_of(MESSAGES, v, generation), v) {
            (Some(name), _) => format!("sendmsg({name})"),
            (None, 0..=0xff) => format!("sendmsg({v}, 0, 0)"),
            _ => v.to_string(),
        };
    }
    let (id, op, stream) = (v & 15, v >> 4 & 7, v >> 8 & 3);
    if v & !0x37f != 0 {
        return v.to_string();
    }
    if let Some(name) = name_of(MESSAGES, id, generation)
        && op == 0
        && stream == 0
    {
        return format!("sendmsg({name})");
    }
    let gs = id == MSG_GS || id == MSG_GS_DONE;
    let name = name_of(OPERATED, id, generation).unwrap_or_default();
    match (id, op) {
        (MSG_GS_DONE, 0) if stream == 0 => format!("sendmsg({name}, {})", GS_OPS[0]),
        (_, 1..=3) if gs => format!("sendmsg({name}, {}, {stream})", GS_OPS[op as usize]),
        (MSG_SYSMSG, _) if stream == 0 => match name_of(SYSMSG_OPS, op, generation) {
            Some(op) => format!("sendmsg({name}, {op})"),
            None => format!("sendmsg({id}, {op}, 0)"),
        },
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
