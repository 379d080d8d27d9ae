// A work-group's histogram is counted without atomics.
// RUN --groups 2 --buffer 0=u32[256]:rand --buffer 1=u32[16]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer In { uint pixels[]; };
layout(set = 0, binding = 1) buffer Bins { uint bins[]; };
shared uint local_bins[16];

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 16)
        local_bins[lane] = 0;
    barrier();
    uint bin = pixels[gl_GlobalInvocationID.x] % 16;
#ifdef MENDED
    atomicAdd(local_bins[bin], 1);
#else
    local_bins[bin] = local_bins[bin] + 1; // FINDS race read-write, PAIR
#endif
    barrier();
    if (lane < 16)
        atomicAdd(bins[lane], local_bins[lane]);
}
