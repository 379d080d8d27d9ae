// A tile is read transposed while others still write it.
// RUN --grid 32,32 --block 16,16 --arg f32[1024]:iota --arg f32[1024] --arg local=1088
__kernel void transpose(__global const float *from, __global float *to, __local float *tile) {
    uint x = get_local_id(0), y = get_local_id(1);
    uint left = get_group_id(0) * 16, top = get_group_id(1) * 16;
    tile[y * 17 + x] = from[(top + y) * 32 + left + x]; // PAIR
#ifdef MENDED
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    to[(left + y) * 32 + top + x] = tile[x * 17 + y]; // FINDS race read-write
}
