//! Launch state: what a wave finds in its registers when it starts, and where the driver left its arguments.
//!
//! ```text
//! s0..          user SGPRs, in the order of CodeObject::user_data (COMPUTE_USER_DATA_0..15)
//! then          TGID_X, TGID_Y, TGID_Z, TG_SIZE, SCRATCH_WAVE_OFFSET, each only if enabled (CodeObject::system)
//! v0, v1, v2    work-item id in the work-group: x, y, z (as many as tidig_comp_cnt says)
//! EXEC          the live lanes of the work-group's last wave, all ones otherwise
//! MODE          CodeObject::mode;  M0, VCC, SCC and all other registers: undefined (the emulator gives zero)
//! ```
//! Work-items are laid into waves in linear order: x fastest, then y, then z.

use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// Where TG_SIZE has the wave's index in its work-group: lowest bit, and bits. The number of waves stands in bits 5:0 everywhere.
/// Source: the RDNA 1 and 2 ISA documents' tables of SGPR initialisation.
const TG_SIZE_WAVE: &[(Gen, (u32, u32))] = &[(Gen::Gfx600, (6, 6)), (Gen::Gfx1030, (20, 5))];

/// Lowest bit and bits of the wave's index in TG_SIZE.
pub fn tg_size_wave(isa: Gen) -> (u32, u32) {
    inherited(TG_SIZE_WAVE, isa).expect("a column from the first generation on")
}

/// TG_SIZE of wave `index` of `count`.
pub fn tg_size(isa: Gen, index: u32, count: u32) -> u32 {
    let (low, bits) = tg_size_wave(isa);
    count & 63 | (index & ((1 << bits) - 1)) << low
}

/// One argument of a kernel in user SGPRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum UserData {
    /// 2 SGPRs: address of descriptor set `n`'s memory. See [`SetLayout`] for what lies there.
    DescriptorSet(u32),
    /// 2 SGPRs: address of a table of 32 × u64 descriptor-set addresses (used when a kernel touches more than four sets).
    SetTable,
    /// 2 SGPRs: address of the push-constant block; dynamic buffers' V#s follow it at [`DYNAMIC_DESCRIPTORS_OFFSET`].
    PushConstants,
    /// 3 SGPRs: number of work-groups x, y, z. An indirect dispatch's values are copied there by the command processor.
    NumWorkGroups,
    /// 2 SGPRs: address of the V# of the scratch ring (element size 4, index stride = wave size, swizzled, ADD_TID).
    ScratchRing,
    /// 3 SGPRs: vkCmdDispatchBase's base work-group.
    BaseWorkGroup,
}

impl UserData {
    /// SGPRs taken.
    pub const fn dwords(self) -> u32 {
        match self {
            UserData::NumWorkGroups | UserData::BaseWorkGroup => 3,
            _ => 2,
        }
    }
}

/// The flat apertures, of 4 GiB each, by the high dwords of their bases: an address there is one in the work-group's LDS, or in the
/// lane's private memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Apertures {
    pub shared: u32,
    pub private: u32,
}

impl Default for Apertures {
    fn default() -> Self {
        apertures(Gen::default())
    }
}

/// As Linux programs SH_MEM_BASES (kfd_flat_memory.c): of GCN 2 that has three bits, which both bases begin with, and hardware
/// puts private memory behind LDS.
const APERTURES: &[(Gen, Apertures)] = &[
    (Gen::Gfx600, Apertures { shared: 0x2000_0000, private: 0x2000_0001 }),
    (Gen::Gfx900, Apertures { shared: 0x0001_0000, private: 0x0002_0000 }),
];

/// Where a generation's flat apertures are.
pub fn apertures(isa: Gen) -> Apertures {
    inherited(APERTURES, isa).expect("a column from the first generation on")
}

/// What FLAT_SCRATCH says, which a kernel writes before it uses private memory by FLAT and SCRATCH instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlatScratch {
    /// Low dword: bytes of a lane. High dword: 256-byte units from the private memory's base (SH_HIDDEN_PRIVATE_BASE_VMID) to the
    /// wave's.
    SizeAndOffset,
    /// The address of the wave's private memory.
    Address,
}

