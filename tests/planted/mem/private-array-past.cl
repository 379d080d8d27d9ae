// A private array of eight bins is counted at index 8.
// RUN --grid 64 --block 64 --arg u32[512]:iota --arg u32[512]
__kernel void count(__global const uint *pixels, __global uint *counts) {
    uint i = get_global_id(0);
    uint bins[8];
    for (uint k = 0; k < 8; k++)
        bins[k] = 0;
    for (uint k = 0; k < 8; k++) {
#ifdef MENDED
        uint bin = pixels[8 * i + k] % 8;
#else
        uint bin = pixels[8 * i + k] % 9;
#endif
        bins[bin]++; // FINDS mem
    }
    for (uint k = 0; k < 8; k++)
        counts[8 * i + k] = bins[k];
}
