@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    tile[i] = x[id.x];
    for (var s = 16u; s > 0u; s /= 2u) {
        workgroupBarrier();
        if i % 32u < s {
            tile[i] += tile[i + s];
        }
    }
    if i % 32u == 0u {
        sums[id.x / 32u] = tile[i];
    }
}
