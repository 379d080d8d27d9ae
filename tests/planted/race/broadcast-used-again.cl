// The word that all read is written again before all have read it.
// RUN --grid 256 --block 128 --arg u32[8]:iota --arg u32[256]
__kernel void mix(__global const uint *steps, __global uint *out) {
    __local uint step;
    uint sum = get_global_id(0);
    for (uint i = 0; i < 8; i++) {
        if (get_local_id(0) == 0)
            step = steps[i];   // PAIR
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = sum * 5 + step;  // FINDS race read-write
#ifdef MENDED
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    out[get_global_id(0)] = sum;
}
