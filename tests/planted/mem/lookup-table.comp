// A table of constants has 16 entries, and the index five bits.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
const uint TABLE[16] = uint[](5, 11, 3, 7, 1, 9, 15, 13, 2, 8, 4, 6, 10, 12, 14, 0);

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    data[i] = TABLE[data[i] & 15];
#else
    data[i] = TABLE[data[i] & 31]; // FINDS mem
#endif
}
