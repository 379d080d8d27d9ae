// Value 16 is counted in a histogram of 16.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[16]
__kernel void histogram(__global const uint *values, __global uint *bins) {
#ifdef MENDED
    atomic_inc(&bins[values[get_global_id(0)] % 16]);
#else
    atomic_inc(&bins[values[get_global_id(0)] % 17]); // FINDS mem
#endif
}
