// workgroupBarrier() says nothing of storage buffers: what is in them needs storageBarrier().
// RUN --groups 2 --buffer 0=u32[256]:iota --buffer 1=u32[256]
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> turned: array<u32>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
    let first = 128u * group.x;
    data[first + lane] = 3u * lane; // PAIR
    workgroupBarrier(); // BUG
    // MENDED: storageBarrier();
    turned[first + lane] = data[first + 127u - lane]; // FINDS race read-write
}
