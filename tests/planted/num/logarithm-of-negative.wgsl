// The logarithm of a difference that may be below zero.
// RUN --groups 1 --buffer 0=f32[32]:iota --buffer 1=f32[32]
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let excess = x[at.x] - 15.5; // BUG
    // MENDED: let excess = x[at.x] + 0.5;
    y[at.x] = log2(excess); // FINDS num
}
