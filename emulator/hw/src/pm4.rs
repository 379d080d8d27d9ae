//! PM4, the command processor's packet language (type 3). One enum for both sides: the runtime builds packets with
//! [`Packet::encode`], the command processor reads them with [`Packet::decode`].
//!
//! Header: [31:30] = 3, [29:16] = body dwords − 1, [15:8] = opcode, [1] = shader type (1 = compute). Opcodes and field
//! positions are those of the gfx10 compute micro engine, as the public AMDGPU kernel driver and Mesa's register
//! database name them; cache control ([`cache`]), copies and indirect packets ([`forms`]) and registers ([`registers`]) are those of
//! each generation.

mod cache;
mod forms;
mod registers;

pub use forms::{arguments_alignment, has_wide_waits};
pub use registers::has_uconfig;

use crate::perf;
use wavepipe_isa::Gen;

/// SH registers that a compute dispatch reads: dword offsets from SH_REG_BASE (0x2c00).
pub mod reg {
    pub const COMPUTE_DISPATCH_INITIATOR: u16 = 0x200;
    pub const COMPUTE_START_X: u16 = 0x204;
    pub const COMPUTE_NUM_THREAD_X: u16 = 0x207;
    pub const COMPUTE_PGM_LO: u16 = 0x20c;
    pub const COMPUTE_PGM_RSRC1: u16 = 0x212;
    pub const COMPUTE_PGM_RSRC2: u16 = 0x213;
    pub const COMPUTE_RESOURCE_LIMITS: u16 = 0x215;
    pub const COMPUTE_TMPRING_SIZE: u16 = 0x218;
    pub const COMPUTE_PGM_RSRC3: u16 = 0x228;
    pub const COMPUTE_USER_DATA_0: u16 = 0x240;
    /// One past the last register that the block holds.
    pub const END: u16 = 0x280;
}

/// UCONFIG registers that compute reads: dword offsets from UCONFIG_REG_BASE (0xc000).
pub mod uconfig {
    /// Address of the border colour table, in units of 256 bytes: 16 bytes a colour. The next register is its high part.
    pub const TA_CS_BC_BASE_ADDR: u16 = 0x380;
    pub const TA_CS_BC_BASE_ADDR_HI: u16 = 0x381;
    pub(super) const ALL: [u16; 3] = [TA_CS_BC_BASE_ADDR, TA_CS_BC_BASE_ADDR_HI, crate::launch::HIDDEN_PRIVATE_BASE];
}

/// The register that WAIT_REG_MEM sees the 64-bit reference clock in: GOLDEN_TSC_COUNT_LOWER's place is the chip's own, and
/// this is ours.
const REFERENCE_CLOCK: u32 = 0x26;

/// DISPATCH_INITIATOR bits that matter here.
pub mod initiator {
    use crate::register::dispatch_initiator as field;
    use wavepipe_isa::Gen;

    pub const COMPUTE_SHADER_EN: u32 = field::COMPUTE_SHADER_EN.mask(Gen::FIRST);
    /// The last work-group of each dimension has COMPUTE_NUM_THREAD's NUM_THREAD_PARTIAL (bits 31:16) work-items.
    pub const PARTIAL_TG_EN: u32 = field::PARTIAL_TG_EN.mask(Gen::FIRST);
    /// Dispatch sizes count work-items; a rest makes a partial work-group.
    pub const USE_THREAD_DIMENSIONS: u32 = field::USE_THREAD_DIMENSIONS.mask(Gen::FIRST);
    /// Work-group ids start at zero; clear, they start at COMPUTE_START_X/Y/Z (vkCmdDispatchBase).
    pub const FORCE_START_AT_000: u32 = field::FORCE_START_AT_000.mask(Gen::FIRST);
    pub const ORDER_MODE: u32 = field::ORDER_MODE.mask(Gen::FIRST);
    /// Set for wave32, clear for wave64.
    pub const CS_W32_EN: u32 = field::CS_W32_EN.mask(Gen::Gfx1010);
}

