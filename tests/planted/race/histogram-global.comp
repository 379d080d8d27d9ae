// A histogram is counted in a buffer without atomics.
// RUN --groups 4 --buffer 0=u32[256]:rand --buffer 1=u32[16]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint pixels[]; };
layout(set = 0, binding = 1) buffer Bins { uint bins[16]; };

void main() {
    uint bin = pixels[gl_GlobalInvocationID.x] & 15;
#ifdef MENDED
    atomicAdd(bins[bin], 1);
#else
    bins[bin]++; // FINDS race read-write, PAIR
#endif
}
