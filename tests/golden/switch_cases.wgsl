// A switch on what each lane loaded.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    var x = a[i];
    switch (x & 3u) {
        case 0u: { x = x + a[i + 64u]; }
        case 1u: { x = x * 3u; }
        case 2u: { b[i + 64u] = x; }
        default: { x = 0u; }
    }
    b[i] = x;
}
