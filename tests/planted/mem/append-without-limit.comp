// More elements are appended than the output has room for.
// RUN --groups 2 --buffer 0=u32[128]:iota --buffer 1=u32[1] --buffer 2=u32[32]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Counter { uint count; };
layout(set = 0, binding = 2) buffer Out { uint kept[]; };

void main() {
    uint number = numbers[gl_GlobalInvocationID.x];
    if (number % 3 == 0) {
        uint slot = atomicAdd(count, 1);
#ifdef MENDED
        if (slot < kept.length())
#endif
            kept[slot] = number; // FINDS mem
    }
}
