@group(0) @binding(0) var<storage, read_write> x: array<f32>;

fn work(a: f32) -> f32 {
    var v = a;
    for (var n = 0; n < 20; n++) { v = 1.1 * v + sqrt(v); }
    return v;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let a = x[id.x] + 1.0;
    if id.x % 3u == 0u {
        x[id.x] = work(a);
    } else {
        x[id.x] = work(1.0 / a);
    }
}
