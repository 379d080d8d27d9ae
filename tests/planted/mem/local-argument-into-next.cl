// The first of two local arguments is read one row past its end, where the second one may lie.
// RUN --grid 128 --block 64 --arg f32[128]:iota --arg local=256 --arg local=256
__kernel void shift(__global float *data, __local float *first, __local float *second) {
    uint lane = get_local_id(0), i = get_global_id(0);
    first[lane] = data[i];
    second[lane] = 2 * data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef MENDED
    float beside = first[(lane + 16) % 64];
#else
    float beside = first[lane + 16]; // FINDS mem
#endif
    data[i] = beside + second[63 - lane];
}
