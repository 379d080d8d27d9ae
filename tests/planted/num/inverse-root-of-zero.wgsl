// One over the root of zero.
// RUN --groups 1 --buffer 0=f32[32]:iota
@group(0) @binding(0) var<storage, read_write> data: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let x = data[at.x]; // BUG
    // MENDED: let x = data[at.x] + 1.0;
    data[at.x] = inverseSqrt(x); // FINDS num
}
