// The work-group ends in the middle of a quad.
// RUN --groups 1 --buffer 0=u32[8]:iota
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 6) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint lane = gl_LocalInvocationIndex, value = data[lane];
#ifdef MENDED
    uint other = subgroupQuadSwapHorizontal(value);
#else
    uint other = subgroupQuadSwapVertical(value); // PAIR
#endif
    data[lane] = value + other; // FINDS init output
}
