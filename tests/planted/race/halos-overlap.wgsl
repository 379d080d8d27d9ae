// Work-groups write their halos, too, which belong to their neighbours.
// RUN --groups 3 --buffer 0=u32[194]
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;

@compute @workgroup_size(66)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
    let value = group.x * 1000u + lane;
    // MENDED: if lane == 0u || lane == 65u { return; }
    cells[group.x * 64u + lane] = value; // FINDS race write-write, PAIR
}
