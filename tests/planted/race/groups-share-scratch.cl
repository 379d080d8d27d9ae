// Scratch memory is indexed by the local instead of the global id: all work-groups share it.
// RUN --grid 256 --block 64 --arg u32[256]:iota --arg u32[256] --arg u32[256]
__kernel void passes(__global const uint *in, __global uint *scratch, __global uint *out) {
    uint i = get_global_id(0);
#ifdef MENDED
    uint own = i;
#else
    uint own = get_local_id(0);
#endif
    scratch[own] = in[i] * 7 + 1;  // FINDS race write-write, PAIR
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = scratch[own ^ 1] + i; // PAIR
}
