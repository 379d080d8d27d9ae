// memoryBarrierShared() orders one invocation's accesses; it waits for no other.
// RUN --groups 2 --buffer 0=u32[256]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Out { uint turned[]; };
shared uint words[128];

void main() {
    uint lane = gl_LocalInvocationIndex;
    words[lane] = gl_GlobalInvocationID.x; // PAIR
    memoryBarrierShared();
#ifdef MENDED
    barrier();
#endif
    turned[gl_GlobalInvocationID.x] = words[127 - lane]; // FINDS race read-write
}
