// Whether a work-item comes to the barrier is in the data.
// RUN --groups 1 --buffer 0=u32[64]:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0 --buffer 1=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint active_now[]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };
shared uint words[64];

void main() {
    uint lane = gl_LocalInvocationIndex;
    words[lane] = lane;
#ifdef MENDED
    barrier();
#endif
    if (active_now[lane] != 0) {
#ifndef MENDED
        barrier(); // FINDS sync
#endif
        result[lane] = words[lane ^ 32];
    }
}
