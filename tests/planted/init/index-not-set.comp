// An index that was not set chooses what is read.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    uint at = 0;
#else
    uint at;
#endif
    if (numbers[i] % 2 == 0)
        at = i / 2;
    result[i] = numbers[at & 63]; // FINDS init
}
