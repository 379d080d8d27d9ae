// The highest number is kept by compare and store.
// RUN --grid 512 --block 64 --arg u32[512]:iota --arg u32[1]
__kernel void highest(__global const uint *numbers, __global uint *best) {
    uint number = numbers[get_global_id(0)];
#ifdef MENDED
    atomic_max(best, number);
#else
    if (number > *best) // FINDS race read-write
        *best = number; // FINDS race write-write, PAIR
#endif
}
