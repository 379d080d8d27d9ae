// Five of eight elements of a private array are set, and one of eight is taken.
// RUN --grid 64 --block 64 --arg u32[64]:iota
__kernel void pick(__global uint *data) {
    uint i = get_global_id(0), table[8];
#ifdef MENDED
    for (uint k = 0; k < 8; k++)
#else
    for (uint k = 0; k < 5; k++)
#endif
        table[k] = i * k;
    data[i] = table[data[i] % 8]; // FINDS init
}
