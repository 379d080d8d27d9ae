// Each work-group sums a stretch of the input, into one word: strided partial sums, then a tree in workgroup memory.

const GROUP: u32 = 256u;
const PER_ITEM: u32 = 16u;

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> partial: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    var sum = 0u;
    for (var i = 0u; i < PER_ITEM; i++) {
        let at = (group.x * PER_ITEM + i) * GROUP + lane;
        if at < arrayLength(&input) {
            sum += input[at];
        }
    }
    partial[lane] = sum;
    for (var half = GROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            partial[lane] += partial[lane + half];
        }
    }
    if lane == 0u {
        sums[group.x] = partial[0];
    }
}
