// A tile is read by columns while others still write its rows.
// RUN --groups 2,2 --buffer 0=u32[1024]:iota --buffer 1=u32[1024]
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
var<workgroup> tile: array<array<u32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) group: vec3u) {
    let corner = group.xy * 16u;
    tile[l.y][l.x] = src[(corner.y + l.y) * 32u + corner.x + l.x]; // PAIR
    // MENDED: workgroupBarrier();
    dst[(corner.x + l.y) * 32u + corner.y + l.x] = tile[l.x][l.y]; // FINDS race read-write
}
