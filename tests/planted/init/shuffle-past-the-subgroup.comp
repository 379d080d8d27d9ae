// The invocation that is asked for is none of the subgroup's.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint value = data[gl_LocalInvocationIndex];
    uint from = gl_SubgroupInvocationID + 1;
#ifdef MENDED
    from %= gl_SubgroupSize;
#endif
    uint other = subgroupShuffle(value, from); // PAIR
    data[gl_LocalInvocationIndex] = other; // FINDS init output
}
