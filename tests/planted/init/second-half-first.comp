// The half of a double buffer that is read first has not been filled.
// RUN --groups 1 --buffer 0=u32[256]:iota --buffer 1=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint stream[]; };
layout(set = 0, binding = 1) buffer Out { uint sums[]; };
shared uint halves[128];

void main() {
    uint lane = gl_LocalInvocationIndex, sum = 0, now = 0;
#ifdef MENDED
    halves[lane] = stream[lane];
#endif
    for (uint block = 1; block < 4; block++) {
        barrier();
        halves[(now ^ 1) * 64 + lane] = stream[block * 64 + lane];
        sum += halves[now * 64 + 63 - lane]; // PAIR
        now ^= 1;
    }
    sums[lane] = sum; // FINDS init
}
