// All lanes write their own index into one flag; on a card the last one wins, whichever that is.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[1]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Found { uint where; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (numbers[i] > 20) {
#ifdef MENDED
        atomicMax(where, i);
#else
        where = i; // FINDS race write-write, PAIR
#endif
    }
}
