// The two sides of a branch have a barrier each: as many, but not the same one.
// RUN --groups 1 --buffer 0=u32[128]:iota
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint words[128];

void main() {
    uint lane = gl_LocalInvocationIndex;
    words[lane] = data[lane];
#ifdef MENDED
    barrier();
#else
    if (lane < 64)
        barrier(); // FINDS sync, PAIR
    else
        barrier(); // FINDS sync, PAIR
#endif
    data[lane] = words[127 - lane];
}
