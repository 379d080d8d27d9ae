// The first counts come while other waves still clear the bins.
// RUN --groups 2 --buffer 0=u32[512]:iota --buffer 1=u32[64]
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint pixels[]; };
layout(set = 0, binding = 1) buffer Bins { uint bins[]; };
shared uint counts[64];

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 64)
        counts[lane] = 0; // PAIR
#ifdef MENDED
    barrier();
#endif
    atomicAdd(counts[pixels[gl_GlobalInvocationID.x] % 64], 1); // FINDS race write-atomic
    barrier();
    if (lane < 64)
        atomicAdd(bins[lane], counts[lane]);
}
