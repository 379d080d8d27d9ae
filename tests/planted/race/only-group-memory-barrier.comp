// groupMemoryBarrier() instead of barrier(), between the stages of a butterfly.
// RUN --groups 1 --buffer 0=f32[256]:iota
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float stage[2][256];

void main() {
    uint lane = gl_LocalInvocationIndex;
    stage[0][lane] = data[lane]; // PAIR
    uint from = 0;
    for (uint bit = 32; bit < 256; bit <<= 1) {
#ifdef MENDED
        barrier();
#else
        groupMemoryBarrier();
#endif
        float other = stage[from][lane ^ bit]; // FINDS race read-write
        stage[from ^ 1][lane] = stage[from][lane] + other; // PAIR
        from ^= 1;
    }
    data[lane] = stage[from][lane];
}
