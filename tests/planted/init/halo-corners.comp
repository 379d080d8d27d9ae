// The edges of a halo are filled, its corners are not.
// RUN --groups 1 --buffer 0=f32[100]:iota --buffer 1=f32[64]
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer In { float from[100]; };
layout(set = 0, binding = 1) buffer Out { float to[64]; };
shared float tile[100];

void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uint at = (y + 1) * 10 + x + 1;
    tile[at] = from[at];
    if (x == 0) tile[at - 1] = from[at - 1];
    if (x == 7) tile[at + 1] = from[at + 1];
    if (y == 0) tile[at - 10] = from[at - 10];
    if (y == 7) tile[at + 10] = from[at + 10];
#ifdef MENDED
    if ((x == 0 || x == 7) && (y == 0 || y == 7)) {
        uint corner = at + (x == 7 ? 1 : -1) + (y == 7 ? 10 : -10);
        tile[corner] = from[corner];
    }
#endif
    barrier();
    float sum = 0.0;
    for (uint i = 0; i < 9; i++)
        sum += tile[at - 11 + i % 3 + i / 3 * 10]; // PAIR
    to[y * 8 + x] = sum; // FINDS init
}
