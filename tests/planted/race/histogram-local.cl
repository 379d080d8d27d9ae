// A work-group's histogram is counted without atomics.
// RUN --grid 512 --block 256 --arg u32[512]:iota --arg u32[32]
__kernel void histogram(__global const uint *pixels, __global uint *bins) {
    __local uint counts[32];
    uint lane = get_local_id(0);
    if (lane < 32)
        counts[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef MENDED
    atomic_inc(&counts[pixels[get_global_id(0)] % 32]);
#else
    counts[pixels[get_global_id(0)] % 32]++; // FINDS race read-write, PAIR
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 32)
        atomic_add(&bins[lane], counts[lane]);
}
