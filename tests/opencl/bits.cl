// Counting, moving and mixing bits.
// launch: bits_32 grid=500 block=64
//   u32[500]:edge u32[500]:rand u32[10000]
// launch: bits_64 grid=500 block=64
//   u64[500]:edge u64[500]:rand u64[6000]
// launch: bits_narrow grid=500 block=64
//   u16[500]:rand u8[500]:rand u16[2500] u8[2500]

static u32 spread(u32 x) {
    x &= 0xffff;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}
static u32 gather_bits(u32 x, u32 mask) {
    u32 out = 0;
    for (u32 to = 0; mask; mask &= mask - 1, to++) out |= (x >> __builtin_ctz(mask) & 1) << to;
    return out;
}
static u32 scatter_bits(u32 x, u32 mask) {
    u32 out = 0;
    for (; mask; mask &= mask - 1, x >>= 1)
        if (x & 1) out |= mask & (0 - mask);
    return out;
}

__kernel void bits_32(__global const u32 *a, __global const u32 *b, __global u32 *out) {
    u32 i = global_id(0), n = global_size(0), k = 0, x = a[i], y = b[i], by = y & 31, width = (y >> 5) % 31 + 1;
    out[n * k++ + i] = clz32(x);
    out[n * k++ + i] = ctz32(x);
    out[n * k++ + i] = __builtin_popcount(x);
    out[n * k++ + i] = __builtin_popcount(x) + y;
    out[n * k++ + i] = clz32((u32)((i32)x ^ ((i32)x >> 31)));
    out[n * k++ + i] = __builtin_bitreverse32(x);
    out[n * k++ + i] = __builtin_bswap32(x);
    out[n * k++ + i] = __builtin_rotateleft32(x, by);
    out[n * k++ + i] = __builtin_rotateright32(x, by);
    out[n * k++ + i] = __builtin_rotateleft32(x, 7);
    out[n * k++ + i] = (u32)(((u64)x << 32 | y) >> by);
    out[n * k++ + i] = x >> (by & 15) & ((1u << width) - 1);
    out[n * k++ + i] = (u32)((i32)(x << (32 - width)) >> (32 - width));
    out[n * k++ + i] = (x & y) | (~x & ~y);
    out[n * k++ + i] = (x & 0xff00ff00) | (y & 0x00ff00ff);
    out[n * k++ + i] = x ^ x >> 1;
    out[n * k++ + i] = __builtin_parity(x & y);
    out[n * k++ + i] = spread(x) | spread(y) << 1;
    out[n * k++ + i] = gather_bits(x, y);
    out[n * k++ + i] = scatter_bits(x, y);
}

__kernel void bits_64(__global const u64 *a, __global const u64 *b, __global u64 *out) {
    u32 i = global_id(0), n = global_size(0), k = 0;
    u64 x = a[i], y = b[i];
    u32 by = y & 63;
    out[n * k++ + i] = clz64(x);
    out[n * k++ + i] = ctz64(x);
    out[n * k++ + i] = (u64)__builtin_popcountl(x);
    out[n * k++ + i] = __builtin_bitreverse64(x);
    out[n * k++ + i] = __builtin_bswap64(x);
    out[n * k++ + i] = __builtin_rotateleft64(x, by);
    out[n * k++ + i] = __builtin_rotateright64(x, 17);
    out[n * k++ + i] = (u64)((i64)x >> by);
    out[n * k++ + i] = by ? x >> by | y << (64 - by) : x;
    out[n * k++ + i] = x & (0 - x);
    out[n * k++ + i] = (x & y) | (x & ~y) << 1 | (y & 0xff00ff00ff00ff00ul);
    out[n * k++ + i] = x & ((u64)1 << by) ? ~y : y;
}

__kernel void bits_narrow(__global const u16 *a, __global const u8 *b, __global u16 *shorts, __global u8 *bytes) {
    u32 i = global_id(0), n = global_size(0);
    u16 x = a[i];
    u8 y = b[i];
    shorts[i] = __builtin_bitreverse16(x);
    shorts[n + i] = __builtin_bswap16(x);
    shorts[2 * n + i] = __builtin_rotateleft16(x, y & 15);
    shorts[3 * n + i] = (u16)__builtin_popcount(x);
    shorts[4 * n + i] = (u16)(clz32(x) - 16);
    bytes[i] = __builtin_bitreverse8(y);
    bytes[n + i] = __builtin_rotateleft8(y, x & 7);
    bytes[2 * n + i] = __builtin_rotateright8(y, 3);
    bytes[3 * n + i] = (u8)(y & 0xaa ? y >> 4 | y << 4 : ~y);
    bytes[4 * n + i] = (u8)ctz32(y | 256);
}
