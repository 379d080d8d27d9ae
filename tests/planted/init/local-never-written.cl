// A local array is read that nobody has written.
// RUN --grid 64 --block 64 --arg u32[64]
__kernel void copy(__global uint *out) {
    __local uint words[64];
    uint lane = get_local_id(0);
#ifdef MENDED
    words[lane] = lane;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    out[lane] = words[63 - lane]; // FINDS init
}
