// Each invocation adds its own counts to the work-group's without atomics.
// RUN --groups 1 --buffer 0=u32[1024]:rand --buffer 1=u32[8]
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<u32>;
var<workgroup> counts: array<u32, 8>; // BUG
// MENDED: var<workgroup> counts: array<atomic<u32>, 8>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) lane: u32) {
    var own = array<u32, 8>();
    for (var i = lane; i < 1024u; i += 128u) {
        own[pixels[i] % 8u]++;
    }
    for (var bin = 0u; bin < 8u; bin++) {
        counts[bin] += own[bin]; // FINDS race read-write, PAIR, BUG
        // MENDED: atomicAdd(&counts[bin], own[bin]);
    }
    workgroupBarrier();
    if lane < 8u {
        bins[lane] = counts[lane]; // BUG
        // MENDED: bins[lane] = atomicLoad(&counts[lane]);
    }
}
