// Lanes that have nothing to do end early, twice.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    if (i >= arrayLength(&b)) { return; }
    let x = a[i];
    if (x == 0u) { return; }
    b[i] = 1000u / x;
}
