// A scan reads and writes the same array with one barrier a step.
// RUN --grid 256 --block 128 --arg u32[256]:iota
__kernel void scan(__global uint *data) {
    __local uint sums[128];
    uint lane = get_local_id(0), i = get_global_id(0);
    sums[lane] = data[i];
    for (uint offset = 1; offset < 128; offset <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint before = lane >= offset ? sums[lane - offset] : 0; // PAIR
#ifdef MENDED
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        sums[lane] += before; // FINDS race read-write
    }
    data[i] = sums[lane];
}
