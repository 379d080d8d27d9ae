// A shared array is read that nobody has written.
// RUN --groups 1 --buffer 0=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
shared uint words[64];

void main() {
    uint lane = gl_LocalInvocationIndex;
#ifdef MENDED
    words[lane] = lane;
    barrier();
#endif
    result[lane] = words[63 - lane]; // FINDS init
}
