//! PM4, the command processor's packet language (type 3). One enum for both sides: the runtime builds packets with
//! [`Packet::encode`], the command processor reads them with [`Packet::decode`].
//!
//! Header: [31:30] = 3, [29:16] = body dwords − 1, [15:8] = opcode, [1] = shader type (1 = compute).

/// SH registers that a compute dispatch reads: dword offsets from SH_REG_BASE (0x2c00).
pub mod reg {
    pub const COMPUTE_DISPATCH_INITIATOR: u16 = 0x200;
    pub const COMPUTE_START_X: u16 = 0x204;
    pub const COMPUTE_NUM_THREAD_X: u16 = 0x207;
    pub const COMPUTE_PGM_LO: u16 = 0x20c;
    pub const COMPUTE_PGM_RSRC1: u16 = 0x212;
    pub const COMPUTE_PGM_RSRC2: u16 = 0x213;
    pub const COMPUTE_RESOURCE_LIMITS: u16 = 0x215;
    /// Bits 11:0 WAVES, 24:12 WAVESIZE (scratch KiB of a wave).
    pub const COMPUTE_TMPRING_SIZE: u16 = 0x218;
    pub const COMPUTE_PGM_RSRC3: u16 = 0x228;
    pub const COMPUTE_USER_DATA_0: u16 = 0x240;
    /// One past the last register that the block holds.
    pub const END: u16 = 0x280;
}

/// DISPATCH_INITIATOR bits that matter here.
pub mod initiator {
    pub const COMPUTE_SHADER_EN: u32 = 1 << 0;
    /// START_X/Y/Z are honoured (vkCmdDispatchBase).
    pub const USE_START: u32 = 0;
    pub const FORCE_START_AT_000: u32 = 1 << 2;
    pub const ORDER_MODE: u32 = 1 << 4;
    /// Set for wave32, clear for wave64.
    pub const CS_W32_EN: u32 = 1 << 15;
}

/// Comparison of WAIT_REG_MEM.
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
    Nop { body: Vec<u32> },
    /// Writes consecutive SH registers from `reg` on.
    SetShReg { reg: u16, values: Vec<u32> },
    /// Launches `groups` work-groups with the current SH registers.
    DispatchDirect { groups: [u32; 3], initiator: u32 },
    /// Reads the three group counts at `address` when the packet executes.
    DispatchIndirect { address: u64, initiator: u32 },
    /// Makes earlier writes visible to later reads: cache invalidates, by the GCR_CNTL bits. Also waits for earlier
    /// dispatches of this queue when preceded by [`Packet::CsPartialFlush`].
    AcquireMem { gcr_cntl: u32, base: u64, size: u64 },
    /// EVENT_WRITE CS_PARTIAL_FLUSH: waits until every earlier dispatch of this queue is done.
    CsPartialFlush,
    /// After every earlier dispatch and copy of this queue: writes back caches, then `data` to `address`, then raises
    /// the interrupt if asked.
    ReleaseMem { address: u64, data: ReleaseData, interrupt: bool },
    /// Stops the queue until `(*address & mask) func reference`, 32 or 64 bit wide.
    WaitRegMem { address: u64, reference: u64, mask: u64, func: WaitFunc, wide: bool },
    /// Writes dwords to memory, in order with the queue's packets (not with running dispatches).
    WriteData { address: u64, data: Vec<u32> },
    CopyData { source: CopySource, dest: CopyDest, wide: bool },
    /// Copies or fills memory; `bytes` any length, `sync` holds later packets until it is done.
    DmaData { source: DmaSource, dest: u64, bytes: u32, sync: bool },
    /// Runs `dwords` of packets at `address`, then returns here.
    IndirectBuffer { address: u64, dwords: u32 },
}
