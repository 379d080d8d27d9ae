// The fence in front of the barrier is of images, and the data are in a buffer.
// RUN --groups 2 --buffer 0=u32[256]:iota --buffer 1=u32[256]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Out { uint turned[]; };

void main() {
    uint lane = gl_LocalInvocationIndex, from = gl_WorkGroupID.x * 128;
    data[from + lane] *= 3; // PAIR
#ifdef MENDED
    memoryBarrierBuffer();
#else
    memoryBarrierImage();
#endif
    barrier();
    turned[from + lane] = data[from + 127 - lane]; // FINDS race read-write
}
