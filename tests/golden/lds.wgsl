// Neighbours exchange through LDS, with a barrier of one or two waves.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
var<workgroup> shared_words: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    shared_words[local] = a[i];
    workgroupBarrier();
    b[i] = shared_words[local ^ 1u] + shared_words[63u - local];
}