/// UCONFIG register with the base of private memory in units of 64 KiB. On a card the kernel's driver writes SH_HIDDEN_PRIVATE_BASE_VMID
/// for each process, a privileged register of another block; this place is ours.
pub const HIDDEN_PRIVATE_BASE: u16 = 0x3ff;

/// Source: LLVM AMDGPU user guide, "Flat Scratch".
const FLAT_SCRATCH: &[(Gen, FlatScratch)] =
    &[(Gen::Gfx600, FlatScratch::SizeAndOffset), (Gen::Gfx900, FlatScratch::Address)];

/// How a generation's FLAT_SCRATCH is read.
pub fn flat_scratch(isa: Gen) -> FlatScratch {
    inherited(FLAT_SCRATCH, isa).expect("a column from the first generation on")
}

/// Most user SGPRs that a compute dispatch has (COMPUTE_USER_DATA_0..15).
pub const MAX_USER_SGPRS: u32 = 16;
/// Bytes of push constants that the driver reports (maxPushConstantsSize).
pub const PUSH_CONSTANT_BYTES: u32 = 256;
/// Byte offset, from the push-constant address, of the 16-byte V#s of dynamic uniform and storage buffers.
pub const DYNAMIC_DESCRIPTORS_OFFSET: u32 = PUSH_CONSTANT_BYTES;

/// What kind of resource a binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    UniformBuffer,
    StorageBuffer,
    UniformBufferDynamic,
    StorageBufferDynamic,
    /// A V# with a format; no writes.
    UniformTexelBuffer,
    /// A V# with a format.
    StorageTexelBuffer,
    /// A T#, read through a sampler or fetched.
    SampledImage,
    /// A T#, read and written texel by texel.
    StorageImage,
    /// An S#.
    Sampler,
    /// A T#, and an S# at [`COMBINED_SAMPLER_OFFSET`].
    CombinedImageSampler,
    /// The bytes of a uniform block lie in the set itself; the binding's count is their number.
    InlineUniformBlock,
    /// Any kind but dynamic buffers and inline blocks: the shader's type says what lies there.
    Mutable,
}

/// Byte offset of the S# in a [`BindingKind::CombinedImageSampler`].
pub const COMBINED_SAMPLER_OFFSET: u32 = 32;

impl BindingKind {
    /// Bytes of one descriptor: a V# and an S# are 4 dwords, a T# is 8.
    pub const fn bytes(self) -> u32 {
        match self {
            BindingKind::SampledImage | BindingKind::StorageImage => 32,
            BindingKind::CombinedImageSampler | BindingKind::Mutable => COMBINED_SAMPLER_OFFSET + 16,
            BindingKind::InlineUniformBlock => 1,
            _ => 16,
        }
    }

    pub const fn is_dynamic(self) -> bool {
        matches!(self, BindingKind::UniformBufferDynamic | BindingKind::StorageBufferDynamic)
    }
}

/// Where a binding's descriptors lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Byte offset in the set's memory; element `i` of the binding's array at `+ i * stride`.
    Set(u32),
    /// Byte offset from the push-constant address (dynamic buffers), same stride rule.
    Push(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BindingLayout {
    pub binding: u32,
    pub kind: BindingKind,
    /// Array length (1 for a plain resource).
    pub count: u32,
    pub place: Place,
    /// Bytes from one element to the next, at least [`BindingKind::bytes`].
    pub stride: u32,
}

/// One descriptor set's layout; bindings sorted by number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct SetLayout {
    pub bindings: Vec<BindingLayout>,
    /// Bytes of set memory.
    pub size: u32,
}

/// The pipeline layout: sets by number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct PipelineLayout {
    pub sets: Vec<SetLayout>,
    pub push_constant_bytes: u32,
}

impl PipelineLayout {
    /// The layout entry of `set`/`binding`, if any.
    pub fn find(&self, set: u32, binding: u32) -> Option<&BindingLayout> {
        let bindings = &self.sets.get(set as usize)?.bindings;
        bindings.iter().find(|b| b.binding == binding)
    }
}
