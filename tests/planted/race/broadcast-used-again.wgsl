// The row that all use is replaced before all have used it.
// RUN --groups 2 --buffer 0=u32[64]:iota --buffer 1=u32[256]
@group(0) @binding(0) var<storage, read> rows: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
var<workgroup> row: array<u32, 16>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) at: vec3u) {
    var best = 0u;
    for (var r = 0u; r < 4u; r++) {
        if lane < 16u {
            row[lane] = rows[r * 16u + lane]; // PAIR
        }
        workgroupBarrier();
        for (var i = 0u; i < 16u; i++) {
            best = max(best, row[i] ^ lane); // FINDS race read-write
        }
        // MENDED: workgroupBarrier();
    }
    result[at.x] = best;
}
