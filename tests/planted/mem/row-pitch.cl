// The rows of a picture are taken to be as long as their pitch in bytes.
// RUN --grid 16,16 --block 16,16 --arg u32[256]:iota --arg u32=64 --arg u32[256]
__kernel void copy(__global const uint *from, uint pitch, __global uint *to) {
    uint x = get_global_id(0), y = get_global_id(1);
#ifdef MENDED
    uint value = from[y * (pitch / 4) + x];
#else
    uint value = from[y * pitch + x]; // FINDS mem
#endif
    to[y * 16 + x] = value;
}
