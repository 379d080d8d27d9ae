// The steps of a tree reduction are not parted by barriers.
// RUN --groups 2 --buffer 0=f32[256]:iota --buffer 1=f32[2]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Numbers { float numbers[]; };
layout(set = 0, binding = 1) buffer Sums { float sums[]; };
shared float partial[128];

void main() {
    uint lane = gl_LocalInvocationIndex;
    partial[lane] = numbers[gl_GlobalInvocationID.x];
    barrier();
    for (uint width = 64; width > 0; width >>= 1) {
        if (lane < width)
            partial[lane] += partial[lane + width]; // FINDS race read-write, PAIR
#ifdef MENDED
        barrier();
#endif
    }
    if (lane == 0)
        sums[gl_WorkGroupID.x] = partial[0];
}
