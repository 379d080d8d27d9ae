// An index past one local array is inside of the next one.
// RUN --grid 128 --block 64 --arg u32[128]:iota
__kernel void next(__global uint *data) {
    __local uint first[64];
    __local uint second[64];
    uint lane = get_local_id(0), i = get_global_id(0);
    first[lane] = data[i];
    second[lane] = 2 * lane;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef MENDED
    uint beside = first[(lane + 1) % 64];
#else
    uint beside = first[lane + 1]; // FINDS mem
#endif
    data[i] = beside + second[63 - lane];
}
