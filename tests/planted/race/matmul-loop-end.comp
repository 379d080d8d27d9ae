// The next tiles are loaded while others still multiply the last ones.
// RUN --groups 2,2 --buffer 0=f32[1024]:rand --buffer 1=f32[1024]:rand --buffer 2=f32[1024]
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
shared float tileA[16][16];
shared float tileB[16][16];

void main() {
    uvec2 at = gl_GlobalInvocationID.xy, l = gl_LocalInvocationID.xy;
    float sum = 0.0;
    for (uint t = 0; t < 32; t += 16) {
        tileA[l.y][l.x] = a[at.y * 32 + t + l.x];   // PAIR
        tileB[l.y][l.x] = b[(t + l.y) * 32 + at.x]; // PAIR
        barrier();
        for (uint k = 0; k < 16; k++)
            sum += tileA[l.y][k] * tileB[k][l.x];   // FINDS race read-write
#ifdef MENDED
        barrier();
#endif
    }
    c[at.y * 32 + at.x] = sum;
}
