// Tiles are multiplied before all of the work-group has loaded them.
// RUN --groups 2,2 --buffer 0=f32[1024]:rand --buffer 1=f32[1024]:rand --buffer 2=f32[1024]
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
shared float tileA[256];
shared float tileB[256];

void main() {
    uvec2 at = gl_GlobalInvocationID.xy, l = gl_LocalInvocationID.xy;
    float sum = 0.0;
    for (uint t = 0; t < 2; t++) {
        tileA[l.y * 16 + l.x] = a[at.y * 32 + t * 16 + l.x];   // PAIR
        tileB[l.y * 16 + l.x] = b[(t * 16 + l.y) * 32 + at.x]; // PAIR
#ifdef MENDED
        barrier();
#endif
        for (uint k = 0; k < 16; k++) {
            float left = tileA[l.y * 16 + k];  // FINDS race read-write
            float right = tileB[k * 16 + l.x]; // FINDS race read-write
            sum += left * right;
        }
        barrier();
    }
    c[at.y * 32 + at.x] = sum;
}
