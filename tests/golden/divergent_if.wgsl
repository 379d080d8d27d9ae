// Each lane takes its arm, both of which load.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    var x = 0u;
    if (a[i] < 7u) {
        x = a[i + 64u] + 1u;
    } else {
        x = a[i + 128u] * a[i];
    }
    b[i] = x;
}
