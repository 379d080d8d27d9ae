// A private array that is too large for registers is counted behind its end, which is that of private memory, too.
// RUN --grid 64 --block 64 --arg u32[512]:iota --arg u32[512]
__kernel void count(__global const uint *pixels, __global uint *counts) {
    uint i = get_global_id(0);
    uint bins[100];
    for (uint k = 0; k < 100; k++)
        bins[k] = 0;
    for (uint k = 0; k < 8; k++) {
#ifdef MENDED
        uint bin = pixels[8 * i + k] % 100;
#else
        uint bin = pixels[8 * i + k] % 102;
#endif
        bins[bin]++; // FINDS mem
    }
    for (uint k = 0; k < 8; k++)
        counts[8 * i + k] = bins[(8 * i + k) % 100];
}
