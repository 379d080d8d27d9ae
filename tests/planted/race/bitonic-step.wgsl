// Compare and swap of all distances with no barrier between them.
// RUN --groups 1 --buffer 0=u32[256]:rand
@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
var<workgroup> k: array<u32, 256>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) lane: u32) {
    k[lane] = keys[lane];
    k[lane + 128u] = keys[lane + 128u];
    for (var size = 2u; size <= 256u; size *= 2u) {
        workgroupBarrier();
        for (var distance = size / 2u; distance > 0u; distance /= 2u) {
            let i = 2u * lane - (lane & (distance - 1u));
            let a = k[i];            // FINDS race read-write
            let b = k[i + distance]; // FINDS race read-write
            if (a > b) == ((i & size) == 0u) {
                k[i] = b;            // PAIR
                k[i + distance] = a; // PAIR
            }
            // MENDED: workgroupBarrier();
        }
    }
    workgroupBarrier();
    keys[lane] = k[lane];
    keys[lane + 128u] = k[lane + 128u];
}
