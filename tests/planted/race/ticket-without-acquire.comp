// The last work-group learns from a ticket that all others are done, and reads their results without a fence of its own.
// RUN --groups 6 --buffer 0=u32[384]:iota --buffer 1=u32[6] --buffer 2=u32[2]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Parts { uint parts[]; };
layout(set = 0, binding = 2) buffer Total { uint tickets; uint total; };

void main() {
    if (gl_LocalInvocationIndex != 0)
        return;
    uint sum = 0;
    for (uint i = 0; i < 64; i++)
        sum += numbers[64 * gl_WorkGroupID.x + i];
    parts[gl_WorkGroupID.x] = sum; // PAIR
    memoryBarrierBuffer();
    if (atomicAdd(tickets, 1) != gl_NumWorkGroups.x - 1)
        return;
#ifdef MENDED
    memoryBarrierBuffer();
#endif
    uint all = 0;
    for (uint i = 0; i < gl_NumWorkGroups.x; i++)
        all += parts[i]; // FINDS race read-write
    total = all;
}
