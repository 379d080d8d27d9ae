// One over the distance to itself.
// RUN --groups 1 --buffer 0=f32[32]:iota --buffer 1=f32[32]
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> force: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) at: vec3u) {
    var sum = 0.0;
    for (var i = 0u; i < 32u; i++) {
        // MENDED: if i == at.x { continue; }
        sum += 1.0 / abs(x[at.x] - x[i]); // FINDS num
    }
    force[at.x] = sum;
}
