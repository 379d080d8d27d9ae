// Five of eight elements of a private array are set, and one of eight is taken.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint table[8];
#ifdef MENDED
    for (uint k = 0; k < 8; k++)
#else
    for (uint k = 0; k < 5; k++)
#endif
        table[k] = i * k;
    data[i] = table[data[i] % 8]; // FINDS init
}
