@group(0) @binding(0) var<storage, read> factors: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    var sum = 0.0;
    for (var k = 0u; k < 8u; k++) {
        sum += factors[id.x / 64u * 8u + k] * f32(i + k);
    }
    y[id.x] = sum;
}
