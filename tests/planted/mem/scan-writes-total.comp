// A scan of n puts its total at index n of an array of n.
// RUN --groups 2 --buffer 0=u32[64]:iota --buffer 1=u32[2]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Totals { uint totals[]; };
#ifdef MENDED
shared uint scan[33];
#else
shared uint scan[32];
#endif

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0)
        scan[0] = 0;
    barrier();
    scan[lane + 1] = data[gl_GlobalInvocationID.x]; // FINDS mem
    barrier();
    if (lane == 0) {
        uint sum = 0;
        for (uint i = 1; i <= 32; i++)
            sum += scan[i]; // FINDS mem
        totals[gl_WorkGroupID.x] = sum;
    }
}
