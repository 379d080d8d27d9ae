// Inclusive prefix sums of blocks of 1024 words: subgroup scans, then a scan of the subgroups' totals. Right for any
// subgroup size. With ADD_OFFSETS it adds to each block the sum of the blocks before it instead.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(constant_id = 0) const bool ADD_OFFSETS = false;

layout(local_size_x = 256) in;

layout(std430, binding = 0) buffer Data { uvec4 data[]; };
layout(std430, binding = 1) buffer Totals { uint totals[]; };

// As many subgroups as there can be, were each a single lane.
shared uint subgroup_sums[256];

void main() {
    uint block = gl_WorkGroupID.x;
    uint i = gl_GlobalInvocationID.x;
    bool inside = i < data.length();

    if (ADD_OFFSETS) {
        if (inside && block > 0)
            data[i] += totals[block - 1];
        return;
    }

    uvec4 v = inside ? data[i] : uvec4(0);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;

    uint before = subgroupExclusiveAdd(v.w);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1)
        subgroup_sums[gl_SubgroupID] = before + v.w;
    barrier();

    // The first subgroup scans the totals, as many at a time as it has lanes.
    if (gl_SubgroupID == 0) {
        uint carry = 0;
        for (uint start = 0; start < gl_NumSubgroups; start += gl_SubgroupSize) {
            uint at = start + gl_SubgroupInvocationID;
            uint sum = at < gl_NumSubgroups ? subgroup_sums[at] : 0;
            uint scanned = carry + subgroupExclusiveAdd(sum);
            if (at < gl_NumSubgroups)
                subgroup_sums[at] = scanned;
            carry += subgroupAdd(sum);
        }
        if (subgroupElect())
            totals[block] = carry;
    }
    barrier();

    if (inside)
        data[i] = v + (before + subgroup_sums[gl_SubgroupID]);
}
