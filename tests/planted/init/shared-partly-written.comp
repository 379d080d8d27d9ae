// Each invocation fills one word of a tile, and the tile has more words than there are invocations.
// RUN --groups 1 --buffer 0=f32[80]:iota --buffer 1=f32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { float from[]; };
layout(set = 0, binding = 1) buffer Out { float to[]; };
shared float tile[80];

void main() {
    uint lane = gl_LocalInvocationIndex;
    tile[lane] = from[lane];
#ifdef MENDED
    if (lane < 16)
        tile[64 + lane] = from[64 + lane];
#endif
    barrier();
    float sum = 0.0;
    for (uint i = 0; i < 16; i++)
        sum += tile[lane + i]; // PAIR
    to[lane] = sum; // FINDS init
}
