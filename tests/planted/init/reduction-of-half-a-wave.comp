// A tree over the subgroup, of which half takes part: the first step reads the other half. What lanes besides the first have at the
// end nobody uses.
// RUN --groups 2 --buffer 0=f32[32]:iota --buffer 1=f32[2]
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer In { float numbers[]; };
layout(set = 0, binding = 1) buffer Out { float sums[]; };

void main() {
    float sum = numbers[gl_GlobalInvocationID.x];
#ifdef MENDED
    for (uint delta = 8; delta > 0; delta >>= 1)
#else
    for (uint delta = 16; delta > 0; delta >>= 1)
#endif
        sum += subgroupShuffleDown(sum, delta); // PAIR
    if (gl_LocalInvocationIndex == 0)
        sums[gl_WorkGroupID.x] = sum; // FINDS init output
}
