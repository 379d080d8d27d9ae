// All lanes read the same: the scalar unit loads, and comes back in any order.
struct Parameters { scale: vec4<u32>, offset: u32 }
@group(0) @binding(2) var<uniform> p: Parameters;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    b[i] = a[i] * p.scale.x + a[p.offset] * p.scale.w;
}
