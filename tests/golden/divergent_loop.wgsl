// Lanes leave by break and skip rounds by continue.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    var x = i;
    var count = 0u;
    loop {
        if (x == 1u) { break; }
        count += 1u;
        if ((x & 1u) == 0u) {
            x = x >> 1u;
            continue;
        }
        x = x * 3u + 1u;
        if (count > 200u) { break; }
    }
    b[i] = count;
}
