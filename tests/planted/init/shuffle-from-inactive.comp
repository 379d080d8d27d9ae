// A value is taken from an invocation that is not there: the result is undefined.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint lane = gl_LocalInvocationIndex, value = data[lane];
#ifdef MENDED
    uint other = subgroupShuffleXor(value, 1);
#else
    uint other = 0;
#endif
    if (value % 2 == 0) {
#ifndef MENDED
        other = subgroupShuffleXor(value, 1); // PAIR
#endif
        data[lane] = other; // FINDS init output
    }
}
