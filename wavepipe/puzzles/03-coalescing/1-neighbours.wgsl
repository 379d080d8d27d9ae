@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    for (var k = 0u; k < 16u; k++) {
        let element = id.x * 16u + k;
        y[element] = 2.0 * x[element];
    }
}
