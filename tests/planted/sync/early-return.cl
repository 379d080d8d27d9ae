// Work-items past the end return, and the others wait for them.
// RUN --grid 192 --block 96 --arg u32[150]:iota --arg u32[2]
__kernel void sums(__global const uint *numbers, __global uint *out) {
    __local uint total;
    uint lane = get_local_id(0), i = get_global_id(0);
#ifndef MENDED
    if (i >= 150)
        return;
#endif
    if (lane == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE); // FINDS sync
#ifdef MENDED
    if (i < 150)
#endif
        atomic_add(&total, numbers[i]);
    barrier(CLK_LOCAL_MEM_FENCE); // FINDS sync
    if (lane == 0)
        out[get_group_id(0)] = total;
}
