// Two stages share an array; only the first one ends with a barrier.
// RUN --groups 2 --buffer 0=u32[512]:rand
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint words[256];

void main() {
    uint lane = gl_LocalInvocationIndex, from = gl_WorkGroupID.x * 256;
    for (uint i = lane; i < 256; i += 64)
        words[i] = data[from + i];
    barrier();
    uint own[4];
    for (uint i = 0; i < 4; i++)
        own[i] = words[lane * 4 + i]; // PAIR
#ifdef MENDED
    barrier();
#endif
    for (uint i = 0; i < 4; i++)
        words[lane + 64 * i] = own[i] * 2; // FINDS race read-write
    barrier();
    for (uint i = lane; i < 256; i += 64)
        data[from + i] = words[i];
}
