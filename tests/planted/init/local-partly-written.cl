// The tile of a stencil has two words more than there are work-items.
// RUN --grid 64 --block 64 --arg f32[66]:iota --arg f32[64]
__kernel void stencil(__global const float *in, __global float *out) {
    __local float tile[66];
    uint lane = get_local_id(0);
    tile[lane] = in[lane];
#ifdef MENDED
    if (lane < 2)
        tile[64 + lane] = in[64 + lane];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    out[lane] = tile[lane] + tile[lane + 1] + tile[lane + 2]; // FINDS init
}
