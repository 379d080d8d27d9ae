// Fused multiply-adds in eight independent chains, 128 of them a round.

struct Parameters {
    rounds: u32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var a = vec4<f32>(f32(id.x & 255u)) + vec4<f32>(0.0, 1.0, 2.0, 3.0);
    var b = a + 4.0;
    let m = vec4<f32>(0.5);
    let c = vec4<f32>(1.0);
    for (var i = 0u; i < p.rounds; i++) {
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
    }
    a += b;
    result[id.x] = a.x + a.y + a.z + a.w;
}
