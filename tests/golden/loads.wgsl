// Four loads in order, of which the last is used first: in-order counters make the first use wait for all.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    let x = a[i];
    let y = a[i + 64u];
    let z = a[i + 128u];
    let w = a[i + 192u];
    b[i] = ((w * 3u + x) * 5u + y) * 7u + z;
}
