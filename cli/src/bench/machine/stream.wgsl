// Each work-item reads five vectors a round, a wave32 512 consecutive bytes with each. The waves of a work-group may meet now
// and then: the machine serves the oldest first, and the youngest would be left to run alone.

struct Parameters {
    rounds: u32,
    // Vectors from one of a work-item's loads to the next.
    step: u32,
    // Vectors from one region to the next, which is the next round's. Work-group n begins at n times `first`; the first region
    // comes after the last.
    apart: u32,
    first: u32,
    regions: u32,
    // Rounds between two meetings, less one: a power of two, less one.
    meet: u32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> data: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<u32>>;

const ITEMS: u32 = 1024;

@compute @workgroup_size(ITEMS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) item: u32) {
    var sum = vec4<u32>();
    var region = group.x * p.first % p.regions;
    for (var i = 0u; i < p.rounds; i++) {
        let at = item + p.apart * region;
        let a = data[at];
        let b = data[at + p.step];
        let c = data[at + 2 * p.step];
        let d = data[at + 3 * p.step];
        let e = data[at + 4 * p.step];
        sum ^= a ^ b ^ c ^ d ^ e;
        region = select(region + 1, 0u, region + 1 == p.regions);
        if ((i & p.meet) == p.meet) {
            workgroupBarrier();
        }
    }
    result[group.x * ITEMS + item] = sum;
}
