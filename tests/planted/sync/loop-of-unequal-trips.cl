// The trips of a loop with a barrier depend on the work-item.
// RUN --grid 128 --block 128 --arg u32[128]:iota
__kernel void rounds(__global uint *data) {
    __local uint words[128];
    uint lane = get_local_id(0), sum = 0;
#ifdef MENDED
    for (uint i = 0; i < 4; i++) {
#else
    for (uint i = 0; i <= lane / 64; i++) {
#endif
        words[lane] = data[lane] + i;
        barrier(CLK_LOCAL_MEM_FENCE); // FINDS sync
        sum += words[lane];
    }
    data[lane] = sum;
}
