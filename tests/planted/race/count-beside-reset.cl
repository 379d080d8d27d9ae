// A counter is set to zero by one work-item and counted by all, in no order.
// RUN --grid 256 --block 256 --arg u32[1] --arg u32[256]
__kernel void tickets(__global uint *counter, __global uint *mine) {
    uint i = get_global_id(0);
    if (i == 0)
        *counter = 0; // PAIR
#ifdef MENDED
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    mine[i] = atomic_inc(counter); // FINDS race write-atomic
}
