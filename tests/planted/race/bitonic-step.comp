// A bitonic sorter has a barrier for each block size but not for each distance.
// RUN --groups 1 --buffer 0=u32[128]:rand
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Keys { uint keys[]; };
shared uint k[128];

void main() {
    uint i = gl_LocalInvocationIndex;
    k[i] = keys[i];
    for (uint size = 2; size <= 128; size <<= 1) {
        barrier();
        for (uint distance = size >> 1; distance > 0; distance >>= 1) {
            uint other = i ^ distance;
            if (other > i) {
                uint a = k[i];     // FINDS race read-write
                uint b = k[other]; // FINDS race read-write
                if ((a > b) == ((i & size) == 0)) {
                    k[i] = b;      // PAIR
                    k[other] = a;  // PAIR
                }
            }
#ifdef MENDED
            barrier();
#endif
        }
    }
    barrier();
    keys[i] = k[i];
}
