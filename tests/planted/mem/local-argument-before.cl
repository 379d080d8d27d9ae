// The left neighbour of the first element of a local argument is in front of its begin.
// RUN --grid 128 --block 64 --arg f32[128]:iota --arg local=256 --arg local=260
__kernel void difference(__global float *data, __local float *first, __local float *row) {
    uint lane = get_local_id(0), i = get_global_id(0);
    first[lane] = data[i];
    row[lane] = data[i] * data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef MENDED
    float left = lane > 0 ? row[lane - 1] : 0;
#else
    float left = row[(int)lane - 1]; // FINDS mem
#endif
    data[i] = row[lane] - left + first[63 - lane];
}
