// The lanes of a subgroup exchange words through shared memory without a subgroup barrier.
// RUN --groups 2 --buffer 0=u32[64]
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint turned[]; };
shared uint words[32];

void main() {
    uint lane = gl_LocalInvocationIndex;
    words[lane] = gl_GlobalInvocationID.x; // PAIR
#ifdef MENDED
    subgroupBarrier();
#endif
    turned[gl_GlobalInvocationID.x] = words[lane ^ 1]; // FINDS race read-write
}
