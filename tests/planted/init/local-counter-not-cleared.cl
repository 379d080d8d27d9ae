// A local counter is incremented from whatever was there.
// RUN --grid 128 --block 64 --arg u32[128]:iota --arg u32[2]
__kernel void count(__global const uint *numbers, __global uint *counts) {
    __local uint total;
#ifdef MENDED
    if (get_local_id(0) == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (numbers[get_global_id(0)] & 1)
        atomic_inc(&total); // PAIR
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        counts[get_group_id(0)] = total; // FINDS init
}
