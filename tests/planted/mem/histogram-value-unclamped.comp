// A histogram of 256 bins is given 16-bit values.
// RUN --groups 1 --buffer 0=u32[64]:0,250,251,252,253,254,255,256,257,5,6,7,8,9,10,11,0,250,251,252,253,254,255,256,257,5,6,7,8,9,10,11,0,250,251,252,253,254,255,256,257,5,6,7,8,9,10,11,0,250,251,252,253,254,255,256,257,5,6,7,8,9,10,11 --buffer 1=u32[256]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint pixels[]; };
layout(set = 0, binding = 1) buffer Bins { uint bins[]; };

void main() {
    uint value = pixels[gl_GlobalInvocationID.x];
#ifdef MENDED
    value = min(value, 255);
#endif
    atomicAdd(bins[value], 1); // FINDS mem
}
