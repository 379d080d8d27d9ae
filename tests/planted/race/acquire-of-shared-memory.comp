// The consumer's fence is of shared variables, and what it waits for is in a buffer.
// RUN --groups 5 --buffer 0=u32[5] --buffer 1=u32[5]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Flags { uint flags[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[]; };

void main() {
    uint group = gl_WorkGroupID.x;
    if (gl_LocalInvocationIndex != 0)
        return;
    uint before = 0;
    if (group > 0) {
        while (atomicOr(flags[group - 1], 0) == 0)
            ;
#ifdef MENDED
        memoryBarrierBuffer();
#else
        memoryBarrierShared();
#endif
        before = sums[group - 1]; // FINDS race read-write
    }
    sums[group] = before + group; // PAIR
    memoryBarrierBuffer();
    atomicExchange(flags[group], 1);
}
