// The last work-group reads others' results behind a ticket; WGSL has no fence that would order them.
// RUN --groups 5 --buffer 0=u32[320]:iota --buffer 1=u32[5] --buffer 2=u32[2]
struct Total { tickets: atomic<u32>, total: u32 }
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> parts: array<u32>; // BUG
// MENDED: @group(0) @binding(1) var<storage, read_write> parts: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> total: Total;
var<workgroup> sum: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) at: vec3u,
        @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
    atomicAdd(&sum, numbers[at.x]);
    workgroupBarrier();
    if lane == 0u {
        parts[group.x] = atomicLoad(&sum); // PAIR, BUG
        // MENDED: atomicStore(&parts[group.x], atomicLoad(&sum));
        if atomicAdd(&total.tickets, 1u) == groups.x - 1u {
            var all = 0u;
            for (var i = 0u; i < groups.x; i++) {
                all += parts[i]; // FINDS race read-write, BUG
                // MENDED: all += atomicLoad(&parts[i]);
            }
            total.total = all;
        }
    }
}
