// The steps of a tree reduction are not parted by barriers.
// RUN --grid 512 --block 256 --arg f32[512]:iota --arg f32[2] --arg local=1024
__kernel void reduce(__global const float *numbers, __global float *sums, __local float *part) {
    uint lane = get_local_id(0);
    part[lane] = numbers[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = 128; width > 0; width >>= 1) {
        if (lane < width)
            part[lane] += part[lane + width]; // FINDS race read-write, PAIR
#ifdef MENDED
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    if (lane == 0)
        sums[get_group_id(0)] = part[0];
}
