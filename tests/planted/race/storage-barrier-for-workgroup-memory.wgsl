// storageBarrier() says nothing of workgroup variables: the data need workgroupBarrier().
// RUN --groups 2 --buffer 0=u32[256]
@group(0) @binding(0) var<storage, read_write> turned: array<u32>;
var<workgroup> words: array<u32, 128>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) at: vec3u) {
    words[lane] = at.x; // PAIR
    storageBarrier();
    // MENDED: workgroupBarrier();
    turned[at.x] = words[127u - lane]; // FINDS race read-write
}
