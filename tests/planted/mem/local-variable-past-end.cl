// A tile has 60 elements, and 64 work-items fill it: the last ones write behind it, in what the card gives in pieces of 512 bytes.
// RUN --grid 128 --block 64 --arg f32[128]:iota
__kernel void turn(__global float *data) {
    __local float tile[60];
    uint lane = get_local_id(0), i = get_global_id(0);
    float own = data[i];
#ifdef MENDED
    if (lane < 60)
#endif
    tile[lane] = own; // FINDS mem
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 60)
        data[i] = tile[59 - lane];
}
