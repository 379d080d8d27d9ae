// Index 16 of a row of 16 is the first of the next row.
// RUN --groups 2 --buffer 0=u32[512]:iota
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
struct Row { uint column[16]; };
shared Row tile[16];

void main() {
    uint x = gl_LocalInvocationIndex % 16, y = gl_LocalInvocationIndex / 16;
    tile[y].column[x] = data[gl_GlobalInvocationID.x];
    barrier();
#ifdef MENDED
    uint right = tile[y].column[min(x + 1, 15)];
#else
    uint right = tile[y].column[x + 1]; // FINDS mem
#endif
    data[gl_GlobalInvocationID.x] = right;
}
