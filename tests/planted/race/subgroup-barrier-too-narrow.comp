// subgroupBarrier() where the data go to another subgroup.
// RUN --groups 2 --buffer 0=u32[512]
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Out { uint turned[]; };
shared uint words[256];

void main() {
    uint lane = gl_LocalInvocationIndex;
    words[lane] = gl_GlobalInvocationID.x; // PAIR
#ifdef MENDED
    barrier();
#else
    subgroupBarrier();
#endif
    turned[gl_GlobalInvocationID.x] = words[255 - lane]; // FINDS race read-write
}
