// The last 32 steps of a reduction count on the lanes of a wave going in step.
// RUN --groups 2 --buffer 0=u32[256]:iota --buffer 1=u32[2]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[]; };
shared uint part[128];

void main() {
    uint lane = gl_LocalInvocationIndex;
    part[lane] = numbers[gl_GlobalInvocationID.x];
    barrier();
    if (lane < 64)
        part[lane] += part[lane + 64];
    barrier();
    if (lane < 32)
        part[lane] += part[lane + 32];
    barrier();
#ifdef MENDED
    for (uint width = 16; width > 0; width >>= 1) {
        uint sum = lane < width ? part[lane] + part[lane + width] : 0;
        barrier();
        if (lane < width)
            part[lane] = sum;
        barrier();
    }
#else
    if (lane < 16) part[lane] += part[lane + 16]; // PAIR
    if (lane < 8) part[lane] += part[lane + 8];   // FINDS race read-write, PAIR
    if (lane < 4) part[lane] += part[lane + 4];   // FINDS race read-write, PAIR
    if (lane < 2) part[lane] += part[lane + 2];   // FINDS race read-write, PAIR
    if (lane < 1) part[lane] += part[lane + 1];   // FINDS race read-write
#endif
    if (lane == 0)
        sums[gl_WorkGroupID.x] = part[0];
}
