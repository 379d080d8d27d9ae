// All invocations increment one word without an atomic.
// RUN --groups 2 --buffer 0=u32[1]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Count { uint b[]; };

void main() {
#ifdef MENDED
    atomicAdd(b[0], 1);
#else
    b[0] += 1; // FINDS race read-write, PAIR
#endif
}
