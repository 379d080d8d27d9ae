// A long loop of fused multiply-adds in eight independent chains.

@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var a = vec4<f32>(f32(id.x & 255u)) + vec4<f32>(0.0, 1.0, 2.0, 3.0);
    var b = a + 4.0;
    let m = vec4<f32>(0.5);
    let c = vec4<f32>(1.0);
    for (var i = 0u; i < 512u; i++) {
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
    }
    out[id.x] = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
}
