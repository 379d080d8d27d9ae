// The last invocation's right neighbour is not there.
// RUN --groups 2 --buffer 0=f32[128]:iota --buffer 1=f32[128]
@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let i = at.x;
    let left = src[max(i, 1u) - 1u];
    let right = src[i + 1u]; // FINDS mem, BUG
    // MENDED: let right = src[min(i + 1u, arrayLength(&src) - 1u)];
    dst[i] = 0.25 * left + 0.5 * src[i] + 0.25 * right;
}
