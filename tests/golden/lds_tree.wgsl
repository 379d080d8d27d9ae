// A tree of sums: a barrier in each round of a loop that is not unrolled for its bound is loaded.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
var<workgroup> sums: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    sums[local] = a[i];
    for (var width = 32u; width > 0u; width >>= 1u) {
        workgroupBarrier();
        if (local < width) {
            sums[local] += sums[local + width];
        }
    }
    if (local == 0u) { b[i] = sums[0]; }
}
