// The last work-group sums the others' results, which were not made visible before the ticket.
// RUN --groups 6 --buffer 0=u32[384]:iota --buffer 1=u32[6] --buffer 2=u32[2]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Parts { uint parts[]; };
layout(set = 0, binding = 2) buffer Total { uint tickets; uint total; };
shared uint sum;
shared bool last;

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0)
        sum = 0;
    barrier();
    atomicAdd(sum, numbers[gl_GlobalInvocationID.x]);
    barrier();
    if (lane == 0) {
        parts[gl_WorkGroupID.x] = sum; // PAIR
#ifdef MENDED
        memoryBarrierBuffer();
#endif
        last = atomicAdd(tickets, 1) == gl_NumWorkGroups.x - 1;
    }
    barrier();
    if (last && lane == 0) {
#ifdef MENDED
        memoryBarrierBuffer();
#endif
        uint all = 0;
        for (uint i = 0; i < gl_NumWorkGroups.x; i++)
            all += parts[i]; // FINDS race read-write
        total = all;
    }
}
