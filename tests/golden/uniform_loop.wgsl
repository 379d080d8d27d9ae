// A counted loop over a length that all lanes share; each round's load is used in that round.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    var sum = 0u;
    for (var k = 0u; k < a[0]; k++) {
        sum += a[k * 64u + i];
    }
    b[i] = sum;
}
