@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    let row = i / 8u;
    let column = i % 8u;
    var sum = 0.0;
    for (var k = 0u; k < 8u; k++) {
        sum += a[row * 8u + k] * b[k * 8u + column];
    }
    c[i] = sum;
}
