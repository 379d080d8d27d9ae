// Checksums: CRC-32 by a table in LDS and bit by bit, CRC-64, Adler-32, FNV-1a.
// launch: checksums grid=128 block=64
//   u8[8192]:rand u32[128] u32[128] u64[128] u32[128] u64[128]

__kernel void checksums(__global const u8 *in, __global u32 *by_table, __global u32 *by_bit, __global u64 *wide, __global u32 *adler,
                        __global u64 *fnv) {
    SHARED u32 table[256];
    for (u32 k = local_id(0); k < 256; k += local_size(0)) {
        u32 x = k;
        for (u32 bit = 0; bit < 8; bit++) x = x & 1 ? x >> 1 ^ 0xedb88320 : x >> 1;
        table[k] = x;
    }
    barrier();
    u32 i = global_id(0), length = 20 + i % 44, a = ~0u, b = ~0u, s = 1, t = 0;
    u64 c = 0, h = 0xcbf29ce484222325ul;
    for (u32 k = 0; k < length; k++) {
        u8 byte = in[64 * i + k];
        a = table[(a ^ byte) & 255] ^ a >> 8;
        b ^= byte;
        for (u32 bit = 0; bit < 8; bit++) b = b >> 1 ^ (0xedb88320 & (0 - (b & 1)));
        c ^= (u64)byte << 56;
        for (u32 bit = 0; bit < 8; bit++) c = c << 1 ^ ((i64)c < 0 ? 0x42f0e1eba9ea3693ul : 0);
        s = (s + byte) % 65521, t = (t + s) % 65521;
        h = (h ^ byte) * 0x100000001b3ul;
    }
    by_table[i] = ~a, by_bit[i] = ~b, wide[i] = c, adler[i] = t << 16 | s, fnv[i] = h;
}
