// Elements are appended at a counter that is read and written apart.
// RUN --groups 2 --buffer 0=u32[128]:iota --buffer 1=u32[1] --buffer 2=u32[256]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Counter { uint count; };
layout(set = 0, binding = 2) buffer Out { uint kept[]; };

void main() {
    uint number = numbers[gl_GlobalInvocationID.x];
    if (number % 3 != 0)
        return;
#ifdef MENDED
    uint slot = atomicAdd(count, 1);
#else
    uint slot = count; // FINDS race read-write
    count = slot + 1;  // FINDS race write-write, PAIR
#endif
#ifdef MENDED
    kept[slot] = number;
#else
    kept[slot + number] = number;
#endif
}