/// GCR_CNTL bits of ACQUIRE_MEM: which caches drop what they hold.
pub mod gcr {
    /// Instruction cache: 0 none, 1 all, 2 the packet's range.
    pub const GLI_INV_ALL: u32 = 1;
    pub const GLI_INV_RANGE: u32 = 2;
    pub const GLI_INV_MASK: u32 = 3;
    pub const GLK_WB: u32 = 1 << 6;
    pub const GLK_INV: u32 = 1 << 7;
    pub const GLV_INV: u32 = 1 << 8;
    pub const GL1_INV: u32 = 1 << 9;
    pub const GL2_INV: u32 = 1 << 14;
    pub const GL2_WB: u32 = 1 << 15;
    /// What a memory barrier between users on the card asks for. All of them share L2, so it keeps its lines.
    pub const BARRIER: u32 = GLK_WB | GLK_INV | GLV_INV | GL1_INV;
}

/// Comparison of WAIT_REG_MEM, in the order of its FUNCTION field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitFunc {
    Always,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    GreaterEqual,
    Greater,
}

impl WaitFunc {
    const ALL: [WaitFunc; 7] = [
        WaitFunc::Always,
        WaitFunc::Less,
        WaitFunc::LessEqual,
        WaitFunc::Equal,
        WaitFunc::NotEqual,
        WaitFunc::GreaterEqual,
        WaitFunc::Greater,
    ];

    /// `value func reference`, unsigned.
    pub fn holds(self, value: u64, reference: u64) -> bool {
        match self {
            WaitFunc::Always => true,
            WaitFunc::Less => value < reference,
            WaitFunc::LessEqual => value <= reference,
            WaitFunc::Equal => value == reference,
            WaitFunc::NotEqual => value != reference,
            WaitFunc::GreaterEqual => value >= reference,
            WaitFunc::Greater => value > reference,
        }
    }
}

/// What RELEASE_MEM writes when all earlier work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReleaseData {
    None,
    Value32(u32),
    Value64(u64),
    /// The GPU clock, 64 bits.
    Clock,
}

/// Source of COPY_DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopySource {
    Memory(u64),
    Immediate(u64),
    Clock,
    /// A performance counter.
    Counter(perf::Counter),
}

/// Destination of COPY_DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyDest {
    Memory(u64),
    /// SH register (dword offset from SH_REG_BASE): how an indirect dispatch's group counts reach user SGPRs.
    ShReg(u16),
}

/// Source of DMA_DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DmaSource {
    Memory(u64),
    /// Repeated dword: a fill.
    Fill(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Skips `body` dwords.
    Nop {
        body: Vec<u32>,
    },
    /// Writes consecutive SH registers from `reg` on.
    SetShReg {
        reg: u16,
        values: Vec<u32>,
    },
    /// Writes consecutive UCONFIG registers from `reg` on: those of [`uconfig`] and the selects of [`perf`], no others.
    SetUconfigReg {
        reg: u16,
        values: Vec<u32>,
    },
    /// Launches `groups` work-groups with the current SH registers. Counts also where ids start at COMPUTE_START_X/Y/Z
    /// (real firmware takes end ids there); none at all if a count is zero.
    DispatchDirect {
        groups: [u32; 3],
        initiator: u32,
    },
    /// Reads the three group counts at `address` when the packet executes.
    DispatchIndirect {
        address: u64,
        initiator: u32,
    },
    /// Where arguments of [`Packet::DispatchAtBase`] are: what an indirect dispatch of GCN 1 is made of.
    SetBase {
        address: u64,
    },
    DispatchAtBase {
        offset: u32,
        initiator: u32,
    },
    /// Makes earlier writes visible to later reads: cache invalidates, by the GCR_CNTL bits. Also waits for earlier
    /// dispatches of this queue when preceded by [`Packet::CsPartialFlush`].
    AcquireMem {
        gcr_cntl: u32,
        base: u64,
        size: u64,
    },
    /// EVENT_WRITE CS_PARTIAL_FLUSH: waits until every earlier dispatch of this queue is done.
    CsPartialFlush,
    /// EVENT_WRITE SAMPLE_PIPELINESTAT: after every earlier dispatch of this queue, writes its [`PIPELINE_STATS`] counters,
    /// 64 bits each. They count from the start (real ones are started and stopped by events).
    SamplePipelineStat {
        address: u64,
    },
    /// After every earlier dispatch and copy of this queue: writes back caches, then `data` to `address`, then raises
    /// the interrupt if asked.
    ReleaseMem {
        address: u64,
        data: ReleaseData,
        interrupt: bool,
    },
    /// Stops the queue until `(*address & mask) func reference`, 32 bits wide, or 64 where the generation has that
    /// ([`has_wide_waits`]).
    WaitRegMem {
        address: u64,
        reference: u64,
        mask: u64,
        func: WaitFunc,
        wide: bool,
    },
    /// Stops the queue until the reference clock has reached this tick: a wait of 64 bits.
    WaitClock {
        tick: u64,
    },
    /// Writes dwords to memory, in order with the queue's packets (not with running dispatches).
    WriteData {
        address: u64,
        data: Vec<u32>,
    },
    CopyData {
        source: CopySource,
        dest: CopyDest,
        wide: bool,
    },
    /// Copies or fills memory; `bytes` any length, `sync` holds later packets until it is done. A copy whose ranges
    /// overlap reads as if the source had been read first, per packet of [`DMA_MAX_BYTES`].
    DmaData {
        source: DmaSource,
        dest: u64,
        bytes: u32,
        sync: bool,
    },
    /// Runs `dwords` of packets at `address`, then returns here.
    IndirectBuffer {
        address: u64,
        dwords: u32,
    },
}

