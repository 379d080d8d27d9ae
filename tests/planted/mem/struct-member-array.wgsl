// The weight behind the last one is the bias.
// RUN --groups 1 --buffer 0:iota --buffer 1=f32[32]
// BYTES 0 160
struct Layer { weights: array<f32, 9>, bias: f32 }
@group(0) @binding(0) var<storage, read> layers: array<Layer, 4>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let layer = at.x % 4u;
    var sum = layers[layer].bias;
    for (var i = 0u; i < 10u; i++) { // BUG
    // MENDED: for (var i = 0u; i < 9u; i++) {
        sum += layers[layer].weights[i] * f32(at.x); // FINDS mem
    }
    result[at.x] = sum;
}
