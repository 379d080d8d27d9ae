@group(0) @binding(0) var<storage, read_write> lanes: array<u32>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    lanes[id.x] = 32u;
}
