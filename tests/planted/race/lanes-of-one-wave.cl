// The work-items of one wave exchange through local memory as if they went in step.
// RUN --grid 64 --block 32 --arg u32[64]
__kernel void turn(__global uint *out) {
    __local uint words[32];
    uint lane = get_local_id(0);
    words[lane] = get_global_id(0); // PAIR
#ifdef MENDED
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    out[get_global_id(0)] = words[31 - lane]; // FINDS race read-write
}
