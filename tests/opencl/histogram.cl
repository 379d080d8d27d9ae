// Bytes counted by atomics in LDS, then added to global counters; and four privately counted bins at a time.
// launch: histogram grid=1024 block=128
//   u8[8192]:rand u32=8192 u32[256]:iota
// launch: private_bins grid=128 block=64
//   u8[4096]:rand u16[2048]

__kernel void histogram(__global const u8 *in, u32 count, __global u32 *bins) {
    SHARED u32 mine[256];
    for (u32 b = local_id(0); b < 256; b += local_size(0)) mine[b] = 0;
    barrier();
    for (u32 i = global_id(0); i < count; i += global_size(0)) ATOMIC(fetch_add, &mine[in[i]], 1);
    barrier();
    for (u32 b = local_id(0); b < 256; b += local_size(0))
        if (mine[b]) ATOMIC(fetch_add, &bins[b], mine[b]);
}

__kernel void private_bins(__global const u8 *in, __global u16 *out) {
    u16 bins[16] = {0};
    u32 i = global_id(0);
    for (u32 k = 0; k < 32; k++) bins[in[i * 32 + k] >> 4]++;
    for (u32 b = 0; b < 16; b++) out[i * 16 + b] = bins[b];
}
