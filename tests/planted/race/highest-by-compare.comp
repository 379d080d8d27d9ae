// The highest number is kept by compare and store.
// RUN --groups 4 --buffer 0=u32[256]:rand --buffer 1=u32[1]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Best { uint best; };

void main() {
    uint number = numbers[gl_GlobalInvocationID.x];
#ifdef MENDED
    atomicMax(best, number);
#else
    if (number > best) // FINDS race read-write
        best = number; // FINDS race write-write, PAIR
#endif
}
