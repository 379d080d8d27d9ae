// A function with a barrier is called by a part of the work-group.
// RUN --groups 2 --buffer 0=u32[128]:iota --buffer 1=u32[2]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint sums[]; };
shared uint part[64];

uint sum_of(uint lane, uint value) {
    part[lane] = value;
    for (uint width = 32; width > 0; width >>= 1) {
        barrier(); // FINDS sync
        if (lane < width)
            part[lane] += part[lane + width];
    }
    barrier(); // FINDS sync
    return part[0];
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint value = numbers[gl_GlobalInvocationID.x];
    uint sum = 0;
#ifdef MENDED
    sum = sum_of(lane, value % 3 == 0 ? value : 0);
#else
    if (value % 3 == 0)
        sum = sum_of(lane, value);
#endif
    if (lane == 0)
        sums[gl_WorkGroupID.x] = sum;
}
