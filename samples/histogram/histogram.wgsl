// Counts of the 256 byte values: each work-group counts in workgroup memory, then adds its counts to the whole.

const PER_ITEM: u32 = 8u;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;

var<workgroup> local_bins: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    atomicStore(&local_bins[lane], 0u);
    workgroupBarrier();
    for (var i = 0u; i < PER_ITEM; i++) {
        let at = (group.x * PER_ITEM + i) * 256u + lane;
        if at < arrayLength(&words) {
            for (var shift = 0u; shift < 32u; shift += 8u) {
                atomicAdd(&local_bins[(words[at] >> shift) & 255u], 1u);
            }
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&local_bins[lane]);
    if count != 0u {
        atomicAdd(&bins[lane], count);
    }
}
