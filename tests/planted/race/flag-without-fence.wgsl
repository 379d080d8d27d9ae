// Data are handed on with an atomic flag, which orders nothing but itself.
// RUN --groups 4 --buffer 0=u32[4] --buffer 1=u32[4]
@group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>; // BUG
// MENDED: @group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
    var before = 0u;
    if group.x > 0u {
        while atomicLoad(&flags[group.x - 1u]) == 0u {}
        before = sums[group.x - 1u]; // FINDS race read-write, BUG
        // MENDED: before = atomicLoad(&sums[group.x - 1u]);
    }
    sums[group.x] = before + group.x; // PAIR, BUG
    // MENDED: atomicStore(&sums[group.x], before + group.x);
    atomicStore(&flags[group.x], 1u);
}
