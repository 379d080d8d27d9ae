// A sorter for powers of two sorts 100 keys.
// RUN --groups 1 --buffer 0=u32[100]:rand
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Keys { uint keys[]; };
shared uint k[128];

void main() {
    uint i = gl_LocalInvocationIndex;
#ifdef MENDED
    k[i] = i < 100 ? keys[min(i, 99)] : 0xffffffff;
#else
    k[i] = keys[i]; // FINDS mem
#endif
    for (uint size = 2; size <= 128; size <<= 1)
        for (uint distance = size >> 1; distance > 0; distance >>= 1) {
            barrier();
            uint other = i ^ distance;
            uint a = k[i], b = k[other];
            bool up = (i & size) == 0;
            barrier();
            k[i] = (other > i) == up ? min(a, b) : max(a, b);
        }
    barrier();
#ifdef MENDED
    if (i < 100)
        keys[i] = k[i];
#else
    keys[i] = k[i]; // FINDS mem
#endif
}