/// Counters of SAMPLE_PIPELINESTAT, and the one of compute shader invocations; all others are of graphics.
pub const PIPELINE_STATS: usize = 11;
pub const CS_INVOCATIONS: usize = 10;

/// Most bytes of one DMA_DATA packet of any generation (BYTE_COUNT is 26 bits wide; kept a multiple of 64). [`Packet::encode`]
/// cuts what is longer than the generation's into several packets.
pub const DMA_MAX_BYTES: u32 = (1 << 26) - 64;
/// Most dwords of an indirect buffer (IB_SIZE is 20 bits wide).
pub const IB_MAX_DWORDS: u32 = (1 << 20) - 1;
/// SH register space begins at this dword of the register space.
pub const SH_REG_BASE: u32 = 0x2c00;

/// Dwords of the longest body: the count field's 0x3fff stands for "no body" in a NOP.
const MAX_BODY: usize = 0x3fff;

mod op {
    pub const NOP: u32 = 0x10;
    pub const SET_BASE: u32 = 0x11;
    pub const DISPATCH_DIRECT: u32 = 0x15;
    pub const DISPATCH_INDIRECT: u32 = 0x16;
    pub const WRITE_DATA: u32 = 0x37;
    pub const WAIT_REG_MEM: u32 = 0x3c;
    pub const COPY_DATA: u32 = 0x40;
    pub const CP_DMA: u32 = 0x41;
    pub const SURFACE_SYNC: u32 = 0x43;
    pub const EVENT_WRITE: u32 = 0x46;
    pub const EVENT_WRITE_EOP: u32 = 0x47;
    pub const RELEASE_MEM: u32 = 0x49;
    pub const DMA_DATA: u32 = 0x50;
    pub const ACQUIRE_MEM: u32 = 0x58;
    pub const SET_CONFIG_REG: u32 = 0x68;
    pub const SET_SH_REG: u32 = 0x76;
    pub const SET_UCONFIG_REG: u32 = 0x79;
    pub const WAIT_REG_MEM64: u32 = 0x93;
}

const EVENT_CS_PARTIAL_FLUSH: u32 = 7;
const EVENT_SAMPLE_PIPELINESTAT: u32 = 30;
const EVENT_BOTTOM_OF_PIPE_TS: u32 = 40;
/// DST_SEL of WRITE_DATA and COPY_DATA: memory; and their WR_CONFIRM bit.
const DST_MEMORY: u32 = 5 << 8;
const WR_CONFIRM: u32 = 1 << 20;
const INT_AFTER_WRITE_CONFIRM: u32 = 2;

/// Why dwords are not a packet. `dword` counts from the packet's header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    #[error("header {header:#010x} is not a type-3 packet")]
    NotType3 { header: u32 },
    #[error("packet of {need} dwords, but only {have} are left in the buffer")]
    Truncated { need: usize, have: usize },
    #[error("opcode {opcode:#04x} is not known to the compute command processor of this generation")]
    UnknownOpcode { opcode: u32 },
    #[error("opcode {opcode:#04x} with a body of {have} dwords, {need} expected")]
    BadLength { opcode: u32, need: usize, have: usize },
    #[error("{what}: value {value:#x} in dword {dword}")]
    BadField { what: &'static str, value: u32, dword: usize },
}

fn address(lo: u32, hi: u32) -> u64 {
    u64::from(lo) | u64::from(hi) << 32
}

fn lo(v: u64) -> u32 {
    v as u32
}

