@group(0) @binding(0) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    let element = id.x;
    var v = x[element];
    if id.x % 2u == 0u {
        for (var n = 0; n < 16; n++) { v = 0.5 * v; }
    } else {
        for (var n = 0; n < 16; n++) { v = v + v; }
    }
    x[element] = v;
}
