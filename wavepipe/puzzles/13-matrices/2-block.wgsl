@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

const N: u32 = 32;

@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    for (var part = 0u; part < 4u; part++) {
        let row = 2u * id.y + part / 2u;
        let column = id.x + part % 2u * 16u;
        var sum = 0.0;
        for (var k = 0u; k < N; k++) {
            sum += a[row * N + k] * b[k * N + column];
        }
        c[row * N + column] = sum;
    }
}
