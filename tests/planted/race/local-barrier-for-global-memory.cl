// Work-items exchange words through a buffer, with a barrier that fences local memory only.
// RUN --grid 256 --block 128 --arg u32[256] --arg u32[256]
__kernel void turn(__global uint *words, __global uint *turned) {
    uint lane = get_local_id(0), first = get_group_id(0) * 128;
    words[first + lane] = lane * 3; // PAIR
#ifdef MENDED
    barrier(CLK_GLOBAL_MEM_FENCE);
#else
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    turned[first + lane] = words[first + 127 - lane]; // FINDS race read-write
}
