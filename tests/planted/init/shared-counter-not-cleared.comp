// A shared counter is incremented from whatever was there.
// RUN --groups 2 --buffer 0=u32[128]:iota --buffer 1=u32[2]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint counts[]; };
shared uint count;

void main() {
#ifdef MENDED
    if (gl_LocalInvocationIndex == 0)
        count = 0;
    barrier();
#endif
    if (numbers[gl_GlobalInvocationID.x] % 3 == 0)
        atomicAdd(count, 1); // PAIR
    barrier();
    if (gl_LocalInvocationIndex == 0)
        counts[gl_WorkGroupID.x] = count; // FINDS init
}
