// Inclusive prefix sums of blocks of 1024 words: subgroup scans, then a scan of the subgroups' totals. Right for any
// subgroup size. `add_offsets` then adds to each block the sum of the blocks before it.

@group(0) @binding(0) var<storage, read_write> data: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;

// As many subgroups as there can be, were each a single lane.
var<workgroup> subgroup_sums: array<u32, 256>;

@compute @workgroup_size(256)
fn scan(
    @builtin(global_invocation_id) item: vec3<u32>,
    @builtin(workgroup_id) block: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) lanes: u32,
) {
    let i = item.x;
    let inside = i < arrayLength(&data);
    var v = vec4<u32>(0u);
    if inside {
        v = data[i];
    }
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;

    let before = subgroupExclusiveAdd(v.w);
    if lane == lanes - 1u {
        subgroup_sums[subgroup] = before + v.w;
    }
    workgroupBarrier();

    // The first subgroup scans the totals, as many at a time as it has lanes.
    if subgroup == 0u {
        var carry = 0u;
        for (var start = 0u; start < subgroups; start += lanes) {
            let at = start + lane;
            var sum = 0u;
            if at < subgroups {
                sum = subgroup_sums[at];
            }
            let scanned = carry + subgroupExclusiveAdd(sum);
            if at < subgroups {
                subgroup_sums[at] = scanned;
            }
            carry += subgroupAdd(sum);
        }
        if lane == 0u {
            totals[block.x] = carry;
        }
    }
    workgroupBarrier();

    if inside {
        data[i] = v + (before + subgroup_sums[subgroup]);
    }
}

@compute @workgroup_size(256)
fn add_offsets(@builtin(global_invocation_id) item: vec3<u32>, @builtin(workgroup_id) block: vec3<u32>) {
    let i = item.x;
    if i < arrayLength(&data) && block.x > 0u {
        data[i] += totals[block.x - 1u];
    }
}
