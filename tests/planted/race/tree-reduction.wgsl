// The steps of a tree reduction are not parted by barriers.
// RUN --groups 2 --buffer 0=f32[256]:iota --buffer 1=f32[2]
@group(0) @binding(0) var<storage, read> numbers: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
    part[lane] = numbers[group.x * 128u + lane];
    workgroupBarrier();
    for (var width = 64u; width > 0u; width /= 2u) {
        if lane < width {
            part[lane] += part[lane + width]; // FINDS race read-write, PAIR
        }
        // MENDED: workgroupBarrier();
    }
    if lane == 0u {
        sums[group.x] = part[0];
    }
}
