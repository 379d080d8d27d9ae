@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

var<workgroup> tile: array<f32, 1024>;

@compute @workgroup_size(32, 8)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    for (var row = id.y; row < 32u; row += 8u) {
        tile[row * 32u + id.x] = x[row * 32u + id.x];
    }
    workgroupBarrier();
    for (var row = id.y; row < 32u; row += 8u) {
        y[row * 32u + id.x] = tile[id.x * 32u + row];
    }
}
