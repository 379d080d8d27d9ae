// A scan adds what the lane below has; the first lanes have none below, and add it all the same.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint sum = data[gl_LocalInvocationIndex];
    for (uint delta = 1; delta < gl_SubgroupSize; delta <<= 1) {
        uint below = subgroupShuffleUp(sum, delta); // PAIR
#ifdef MENDED
        if (gl_SubgroupInvocationID >= delta)
#endif
            sum += below;
    }
    data[gl_LocalInvocationIndex] = sum; // FINDS init output
}
