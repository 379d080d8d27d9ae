// The value of lane 0 is broadcast in a branch that lane 0 does not take.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint value = data[gl_LocalInvocationIndex];
#ifdef MENDED
    uint first = subgroupBroadcast(value, 0);
#else
    uint first = 0;
#endif
    if (gl_SubgroupInvocationID > 4) {
#ifndef MENDED
        first = subgroupBroadcast(value, 0); // PAIR
#endif
        data[gl_LocalInvocationIndex] = value - first; // FINDS init output
    }
}
