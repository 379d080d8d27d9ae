//! Registers that packets write, by generation: which of compute's there are, and where the others stand.
//!
//! Sources: the register database (gfx6 to gfx12); Linux's sid.h and cikd.h for the spaces of SET_CONFIG_REG and SET_UCONFIG_REG.

use super::{PacketError, emit, op, uconfig};
use crate::perf::{Block, Counter};
use std::ops::Range;
use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// COMPUTE_* registers: dword offsets from SH_REG_BASE.
const COMPUTE: &[(Gen, &[Range<u16>])] = &[
    (Gen::Gfx600, &[0x200..0x20a, 0x20c..0x219, 0x240..0x250]),
    (Gen::Gfx701, &[0x200..0x220, 0x240..0x250]),
    // DISPATCH_ID, THREADGROUP_ID, RELAUNCH, WAVE_RESTORE_ADDR.
    (Gen::Gfx900, &[0x200..0x226, 0x240..0x250, 0x27e..0x280]),
    // REQ_CTRL, USER_ACCUM, PGM_RSRC3; DISPATCH_TUNNEL.
    (Gen::Gfx1010, &[0x200..0x223, 0x224..0x22f, 0x240..0x250, 0x27d..0x280]),
    // STATIC_THREAD_MGMT of more engines, DISPATCH_INTERLEAVE.
    (Gen::Gfx1100, &[0x200..0x223, 0x224..0x234, 0x240..0x250, 0x27d..0x280]),
    (Gen::Gfx1201, &[0x200..0x234, 0x235..0x238, 0x240..0x250, 0x27d..0x280]),
];

/// Whether the generation has so many compute registers from `first` on.
pub(super) fn has(first: u32, count: usize, isa: Gen) -> bool {
    let ranges = inherited(COMPUTE, isa).expect("a column from the first generation on");
    let end = first as usize + count;
    ranges.iter().any(|r| usize::from(r.start) <= first as usize && end <= usize::from(r.end))
}

/// Whether registers of [`uconfig`] stand in the space of SET_CONFIG_REG, with numbers of its own.
fn in_config_space(isa: Gen) -> bool {
    inherited(&[(Gen::Gfx600, true), (Gen::Gfx701, false)], isa).unwrap_or(false)
}

/// Byte address of the first register of the CONFIG space.
const CONFIG_BASE: u32 = 0x8000;
/// Where GCN 1 has what is a UCONFIG register later, from byte addresses.
const CONFIG: &[(u16, u32)] = &[(uconfig::TA_CS_BC_BASE_ADDR, 0x950c)];
/// Byte addresses of GCN 1's selects of a block's counters, four bytes each. The database has none of the caches' blocks: those
/// places are ours, where the space has no register.
const SELECTS: &[(Block, u32)] =
    &[(Block::Grbm, 0x8070), (Block::Sq, 0x8d00), (Block::Tcp, 0xaf00), (Block::Gl1c, 0xaf40), (Block::Gl2c, 0xaf80)];

/// The CONFIG register that stands for a UCONFIG register.
fn config(register: u16) -> Option<u32> {
    let plain = CONFIG.iter().find(|(r, _)| *r == register).map(|(_, at)| *at);
    let select = || {
        let counter = Counter::of_select(register)?;
        let first = SELECTS.iter().find(|(block, _)| *block == counter.block)?.1;
        Some(first + 4 * u32::from(counter.index))
    };
    Some((plain.or_else(select)? - CONFIG_BASE) / 4)
}

fn of_config(number: u32) -> Option<u16> {
    let at = CONFIG_BASE + 4 * number;
    let plain = CONFIG.iter().find(|(_, a)| *a == at).map(|(register, _)| *register);
    let select = || {
        let counter = |&(block, first): &(Block, u32)| {
            let index = at.checked_sub(first)? / 4;
            (index < block.counters() as u32).then_some(Counter { block, index: index as u8 })
        };
        SELECTS.iter().find_map(counter).map(Counter::select)
    };
    plain.or_else(select)
}

/// Whether a UCONFIG register is one of those that compute has.
fn known(register: u16) -> bool {
    uconfig::ALL.contains(&register) || Counter::of_select(register).is_some()
}

/// Whether the generation has a place for a register of [`uconfig`].
pub fn has_uconfig(register: u16, isa: Gen) -> bool {
    known(register) && (!in_config_space(isa) || config(register).is_some())
}

/// Writes registers of [`uconfig`]. What GCN 1 has no place for is zero: high parts of addresses, of which it has 40 bits.
pub(super) fn write(first: u16, values: &[u32], isa: Gen, out: &mut Vec<u32>) {
    if values.is_empty() {
        return;
    }
    if !in_config_space(isa) {
        let mut body = vec![u32::from(first)];
        body.extend_from_slice(values);
        return emit(out, op::SET_UCONFIG_REG, &body);
    }
    for (register, &value) in (first..).zip(values) {
        match config(register) {
            Some(number) => emit(out, op::SET_CONFIG_REG, &[number, value]),
            None => debug_assert!(value == 0, "no place for {value:#x} of {register:#x}"),
        }
    }
}

/// What SET_UCONFIG_REG or SET_CONFIG_REG writes: the first register, as [`uconfig`] numbers them. `None`: the generation has no
/// such packet.
pub(super) fn read(opcode: u32, body: &[u32], isa: Gen) -> Option<Result<u16, PacketError>> {
    if (opcode == op::SET_CONFIG_REG) != in_config_space(isa) {
        return None;
    }
    let refused = || PacketError::BadField {
        what: "a register that compute does not have on this generation",
        value: body[0],
        dword: 1,
    };
    let first = match opcode {
        op::SET_CONFIG_REG => of_config(body[0] & 0xffff).filter(|_| body[0] >> 16 == 0 && body.len() == 2),
        _ => {
            let end = u64::from(body[0]) + body.len() as u64 - 1;
            let all = (u64::from(body[0])..end).all(|r| u16::try_from(r).is_ok_and(known));
            all.then_some(body[0] as u16)
        }
    };
    Some(first.ok_or_else(refused))
}
