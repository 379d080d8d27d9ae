// Each invocation doubles one number.
// Run it, or step through it: the listing beside shows which
// machine instructions this line becomes.

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    y[i] = 2.0 * x[i] + 1.0;
}
