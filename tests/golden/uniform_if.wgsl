// A condition that is the same for all lanes is a branch on SCC.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    if (a[0] < 7u) {
        b[i] = a[i];
    }
}
