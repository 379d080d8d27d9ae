// Shared memory (LDS) has 32 banks, each a word wide. Lanes that
// want different words of one bank wait for each other. A stride
// of 32 words puts all lanes on one bank; 33 puts none together.

const SIZE = 2112u;
var<workgroup> tile: array<u32, SIZE>;

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

override STRIDE: u32 = 32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32,
        @builtin(global_invocation_id) id: vec3u) {
    let at = (lane * STRIDE) % SIZE;
    tile[at] = lane;
    workgroupBarrier();
    var sum = 0u;
    for (var round = 0u; round < 16u; round++) {
        sum += tile[(at + round) % SIZE];
    }
    out[id.x] = sum;
}
