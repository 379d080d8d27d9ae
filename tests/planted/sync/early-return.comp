// Invocations past the end return, and the others wait for them.
// RUN --groups 2 --push count=100 --buffer 0=u32[100]:iota --buffer 1=u32[2]
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint count; };
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint sums[]; };
shared uint sum;

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifndef MENDED
    if (i >= count)
        return;
#endif
    if (gl_LocalInvocationIndex == 0)
        sum = 0;
    barrier(); // FINDS sync
#ifdef MENDED
    if (i < count)
#endif
        atomicAdd(sum, numbers[i]);
    barrier(); // FINDS sync
    if (gl_LocalInvocationIndex == 0)
        sums[gl_WorkGroupID.x] = sum;
}
