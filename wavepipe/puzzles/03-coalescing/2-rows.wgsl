@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    var sum = 0.0;
    for (var k = 0u; k < 64u; k++) {
        sum += x[id.x * 64u + k];
    }
    sums[id.x] = sum;
}
