// A mask of n bits by shifting one by n, which is 32 for the last.
// RUN --grid 33 --block 33 --arg u32[33]:iota
// MENDED RUN --grid 33 --block 33 --arg u32[33]
__kernel void masks(__global uint *data) {
    uint i = get_global_id(0);
    data[i] = (1u << data[i]) - 1u; // FINDS num
}
