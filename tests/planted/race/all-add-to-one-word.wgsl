// A counter that is not atomic<u32>.
// RUN --groups 2 --buffer 0=u32[1]
@group(0) @binding(0) var<storage, read_write> count: u32; // BUG
// MENDED: @group(0) @binding(0) var<storage, read_write> count: atomic<u32>;

@compute @workgroup_size(64)
fn main() {
    count++; // FINDS race read-write, PAIR, BUG
    // MENDED: atomicAdd(&count, 1u);
}
