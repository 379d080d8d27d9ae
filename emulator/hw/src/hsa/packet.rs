//! What kernels read of their dispatch and their queue: the AQL packet and amd_queue_t.

use crate::launch::apertures;
use wavepipe_isa::Gen;

/// An AQL kernel dispatch packet (HSA platform system architecture, "Kernel dispatch packet").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DispatchPacket {
    /// 1 to 3.
    pub dimensions: u16,
    pub workgroup: [u16; 3],
    /// Work-items.
    pub grid: [u32; 3],
    pub private_bytes: u32,
    pub group_bytes: u32,
    /// Address of the kernel descriptor.
    pub kernel_object: u64,
    pub kernarg: u64,
    pub completion_signal: u64,
}

/// HSA_PACKET_TYPE_KERNEL_DISPATCH, with system scope fences at both ends.
const HEADER: u16 = 2 | 2 << 9 | 2 << 11;

impl DispatchPacket {
    pub const BYTES: usize = 64;

    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut b = [0; Self::BYTES];
        let mut put = |at: usize, bytes: &[u8]| b[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &HEADER.to_le_bytes());
        put(2, &self.dimensions.to_le_bytes());
        for i in 0..3 {
            put(4 + 2 * i, &self.workgroup[i].to_le_bytes());
            put(12 + 4 * i, &self.grid[i].to_le_bytes());
        }
        put(24, &self.private_bytes.to_le_bytes());
        put(28, &self.group_bytes.to_le_bytes());
        put(32, &self.kernel_object.to_le_bytes());
        put(40, &self.kernarg.to_le_bytes());
        put(56, &self.completion_signal.to_le_bytes());
        b
    }
}

/// Bytes of an amd_queue_t.
pub const QUEUE_BYTES: usize = 256;

/// The fields of an amd_queue_t that kernels read: the apertures.
pub fn queue_image(isa: Gen) -> [u8; QUEUE_BYTES] {
    let apertures = apertures(isa);
    let mut b = [0; QUEUE_BYTES];
    b[0x40..0x44].copy_from_slice(&apertures.shared.to_le_bytes());
    b[0x44..0x48].copy_from_slice(&apertures.private.to_le_bytes());
    b
}