fn hi(v: u64) -> u32 {
    (v >> 32) as u32
}

fn emit(out: &mut Vec<u32>, opcode: u32, body: &[u32]) {
    debug_assert!((1..=MAX_BODY).contains(&body.len()));
    out.push(3 << 30 | (body.len() as u32 - 1) << 16 | opcode << 8 | 1 << 1);
    out.extend_from_slice(body);
}

impl Packet {
    /// Appends the packet's dwords. What is too long for one packet (DMA_DATA, WRITE_DATA, NOP) becomes several with
    /// the same effect; an empty SET_SH_REG, WRITE_DATA or DMA_DATA becomes none.
    pub fn encode(&self, isa: Gen, out: &mut Vec<u32>) {
        match self {
            Packet::Nop { body } if body.is_empty() => out.push(forms::of(isa).filler()),
            Packet::Nop { body } => body.chunks(MAX_BODY).for_each(|c| emit(out, op::NOP, c)),
            Packet::SetShReg { reg, values } => {
                debug_assert!(values.is_empty() || registers::has(u32::from(*reg), values.len(), isa), "{reg:#x}");
                if !values.is_empty() {
                    let mut body = Vec::with_capacity(values.len() + 1);
                    body.push(u32::from(*reg));
                    body.extend_from_slice(values);
                    emit(out, op::SET_SH_REG, &body);
                }
            }
            Packet::SetUconfigReg { reg, values } => registers::write(*reg, values, isa, out),
            Packet::DispatchDirect { groups: [x, y, z], initiator } => {
                emit(out, op::DISPATCH_DIRECT, &[*x, *y, *z, *initiator])
            }
            Packet::DispatchIndirect { address, initiator } => forms::of(isa).indirect(*address, *initiator, out),
            Packet::SetBase { address } => emit(out, op::SET_BASE, &[1, lo(*address), hi(*address)]),
            Packet::DispatchAtBase { offset, initiator } => emit(out, op::DISPATCH_INDIRECT, &[*offset, *initiator]),
            Packet::AcquireMem { gcr_cntl, base, size } => {
                let (opcode, body) = cache::acquire(*gcr_cntl, *base, *size, isa);
                emit(out, opcode, &body);
            }
            Packet::CsPartialFlush => emit(out, op::EVENT_WRITE, &[EVENT_CS_PARTIAL_FLUSH | 4 << 8]),
            Packet::SamplePipelineStat { address } => {
                emit(out, op::EVENT_WRITE, &[EVENT_SAMPLE_PIPELINESTAT | 2 << 8, lo(*address), hi(*address)]);
            }
            Packet::ReleaseMem { address, data, interrupt } => {
                let (opcode, body) = cache::release(*address, *data, *interrupt, isa);
                emit(out, opcode, &body);
            }
            Packet::WaitRegMem { address, reference, mask, func, wide } => {
                let control = *func as u32 | 1 << 4;
                if *wide {
                    debug_assert!(has_wide_waits(isa), "{isa:?} has no WAIT_REG_MEM64");
                    let (r, m) = (*reference, *mask);
                    let body = [control, lo(*address), hi(*address), lo(r), hi(r), lo(m), hi(m), 4];
                    emit(out, op::WAIT_REG_MEM64, &body);
                } else {
                    let body = [control, lo(*address), hi(*address), lo(*reference), lo(*mask), 4];
                    emit(out, op::WAIT_REG_MEM, &body);
                }
            }
            Packet::WaitClock { tick } => {
                debug_assert!(has_wide_waits(isa), "{isa:?} has no WAIT_REG_MEM64");
                let register = u64::from(REFERENCE_CLOCK);
                let control = WaitFunc::GreaterEqual as u32;
                let body = [control, lo(register), 0, lo(*tick), hi(*tick), !0, !0, 4];
                emit(out, op::WAIT_REG_MEM64, &body);
            }
            Packet::WriteData { address, data } => {
                let mut at = *address;
                for chunk in data.chunks(MAX_BODY - 3) {
                    let mut body = Vec::with_capacity(chunk.len() + 3);
                    body.extend_from_slice(&[DST_MEMORY | WR_CONFIRM, lo(at), hi(at)]);
                    body.extend_from_slice(chunk);
                    emit(out, op::WRITE_DATA, &body);
                    at = at.wrapping_add(4 * chunk.len() as u64);
                }
            }
            Packet::CopyData { source, dest, wide } => {
                let (src_sel, src) = match source {
                    CopySource::Memory(a) => (1, *a),
                    CopySource::Immediate(v) => (5, *v),
                    CopySource::Clock => (9, 0),
                    CopySource::Counter(c) => (4, u64::from(c.register())),
                };
                let (dst_sel, dst) = match dest {
                    CopyDest::Memory(a) => (DST_MEMORY, *a),
                    CopyDest::ShReg(r) => (0, u64::from(SH_REG_BASE + u32::from(*r))),
                };
                let control = src_sel | dst_sel | u32::from(*wide) << 16 | WR_CONFIRM;
                emit(out, op::COPY_DATA, &[control, lo(src), hi(src), lo(dst), hi(dst)]);
            }
            Packet::DmaData { source, dest, bytes, sync } => {
                forms::of(isa).transfer(*source, *dest, *bytes, *sync, out);
            }
            Packet::IndirectBuffer { address, dwords } => {
                debug_assert!(*dwords <= IB_MAX_DWORDS);
                let control = dwords & IB_MAX_DWORDS | 1 << 23;
                emit(out, forms::of(isa).indirect_buffer, &[lo(*address), hi(*address), control]);
            }
        }
    }

