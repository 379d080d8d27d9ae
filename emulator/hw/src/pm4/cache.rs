//! Cache control in packets, by generation: what drops and writes back caches, and what ends a pipe. Inside, caches are those of
//! GCR_CNTL; older generations have CP_COHER_CNTL, whose bits are fewer.
//!
//! Sources: Linux's packet headers (sid.h, cikd.h, soc15d.h, nvd.h), and the register database.

use super::{EVENT_BOTTOM_OF_PIPE_TS, INT_AFTER_WRITE_CONFIRM, PacketError, ReleaseData, gcr, hi, lo, op};
use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// The packets that a generation has.
#[derive(Clone, Copy)]
struct Forms {
    acquire: Acquire,
    release: Release,
}

#[derive(Clone, Copy, PartialEq)]
enum Acquire {
    /// SURFACE_SYNC: CP_COHER_CNTL, and a range of 32 bits.
    Surface,
    /// ACQUIRE_MEM with CP_COHER_CNTL, and a range of 40 bits.
    Coher,
    /// ACQUIRE_MEM with GCR_CNTL behind its range.
    Gcr,
}

#[derive(Clone, Copy, PartialEq)]
enum Release {
    /// EVENT_WRITE_EOP, whose selects stand above the address.
    Eop,
    /// RELEASE_MEM of so many dwords, and what its event does to caches besides.
    Mem(usize, u32),
}

/// EOP_TC_WB_ACTION, EOP_TCL1_ACTION, EOP_TC_ACTION.
const TC_ACTIONS: u32 = 7 << 15;
/// GL2_WB. GLM, GLV, GL1 invalidates go with every end of pipe.
const GL2_WB: u32 = 1 << 21;

const FORMS: &[(Gen, Forms)] = &[
    (Gen::Gfx600, Forms { acquire: Acquire::Surface, release: Release::Eop }),
    (Gen::Gfx701, Forms { acquire: Acquire::Coher, release: Release::Mem(6, TC_ACTIONS) }),
    (Gen::Gfx900, Forms { acquire: Acquire::Coher, release: Release::Mem(7, TC_ACTIONS) }),
    (Gen::Gfx1010, Forms { acquire: Acquire::Gcr, release: Release::Mem(7, GL2_WB) }),
];

/// Bits of GCR_CNTL, those of CP_COHER_CNTL that do the same, and since when; what has none needs none.
const COHER: &[(u32, u32, Gen)] = &[
    (gcr::GL2_WB, 1 << 18, Gen::Gfx701),
    (gcr::GLV_INV, 1 << 22, Gen::Gfx600),
    (gcr::GL2_INV, 1 << 23, Gen::Gfx600),
    (gcr::GLK_INV, 1 << 27, Gen::Gfx600),
    (gcr::GLK_WB, 1 << 30, Gen::Gfx900),
];
/// The instruction cache's.
const ICACHE: u32 = 1 << 29;
/// POLL_INTERVAL.
const POLL: u32 = 10;

fn forms(isa: Gen) -> Forms {
    inherited(FORMS, isa).expect("a column from the first generation on")
}

/// What of [`COHER`] the generation has.
fn own(isa: Gen) -> impl Iterator<Item = &'static (u32, u32, Gen)> {
    COHER.iter().filter(move |(_, _, since)| inherited(&[(*since, ())], isa).is_some())
}

fn to_coher(gcr_cntl: u32, isa: Gen) -> u32 {
    let bits = own(isa).fold(0, |bits, (gcr, coher, _)| bits | if gcr_cntl & gcr != 0 { *coher } else { 0 });
    bits | if gcr_cntl & gcr::GLI_INV_MASK != 0 { ICACHE } else { 0 }
}

fn from_coher(coher: u32, everything: bool, isa: Gen) -> u32 {
    let bits = own(isa).fold(0, |bits, (gcr, own, _)| bits | if coher & own != 0 { *gcr } else { 0 });
    match (coher & ICACHE != 0, everything) {
        (false, _) => bits,
        (true, true) => bits | gcr::GLI_INV_ALL,
        (true, false) => bits | gcr::GLI_INV_RANGE,
    }
}

