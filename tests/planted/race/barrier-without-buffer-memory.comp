// barrier() alone makes shared variables visible, and no buffer.
// HOST buffer data 1024 iota
// HOST buffer turned 1024
// HOST dispatch 2 1 1
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Out { uint turned[]; };

void main() {
    uint lane = gl_LocalInvocationIndex, from = gl_WorkGroupID.x * 128;
    data[from + lane] *= 3; // PAIR
#ifdef MENDED
    memoryBarrierBuffer();
#endif
    barrier();
    turned[from + lane] = data[from + 127 - lane]; // FINDS race read-write
}
