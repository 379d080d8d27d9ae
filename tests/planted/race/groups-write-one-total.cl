// Every work-group writes its own sum into the same word.
// RUN --grid 512 --block 128 --arg u32[512]:iota --arg u32[4]
__kernel void sum(__global const uint *numbers, __global uint *totals) {
    __local uint total;
    uint lane = get_local_id(0);
    if (lane == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&total, numbers[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
#ifdef MENDED
        totals[get_group_id(0)] = total;
#else
        totals[0] = total; // FINDS race write-write, PAIR
#endif
}
