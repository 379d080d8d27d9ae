//! The 64-byte kernel descriptor: LLVM AMDGPU user guide, "Code Object V3 Kernel Descriptor".

use crate::code::WaveSize;
use crate::rsrc::PgmRsrc;
use wavepipe_isa::Gen;

/// User SGPRs that a kernel wants filled, in this order from s0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct UserSgprs {
    /// 4: V# of the scratch ring.
    pub private_segment_buffer: bool,
    /// 2: address of the AQL packet.
    pub dispatch_ptr: bool,
    /// 2: address of the queue's amd_queue_t.
    pub queue_ptr: bool,
    /// 2: address of the arguments.
    pub kernarg_segment_ptr: bool,
    /// 2: number of the dispatch on its queue.
    pub dispatch_id: bool,
    /// 2: address of the scratch ring.
    pub flat_scratch_init: bool,
    /// 1: private bytes of a lane.
    pub private_segment_size: bool,
}

impl UserSgprs {
    fn from_bits(bits: u16) -> UserSgprs {
        let bit = |n: u32| bits >> n & 1 != 0;
        UserSgprs {
            private_segment_buffer: bit(0),
            dispatch_ptr: bit(1),
            queue_ptr: bit(2),
            kernarg_segment_ptr: bit(3),
            dispatch_id: bit(4),
            flat_scratch_init: bit(5),
            private_segment_size: bit(6),
        }
    }

    /// SGPRs that these take.
    pub fn dwords(self) -> u32 {
        let pairs =
            [self.dispatch_ptr, self.queue_ptr, self.kernarg_segment_ptr, self.dispatch_id, self.flat_scratch_init];
        4 * u32::from(self.private_segment_buffer)
            + 2 * pairs.into_iter().map(u32::from).sum::<u32>()
            + u32::from(self.private_segment_size)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct KernelDescriptor {
    /// Whose registers it has.
    pub isa: Gen,
    pub group_bytes: u32,
    pub private_bytes: u32,
    pub kernarg_bytes: u32,
    /// From the descriptor's own address to the first instruction.
    pub entry_offset: i64,
    pub rsrc1: u32,
    pub rsrc2: u32,
    pub rsrc3: u32,
    pub user_sgprs: UserSgprs,
    pub wave32: bool,
    pub dynamic_stack: bool,
}

impl KernelDescriptor {
    pub const BYTES: usize = 64;

    pub fn read(isa: Gen, b: &[u8; Self::BYTES]) -> KernelDescriptor {
        let u32_at = |at: usize| u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]);
        let properties = u16::from_le_bytes([b[56], b[57]]);
        KernelDescriptor {
            isa,
            group_bytes: u32_at(0),
            private_bytes: u32_at(4),
            kernarg_bytes: u32_at(8),
            entry_offset: (u64::from(u32_at(16)) | u64::from(u32_at(20)) << 32) as i64,
            rsrc3: u32_at(44),
            rsrc1: u32_at(48),
            rsrc2: u32_at(52),
            user_sgprs: UserSgprs::from_bits(properties),
            // Of generations with waves of 64 only the bit is reserved.
            wave32: isa.caps().wave32 && properties >> 10 & 1 != 0,
            dynamic_stack: properties >> 11 & 1 != 0,
        }
    }

    pub fn wave(&self) -> WaveSize {
        if self.wave32 { WaveSize::W32 } else { WaveSize::W64 }
    }

    pub fn rsrc(&self) -> PgmRsrc {
        PgmRsrc { isa: self.isa, rsrc1: self.rsrc1, rsrc2: self.rsrc2 }
    }
}
