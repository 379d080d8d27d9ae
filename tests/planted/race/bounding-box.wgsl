// The bounds of all points are kept by min and max in plain words.
// RUN --groups 2 --buffer 0=i32[256]:rand --buffer 1=i32[2]
@group(0) @binding(0) var<storage, read> points: array<i32>;
@group(0) @binding(1) var<storage, read_write> box: array<i32, 2>; // BUG
// MENDED: @group(0) @binding(1) var<storage, read_write> box: array<atomic<i32>, 2>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let p = points[at.x];
    box[0] = min(box[0], p); // FINDS race read-write, PAIR, BUG
    box[1] = max(box[1], p); // FINDS race read-write, PAIR, BUG
    // MENDED: atomicMin(&box[0], p);
    // MENDED: atomicMax(&box[1], p);
}
