//! The physical device as plain numbers: what a Vulkan driver, a tool or a test reports of the machine.

use std::sync::OnceLock;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::PUSH_CONSTANT_BYTES;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pipe;
use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// What a family's queues are for. All of them run the same packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueKind {
    General,
    Compute,
    Transfer,
}

/// A group of alike queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFamily {
    pub kind: QueueKind,
    /// The command processor's pipes that its queues are spread over: the first, and how many.
    pub first_pipe: u32,
    pub pipes: u32,
    pub queues: u32,
    /// Significant bits of a timestamp.
    pub timestamp_bits: u32,
}

/// Limits of the driver; bytes unless the name says otherwise. [`Limits::of`] has those of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    pub max_workgroup_count: [u32; 3],
    pub max_push_constants: u32,
    pub max_bound_sets: u32,
    /// Per pipeline, over all sets.
    pub max_dynamic_uniform_buffers: u32,
    pub max_dynamic_storage_buffers: u32,
    pub max_uniform_range: u32,
    pub max_storage_range: u32,
    pub max_allocations: u32,
    pub min_buffer_offset_alignment: u64,
    /// Alignment of what `Memory::host_ptr` gives.
    pub min_map_alignment: u64,
    /// Required alignment of a buffer in its memory.
    pub buffer_alignment: u64,
    pub max_timeline_difference: u64,
    /// Texels in each direction.
    pub max_image_dimension_1d: u32,
    pub max_image_dimension_2d: u32,
    pub max_image_dimension_3d: u32,
    pub max_image_array_layers: u32,
    pub max_texel_buffer_elements: u32,
    /// Sample counts of multisampled images, a bit each.
    pub sample_counts: u32,
    pub max_sampler_anisotropy: f32,
    pub max_sampler_lod_bias: f32,
}

/// What a machine shows of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// With the card and its architecture, whose instructions that gfx1010 has not are not used.
    pub name: String,
    /// All memory, and the most of one allocation.
    pub memory_bytes: u64,
    /// Bytes of shared memory of a work-group.
    pub max_shared_memory: u32,
    pub max_workgroup_invocations: u32,
    /// Ticks a second of timestamps.
    pub timestamp_hz: u64,
    /// Nanoseconds a tick, as Vulkan's timestampPeriod.
    pub timestamp_period_ns: f32,
    /// Smallest and largest subgroup, in lanes.
    pub subgroup_sizes: [u32; 2],
    /// Waves of one work-group at most, for computeFullSubgroups and maxComputeWorkgroupSubgroups.
    pub max_workgroup_subgroups: u32,
}

/// The general queue has the front end for itself, asynchronous compute all queues of the ACEs, transfers the DMA engine.
pub fn queue_families(machine: &Machine) -> [QueueFamily; QUEUE_FAMILIES] {
    let [aces, queues] = [&machine.command.aces, &machine.command.queues_per_ace].map(|f| f.value as u32);
    [
        QueueFamily { kind: QueueKind::General, first_pipe: pipe::FRONT_END, pipes: 1, queues: 1, timestamp_bits: 64 },
        QueueFamily {
            kind: QueueKind::Compute,
            first_pipe: pipe::FIRST_ACE,
            pipes: aces,
            queues: aces * queues,
            timestamp_bits: 64,
        },
        QueueFamily { kind: QueueKind::Transfer, first_pipe: pipe::DMA, pipes: 1, queues: 2, timestamp_bits: 64 },
    ]
}

/// How many there are, on every machine.
pub const QUEUE_FAMILIES: usize = 3;

/// Least memory that is shown: Vulkan's least maxMemoryAllocationSize.
const LEAST_MEMORY: u64 = 1 << 30;
/// What is shown where the host does not say: the card's.
const CARD_MEMORY: u64 = 8 << 30;

/// Video memory is the host's: three quarters of what the process may have, in whole MiB.
pub(crate) fn memory_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let installed = host_memory("MemTotal:");
        // A container's own limit.
        let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|t| t.trim().parse().ok());
        let bytes = installed.into_iter().chain(limit).min().map_or(CARD_MEMORY, |b| b / 4 * 3);
        (bytes & !0xfffff).max(LEAST_MEMORY)
    })
}

/// A line of the host's account of its memory, in bytes.
fn host_memory(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Bytes that the process could still allocate: what the host has to spare, and the heap has left.
pub fn memory_available() -> u64 {
    let left = memory_bytes().saturating_sub(crate::memory::memory_in_use());
    host_memory("MemAvailable:").map_or(left, |spare| spare.min(left))
}

/// What is the same on any machine, and of images what every machine has.
pub const LIMITS: Limits = Limits {
    max_workgroup_count: [u32::MAX, 65535, 65535],
    max_push_constants: PUSH_CONSTANT_BYTES,
    max_bound_sets: 32,
    max_dynamic_uniform_buffers: 16,
    max_dynamic_storage_buffers: 16,
    max_uniform_range: !15,
    max_storage_range: u32::MAX,
    max_allocations: 65536,
    min_buffer_offset_alignment: 16,
    min_map_alignment: 4096,
    buffer_alignment: 16,
    max_timeline_difference: u64::MAX,
    // WIDTH and HEIGHT of a T# have at least 14 bits, DEPTH and BASE_ARRAY at least 13.
    max_image_dimension_1d: 16384,
    max_image_dimension_2d: 16384,
    max_image_dimension_3d: 2048,
    max_image_array_layers: 2048,
    max_texel_buffer_elements: u32::MAX,
    // As many as there are fragments of a texel: CB_COLOR_ATTRIB.NUM_FRAGMENTS has two bits for their logarithm, T#s have four.
    sample_counts: 1 | 2 | 4 | 8,
    max_sampler_anisotropy: 16.0,
    max_sampler_lod_bias: 16.0,
};

impl Limits {
    /// As RADV reports them (radv_physical_device.c, radv_init_image_properties): depth and layers grew with RDNA 1. Its sample counts
    /// and ranges of buffers are the same on all.
    pub fn of(isa: Gen) -> Limits {
        let slices = inherited(&[(Gen::Gfx600, LIMITS.max_image_array_layers), (Gen::Gfx1010, 8192)], isa);
        let slices = slices.unwrap_or(LIMITS.max_image_array_layers);
        Limits { max_image_dimension_3d: slices, max_image_array_layers: slices, ..LIMITS }
    }
}

impl Info {
    pub fn of(machine: &Machine) -> Info {
        let subgroup_sizes = [WaveSize::least(machine.generation()).lanes(), WaveSize::W64.lanes()];
        let max_workgroup_invocations = machine.simd.workgroup_items.value as u32;
        let product = machine.product.strip_prefix("Radeon ").unwrap_or(&machine.product);
        Info {
            name: format!("wavepipe ({product}, {})", machine.isa),
            memory_bytes: memory_bytes(),
            max_shared_memory: machine.workgroup_lds() as u32,
            max_workgroup_invocations,
            timestamp_hz: machine.reference_hz(),
            timestamp_period_ns: (1e9 / machine.reference_hz() as f64) as f32,
            subgroup_sizes,
            max_workgroup_subgroups: max_workgroup_invocations / subgroup_sizes[0],
        }
    }
}
