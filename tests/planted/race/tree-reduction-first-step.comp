// The first step of a reduction reads what other invocations have just stored.
// RUN --groups 3 --buffer 0=u32[768]:iota --buffer 1=u32[3]
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Highest { uint highest[]; };
shared uint best[256];

void main() {
    uint lane = gl_LocalInvocationIndex;
    best[lane] = numbers[gl_GlobalInvocationID.x]; // PAIR
#ifdef MENDED
    barrier();
#endif
    if (lane < 128)
        best[lane] = max(best[lane], best[lane + 128]); // FINDS race read-write
    barrier();
    for (uint width = 64; width > 0; width /= 2) {
        if (lane < width)
            best[lane] = max(best[lane], best[lane + width]);
        barrier();
    }
    if (lane == 0)
        highest[gl_WorkGroupID.x] = best[0];
}
