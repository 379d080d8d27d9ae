// A continue jumps over the barrier of a loop.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint lane = gl_LocalInvocationIndex, sum = 0;
    for (uint i = 0; i < 4; i++) {
        bool skip = ((data[lane] >> i) & 1) == 0;
#ifdef MENDED
        if (!skip)
            sum += i;
#else
        if (skip)
            continue;
        sum += i;
#endif
        barrier(); // FINDS sync
    }
    data[lane] = sum;
}
