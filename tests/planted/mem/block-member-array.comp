// Bin 16 of 16 is the total that follows in the block.
// RUN --groups 2 --buffer 0=u32[128]:iota --buffer 1
// BYTES 1 68
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint pixels[]; };
layout(set = 0, binding = 1) buffer Histogram { uint bins[16]; uint total; };

void main() {
    uint pixel = pixels[gl_GlobalInvocationID.x];
#ifdef MENDED
    atomicAdd(bins[pixel % 16], 1);
#else
    atomicAdd(bins[pixel % 17], 1); // FINDS mem
#endif
    atomicAdd(total, 1);
}
