// The trips of a loop with a barrier depend on the invocation.
// RUN --groups 1 --buffer 0=u32[128]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint sum = 0;
#ifdef MENDED
    for (uint i = 0; i < 4; i++) {
#else
    for (uint i = 0; i < 1 + lane / 32; i++) {
#endif
        sum += i;
        barrier(); // FINDS sync
    }
    result[lane] = sum;
}
