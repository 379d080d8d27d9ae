// A scan adds in place; the barrier between reading and writing is not there.
// RUN --groups 1 --buffer 0=u32[256]:iota
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> scan: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    scan[lane] = data[lane];
    for (var offset = 1u; offset < 256u; offset <<= 1u) {
        workgroupBarrier();
        var sum = scan[lane];
        if lane >= offset {
            sum += scan[lane - offset]; // PAIR
        }
        // MENDED: workgroupBarrier();
        scan[lane] = sum; // FINDS race read-write
    }
    data[lane] = scan[lane];
}
