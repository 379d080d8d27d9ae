// A mean over a count that is zero for the first work-item.
// RUN --grid 64 --block 64 --arg u32[64]:iota
__kernel void mean(__global uint *data) {
    uint i = get_global_id(0), count = data[i];
#ifdef MENDED
    data[i] = count == 0 ? 0 : 1000 / max(count, 1u);
#else
    data[i] = 1000 / count; // FINDS num
#endif
}
