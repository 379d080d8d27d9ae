// The counts are taken out before all waves have counted.
// RUN --groups 2 --buffer 0=u32[512]:iota --buffer 1=u32[64]
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint pixels[]; };
layout(set = 0, binding = 1) buffer Bins { uint bins[]; };
shared uint counts[64];

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 64)
        counts[lane] = 0;
    barrier();
    atomicAdd(counts[pixels[gl_GlobalInvocationID.x] % 64], 1); // PAIR
#ifdef MENDED
    barrier();
#endif
    if (lane < 64)
        atomicAdd(bins[lane], counts[lane]); // FINDS race read-atomic
}
