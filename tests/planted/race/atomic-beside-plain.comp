// Most invocations count with an atomic, one resets the counter with a plain store.
// RUN --groups 1 --buffer 0=u32[1] --buffer 1=u32[128]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Counter { uint counter; };
layout(set = 0, binding = 1) buffer Out { uint numbers[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    numbers[i] = atomicAdd(counter, 1); // PAIR
#ifdef MENDED
    memoryBarrierBuffer();
    barrier();
#endif
    if (i == 127)
        counter = 0; // FINDS race write-atomic
}
