// A row sum reads the scratch of all work-items, of which the last half wrote nothing.
// RUN --grid 64 --block 64 --arg u32[64]:iota --arg u32[64]:none --arg u32[64]
__kernel void pairs(__global const uint *in, __global uint *scratch, __global uint *out) {
    uint i = get_global_id(0);
#ifdef MENDED
    scratch[i] = in[i];
#else
    if (i < 32)
        scratch[i] = in[i];
#endif
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint other = scratch[i ^ 1]; // PAIR
    out[i] = other + 1;          // FINDS init
}
