// A spin lock excludes others, but does not make what they wrote visible.
// RUN --groups 6 --buffer 0=u32[2]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Locked { uint lock; uint count; };

void main() {
    if (gl_LocalInvocationIndex != 0)
        return;
    while (atomicCompSwap(lock, 0, 1) != 0)
        ;
#ifdef MENDED
    memoryBarrierBuffer();
#endif
    count = count + 1; // FINDS race read-write, PAIR
#ifdef MENDED
    memoryBarrierBuffer();
#endif
    atomicExchange(lock, 0);
}