/// Opcode and body of the packet that invalidates caches for a range.
pub(super) fn acquire(gcr_cntl: u32, base: u64, size: u64, isa: Gen) -> (u32, Vec<u32>) {
    // Base and size count 256-byte blocks; the size is rounded out to cover the range.
    let (first, blocks) = (base >> 8, (base % 256).saturating_add(size).div_ceil(256));
    match forms(isa).acquire {
        Acquire::Surface => {
            let blocks = blocks.min(u32::MAX.into()) as u32;
            (op::SURFACE_SYNC, vec![to_coher(gcr_cntl, isa), blocks, lo(first), POLL])
        }
        Acquire::Coher => {
            let blocks = blocks.min(MOST_BLOCKS);
            let body = vec![to_coher(gcr_cntl, isa), lo(blocks), hi(blocks), lo(first), hi(first), POLL];
            (op::ACQUIRE_MEM, body)
        }
        Acquire::Gcr => (op::ACQUIRE_MEM, vec![0, lo(blocks), hi(blocks), lo(first), hi(first), POLL, gcr_cntl]),
    }
}

/// CP_COHER_SIZE and its high eight bits: all memory.
const MOST_BLOCKS: u64 = (1 << 40) - 1;

/// Opcode and body of the packet that ends a pipe.
pub(super) fn release(address: u64, data: ReleaseData, interrupt: bool, isa: Gen) -> (u32, Vec<u32>) {
    let (sel, value) = match data {
        ReleaseData::None => (0, 0),
        ReleaseData::Value32(v) => (1, u64::from(v)),
        ReleaseData::Value64(v) => (2, v),
        ReleaseData::Clock => (3, 0),
    };
    let select = sel << 29 | if interrupt { INT_AFTER_WRITE_CONFIRM << 24 } else { 0 };
    let event = EVENT_BOTTOM_OF_PIPE_TS | 5 << 8;
    match forms(isa).release {
        Release::Eop => {
            let high = hi(address) & 0xffff | select;
            (op::EVENT_WRITE_EOP, vec![event, lo(address), high, lo(value), hi(value)])
        }
        Release::Mem(dwords, caches) => {
            let body = [event | caches, select, lo(address), hi(address), lo(value), hi(value), 0];
            (op::RELEASE_MEM, body[..dwords].to_vec())
        }
    }
}

/// GCR_CNTL, base and size of an invalidating packet's body; `None`: the generation has no such packet.
pub(super) fn read_acquire(opcode: u32, body: &[u32], isa: Gen) -> Option<Result<(u32, u64, u64), PacketError>> {
    let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let size = |blocks: u64, most: u64| if blocks >= most { u64::MAX } else { blocks.saturating_mul(256) };
    let need = match (opcode, forms(isa).acquire) {
        (op::SURFACE_SYNC, Acquire::Surface) => 4,
        (op::ACQUIRE_MEM, Acquire::Coher) => 6,
        (op::ACQUIRE_MEM, Acquire::Gcr) => 7,
        _ => return None,
    };
    if body.len() != need {
        return Some(Err(PacketError::BadLength { opcode, need, have: body.len() }));
    }
    Some(Ok(match forms(isa).acquire {
        Acquire::Surface => {
            let size = size(body[1].into(), u32::MAX.into());
            (from_coher(body[0], size == u64::MAX, isa), u64::from(body[2]) << 8, size)
        }
        Acquire::Coher => {
            let size = size(wide(body[1], body[2]), MOST_BLOCKS);
            (from_coher(body[0], size == u64::MAX, isa), wide(body[3], body[4]) << 8, size)
        }
        Acquire::Gcr => (body[6], wide(body[3], body[4]) << 8, wide(body[1], body[2]).saturating_mul(256)),
    }))
}

/// Address, data and interrupt of an end of pipe; `None`: the generation has no such packet.
pub(super) fn read_release(
    opcode: u32,
    body: &[u32],
    isa: Gen,
) -> Option<Result<(u64, ReleaseData, bool), PacketError>> {
    let need = match (opcode, forms(isa).release) {
        (op::EVENT_WRITE_EOP, Release::Eop) => 5,
        (op::RELEASE_MEM, Release::Mem(dwords, _)) => dwords,
        _ => return None,
    };
    if body.len() != need {
        return Some(Err(PacketError::BadLength { opcode, need, have: body.len() }));
    }
    let (select, at, low, high, data) = match forms(isa).release {
        Release::Eop => (2, 2, body[1], body[2] & 0xffff, 3),
        Release::Mem(..) => (1, 2, body[2], body[3], 4),
    };
    let value = u64::from(body[data]) | u64::from(body[data + 1]) << 32;
    let data = match body[select] >> 29 {
        0 => ReleaseData::None,
        1 => ReleaseData::Value32(body[data]),
        2 => ReleaseData::Value64(value),
        3 => ReleaseData::Clock,
        _ => return Some(Err(PacketError::BadField { what: "RELEASE_MEM DATA_SEL", value: body[select], dword: at })),
    };
    Some(Ok((u64::from(low) | u64::from(high) << 32, data, body[select] >> 24 & 7 != 0)))
}
