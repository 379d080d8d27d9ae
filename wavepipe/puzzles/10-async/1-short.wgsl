@group(0) @binding(0) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    if group.x == 0u {
        for (var row = 0u; row < 64u; row++) {
            x[row * 64u + i] += 1.0;
        }
    }
}
