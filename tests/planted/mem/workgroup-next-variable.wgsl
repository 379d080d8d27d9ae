// A store past one workgroup array lands in the next one.
// RUN --groups 2 --buffer 0=u32[128]:iota
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> kept: array<u32, 32>;
var<workgroup> sums: array<u32, 32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) at: vec3u) {
    kept[lane] = data[at.x]; // FINDS mem, BUG
    // MENDED: if lane < 32u { kept[lane] = data[at.x]; }
    workgroupBarrier();
    if lane < 32u {
        sums[lane] = kept[31u - lane];
    }
    workgroupBarrier();
    data[at.x] = sums[lane % 32u];
}
