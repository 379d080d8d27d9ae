@group(0) @binding(0) var<storage, read_write> x: array<f32>;

var<workgroup> tile: array<f32, 4096>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    tile[16u * i] = x[id.x];
    workgroupBarrier();
    x[id.x] = tile[16u * (255u - i)];
}
