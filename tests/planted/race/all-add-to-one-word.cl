// All work-items increment one word without an atomic.
// RUN --grid 256 --block 64 --arg u32[1]
__kernel void count(__global uint *total) {
#ifdef MENDED
    atomic_inc(total);
#else
    total[0]++; // FINDS race read-write, PAIR
#endif
}
