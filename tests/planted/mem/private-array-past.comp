// A private array of eight bins is counted at index 8.
// RUN --groups 1 --buffer 0=u32[512]:iota --buffer 1=u32[512]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint pixels[]; };
layout(set = 0, binding = 1) buffer Out { uint counts[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint bins[8];
    for (uint k = 0; k < 8; k++)
        bins[k] = 0;
    for (uint k = 0; k < 8; k++) {
#ifdef MENDED
        uint bin = pixels[i * 8 + k] % 8;
#else
        uint bin = pixels[i * 8 + k] % 9;
#endif
        bins[bin]++; // FINDS mem
    }
    for (uint k = 0; k < 8; k++)
        counts[i * 8 + k] = bins[k];
}
