// A mask of n bits by shifting one by n, which is 32 for the last.
// RUN --groups 1 --buffer 0=u32[33]:iota
// MENDED RUN --groups 1 --buffer 0=u32[33]
#version 450
layout(local_size_x = 33) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    data[i] = (1u << data[i]) - 1u; // FINDS num
}
