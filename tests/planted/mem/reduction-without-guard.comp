// All lanes add in each step of a reduction, also those whose partner is past the array.
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
    for (uint width = 64; width > 0; width >>= 1) {
        uint other = 0;
#ifdef MENDED
        if (lane < width)
#endif
            other = part[lane + width]; // FINDS mem
        barrier();
        part[lane] += other;
        barrier();
    }
    if (lane == 0)
        sums[gl_WorkGroupID.x] = part[0];
}
