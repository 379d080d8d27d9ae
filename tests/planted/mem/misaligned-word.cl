// A word is read from a packed stream at an address that is not a multiple of four.
// RUN --grid 16 --block 16 --arg u8[128]:iota --arg u32[16]
__kernel void unpack(__global const uchar *stream, __global uint *out) {
    uint i = get_global_id(0);
    __global const uchar *at = stream + 5 * i + 1;
#ifdef MENDED
    out[i] = at[0] | at[1] << 8 | at[2] << 16 | (uint)at[3] << 24;
#else
    out[i] = *(__global const uint *)at; // FINDS mem
#endif
}
