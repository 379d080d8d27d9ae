// An index past one shared array is inside of the next one.
// RUN --groups 2 --buffer 0=u32[128]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint first[64];
shared uint second[64];

void main() {
    uint lane = gl_LocalInvocationIndex;
    first[lane] = data[gl_GlobalInvocationID.x];
    second[lane] = 2 * lane;
    barrier();
#ifdef MENDED
    uint next = first[(lane + 1) % 64];
#else
    uint next = first[lane + 1]; // FINDS mem
#endif
    data[gl_GlobalInvocationID.x] = next + second[lane];
}