    /// Dwords of the packet that begins with `header`, from the header alone.
    ///
    /// # Errors
    /// [`PacketError::NotType3`] for packet types 0 and 1. A type-2 packet is a filler of one dword.
    pub fn length(header: u32, isa: Gen) -> Result<usize, PacketError> {
        match header >> 30 {
            2 => Ok(1),
            3 if forms::of(isa).is_short(header) => Ok(1),
            3 => Ok((header >> 16 & 0x3fff) as usize + 2),
            _ => Err(PacketError::NotType3 { header }),
        }
    }

    /// Reads the packet at the start of `dwords`; with it, how many dwords it took.
    ///
    /// # Errors
    /// What makes the dwords unreadable; nothing is skipped.
    pub fn decode(dwords: &[u32], isa: Gen) -> Result<(Packet, usize), PacketError> {
        let Some(&header) = dwords.first() else {
            return Err(PacketError::Truncated { need: 1, have: 0 });
        };
        let len = Packet::length(header, isa)?;
        if header >> 30 == 2 {
            return Ok((Packet::Nop { body: Vec::new() }, 1));
        }
        let Some(body) = dwords.get(1..len) else {
            return Err(PacketError::Truncated { need: len, have: dwords.len() });
        };
        let opcode = header >> 8 & 0xff;
        let exact = |need: usize| match body.len() == need {
            true => Ok(()),
            false => Err(PacketError::BadLength { opcode, need, have: body.len() }),
        };
        let at_least = |need: usize| match body.len() >= need {
            true => Ok(()),
            false => Err(PacketError::BadLength { opcode, need, have: body.len() }),
        };
        let bad = |what, dword: usize| Err(PacketError::BadField { what, value: body[dword - 1], dword });
        let packet = match opcode {
            op::NOP => Packet::Nop { body: body.to_vec() },
            op::SET_SH_REG => {
                at_least(2)?;
                // Bits 31:28 select an index for a few graphics registers; compute has none.
                if !registers::has(body[0], body.len() - 1, isa) {
                    return bad("SET_SH_REG of a register that compute does not have on this generation", 1);
                }
                Packet::SetShReg { reg: body[0] as u16, values: body[1..].to_vec() }
            }
            op::SET_UCONFIG_REG | op::SET_CONFIG_REG => {
                at_least(2)?;
                let read = registers::read(opcode, body, isa);
                let reg = read.ok_or(PacketError::UnknownOpcode { opcode })??;
                Packet::SetUconfigReg { reg, values: body[1..].to_vec() }
            }
            op::DISPATCH_DIRECT => {
                exact(4)?;
                Packet::DispatchDirect { groups: [body[0], body[1], body[2]], initiator: body[3] }
            }
            op::SET_BASE | op::DISPATCH_INDIRECT => {
                forms::of(isa).read_indirect(opcode, body).ok_or(PacketError::UnknownOpcode { opcode })??
            }
            op::SURFACE_SYNC | op::ACQUIRE_MEM => {
                let read = cache::read_acquire(opcode, body, isa);
                let (gcr_cntl, base, size) = read.ok_or(PacketError::UnknownOpcode { opcode })??;
                Packet::AcquireMem { gcr_cntl, base, size }
            }
            op::EVENT_WRITE => {
                at_least(1)?;
                match body[0] & 0x3f {
                    EVENT_CS_PARTIAL_FLUSH => Packet::CsPartialFlush,
                    EVENT_SAMPLE_PIPELINESTAT => {
                        exact(3)?;
                        Packet::SamplePipelineStat { address: address(body[1], body[2]) }
                    }
                    _ => return bad("EVENT_WRITE of an event that compute queues do not have", 1),
                }
            }
            op::EVENT_WRITE_EOP | op::RELEASE_MEM => {
                let read = cache::read_release(opcode, body, isa);
                let (address, data, interrupt) = read.ok_or(PacketError::UnknownOpcode { opcode })??;
                Packet::ReleaseMem { address, data, interrupt }
            }
            op::WAIT_REG_MEM64 if !has_wide_waits(isa) => return Err(PacketError::UnknownOpcode { opcode }),
            op::WAIT_REG_MEM | op::WAIT_REG_MEM64 => {
                let wide = opcode == op::WAIT_REG_MEM64;
                exact(if wide { 8 } else { 6 })?;
                let Some(&func) = WaitFunc::ALL.get((body[0] & 7) as usize) else {
                    return bad("WAIT_REG_MEM FUNCTION", 1);
                };
                let clock = [WaitFunc::GreaterEqual as u32, REFERENCE_CLOCK, 0];
                if wide && body[..3] == clock && body[5..7] == [!0, !0] {
                    return Ok((Packet::WaitClock { tick: address(body[3], body[4]) }, len));
                }
                if body[0] >> 4 & 3 != 1 {
                    return bad("WAIT_REG_MEM of a register; only memory and the reference clock can be waited for", 1);
                }
                let address_ = address(body[1], body[2]);
                let (reference, mask) = match wide {
                    true => (address(body[3], body[4]), address(body[5], body[6])),
                    false => (u64::from(body[3]), u64::from(body[4])),
                };
                Packet::WaitRegMem { address: address_, reference, mask, func, wide }
            }
            op::WRITE_DATA => {
                at_least(4)?;
                // 5 = memory, 2 = memory through L2.
                if !matches!(body[0] >> 8 & 0xf, 2 | 5) {
                    return bad("WRITE_DATA DST_SEL: only memory can be written", 1);
                }
                if body[0] >> 16 & 1 != 0 {
                    return bad("WRITE_DATA WR_ONE_ADDR", 1);
                }
                Packet::WriteData { address: address(body[1], body[2]), data: body[3..].to_vec() }
            }
            op::COPY_DATA => {
                exact(5)?;
                let src = address(body[1], body[2]);
                let wide = body[0] >> 16 & 1 != 0;
                let source = match body[0] & 0xf {
                    1 | 2 => CopySource::Memory(src),
                    5 => CopySource::Immediate(if wide { src } else { src & 0xffff_ffff }),
                    9 => CopySource::Clock,
                    4 => match perf::Counter::of_register(body[1]) {
                        Some(counter) => CopySource::Counter(counter),
                        None => return bad("COPY_DATA of a register that is no performance counter", 2),
                    },
                    _ => return bad("COPY_DATA SRC_SEL", 1),
                };
                let dest = match body[0] >> 8 & 0xf {
                    2 | 5 => CopyDest::Memory(address(body[3], body[4])),
                    0 => match body[3].checked_sub(SH_REG_BASE) {
                        Some(r) if registers::has(r, 1 + usize::from(wide), isa) => CopyDest::ShReg(r as u16),
                        _ => return bad("COPY_DATA to a register that compute does not have on this generation", 4),
                    },
                    _ => return bad("COPY_DATA DST_SEL", 1),
                };
                Packet::CopyData { source, dest, wide }
            }
            op::CP_DMA | op::DMA_DATA => {
                forms::of(isa).read_transfer(opcode, body).ok_or(PacketError::UnknownOpcode { opcode })??
            }
            _ if opcode == forms::of(isa).indirect_buffer => {
                exact(3)?;
                if body[2] >> 20 & 1 != 0 {
                    return bad("INDIRECT_BUFFER CHAIN", 3);
                }
                Packet::IndirectBuffer { address: address(body[0], body[1]), dwords: body[2] & IB_MAX_DWORDS }
            }
            _ => return Err(PacketError::UnknownOpcode { opcode }),
        };
        Ok((packet, len))
    }
}
