// The place to store to is -1 where nothing was found.
// RUN --grid 8 --block 8 --arg i32[8]:3,-1,2,5,0,7,1,4 --arg u32[8]
__kernel void scatter(__global const int *slots, __global uint *out) {
    uint i = get_global_id(0);
    int slot = slots[i];
#ifdef MENDED
    if (slot >= 0)
#endif
        out[slot] = i; // FINDS mem
}
