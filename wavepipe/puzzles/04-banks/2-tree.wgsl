@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sum: array<f32>;

var<workgroup> tile: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = x[i];
    for (var s = 1u; s < 256u; s *= 2u) {
        workgroupBarrier();
        let at = 2u * s * i;
        if at < 256u {
            tile[at] += tile[at + s];
        }
    }
    if i == 0u {
        sum[0] = tile[0];
    }
}
