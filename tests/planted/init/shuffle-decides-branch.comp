// Each compares with its neighbour, and the last one of those that take part has none.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[64]
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint rises[]; };

void main() {
    uint lane = gl_SubgroupInvocationID;
    if (lane >= 24)
        return;
    uint number = numbers[gl_LocalInvocationIndex];
#ifdef MENDED
    uint next = subgroupShuffle(number, min(lane + 1, 23));
#else
    uint next = subgroupShuffle(number, lane + 1); // PAIR
#endif
    for (uint n = number; n < next; n++) // FINDS init branch
        atomicAdd(rises[lane], 1);
}
