// Neighbouring lanes that read neighbouring words share cache
// lines. With STRIDE = 32 each lane has a line of its own: look at
// the lines per access beside the load.

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

override STRIDE: u32 = 1;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = (id.x * STRIDE) % arrayLength(&x);
    y[id.x] = x[i];
}
