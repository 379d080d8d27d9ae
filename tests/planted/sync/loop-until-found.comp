// Each invocation leaves a loop with a barrier when it has found what it seeks.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };
shared uint window[64];

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint found = 0;
    for (uint round = 0; round < 8; round++) {
        window[lane] = numbers[(lane + round * 8) % 64];
        barrier(); // FINDS sync
        uint word = window[lane * 3 % 64];
        if (word % 8 == lane % 8)
            found = word;
        barrier(); // FINDS sync
#ifndef MENDED
        if (found != 0)
            break;
#endif
    }
    result[lane] = found;
}
