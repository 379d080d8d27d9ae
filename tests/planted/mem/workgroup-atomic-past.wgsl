// Counting value 32 of a histogram of 32 in workgroup memory.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[32]
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;
var<workgroup> counts: array<atomic<u32>, 32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    atomicAdd(&counts[values[lane] % 33u], 1u); // FINDS mem, BUG
    // MENDED: atomicAdd(&counts[values[lane] % 32u], 1u);
    workgroupBarrier();
    if lane < 32u {
        atomicAdd(&bins[lane], atomicLoad(&counts[lane]));
    }
}
