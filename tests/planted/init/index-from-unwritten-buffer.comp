// A list of indexes that nobody has filled.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[64]:none --buffer 2=u32[64]
// MENDED RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[64]:iota --buffer 2=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) readonly buffer List { uint list[]; };
layout(set = 0, binding = 2) buffer Out { uint result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint at = list[i];           // PAIR
    result[i] = data[at & 63u];  // FINDS init
}
