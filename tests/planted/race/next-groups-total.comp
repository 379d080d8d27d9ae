// A work-group takes the sum of the one before, which may not be there yet.
// RUN --groups 4 --buffer 0=u32[256]:iota --buffer 1=u32[8]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[]; };
shared uint sum;

void main() {
    uint group = gl_WorkGroupID.x;
    if (gl_LocalInvocationIndex == 0)
        sum = 0;
    barrier();
    atomicAdd(sum, numbers[gl_GlobalInvocationID.x]);
    barrier();
    if (gl_LocalInvocationIndex == 0)
        sums[group] = sum; // PAIR
#ifndef MENDED
    if (group > 0 && gl_LocalInvocationIndex == 0)
        sums[4 + group] = sums[group - 1]; // FINDS race read-write
#endif
}
