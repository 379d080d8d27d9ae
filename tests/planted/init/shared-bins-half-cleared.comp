// 64 invocations clear 64 of 128 bins.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[128]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint pixels[]; };
layout(set = 0, binding = 1) buffer Bins { uint bins[]; };
shared uint counts[128];

void main() {
    uint lane = gl_LocalInvocationIndex;
    counts[lane] = 0;
#ifdef MENDED
    counts[lane + 64] = 0;
#endif
    barrier();
    atomicAdd(counts[pixels[lane] * 2 % 128], 1); // PAIR
    barrier();
    bins[lane] = counts[lane];
    bins[lane + 64] = counts[lane + 64]; // FINDS init
}
