// Ten lanes of one wave come to a barrier that the others pass by.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint value = data[lane];
#ifdef MENDED
    barrier();
#endif
    if (value < 10) {
#ifndef MENDED
        barrier(); // FINDS sync
#endif
        data[lane] = value * 2;
    }
}
