// The last work-item stores one element past the end.
// RUN --grid 64 --block 64 --arg u32[64]
__kernel void shift(__global uint *data) {
    uint i = get_global_id(0);
#ifdef MENDED
    data[(i + 1) % 64] = i;
#else
    data[i + 1] = i; // FINDS mem
#endif
}
