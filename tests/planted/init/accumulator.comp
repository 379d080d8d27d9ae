// A sum begins with whatever the register held.
// RUN --groups 1 --buffer 0=f32[256]:iota --buffer 1=f32[32]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { float numbers[]; };
layout(set = 0, binding = 1) buffer Out { float sums[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    float sum = 0.0;
#else
    float sum;
#endif
    for (uint k = 0; k < 8; k++)
        sum += numbers[i * 8 + k];
    sums[i] = sum; // FINDS init
}
