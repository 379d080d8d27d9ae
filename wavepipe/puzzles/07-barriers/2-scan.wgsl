@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> tile: array<u32, 128>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = x[i];
    workgroupBarrier();
    for (var s = 1u; s < 128u; s *= 2u) {
        if i >= s {
            tile[i] += tile[i - s];
        }
    }
    sums[i] = tile[i];
}
