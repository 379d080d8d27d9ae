// Half of the work-group comes to a barrier.
// RUN --grid 128 --block 128 --arg u32[128]:iota
__kernel void fold(__global uint *data) {
    __local uint words[128];
    uint lane = get_local_id(0);
    words[lane] = data[lane];
#ifdef MENDED
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 64)
        data[lane] = words[lane + 64];
#else
    if (lane < 64) {
        barrier(CLK_LOCAL_MEM_FENCE); // FINDS sync
        data[lane] = words[lane];
    }
#endif
}
