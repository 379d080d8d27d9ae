// The next tile of a product is loaded while others still use the last one.
// RUN --groups 2,2 --buffer 0=f32[1024]:rand --buffer 1=f32[1024]:rand --buffer 2=f32[1024]
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> tile_a: array<f32, 256>;
var<workgroup> tile_b: array<f32, 256>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_id) l: vec3u) {
    var sum = 0.0;
    for (var t = 0u; t < 32u; t += 16u) {
        tile_a[l.y * 16u + l.x] = a[at.y * 32u + t + l.x];   // PAIR
        tile_b[l.y * 16u + l.x] = b[(t + l.y) * 32u + at.x]; // PAIR
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            sum += tile_a[l.y * 16u + k] * tile_b[k * 16u + l.x]; // FINDS race read-write
        }
        // MENDED: workgroupBarrier();
    }
    c[at.y * 32u + at.x] = sum;
}
