// A loop runs to and with the count.
// RUN --groups 1 --buffer 0=f32[256]:iota --buffer 1=f32[16]
@group(0) @binding(0) var<storage, read> m: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) at: vec3u) {
    var sum = 0.0;
    for (var k = 0u; k <= 16u; k++) { // BUG
    // MENDED: for (var k = 0u; k < 16u; k++) {
        sum += m[at.x * 16u + k]; // FINDS mem
    }
    sums[at.x] = sum;
}
