// Vectors of 2, 3, 4, 8 and 16 elements: arithmetic, swizzles, selecting, converting, reducing.
// launch: vectors_f32 grid=256 block=64
//   f32[1024]:rand f32[1024]:rand f32[6144] i32[1024]
// launch: vectors_integer grid=256 block=64
//   u8[4096]:rand i16[2048]:rand u8[4096] i16[4096] u32[512]
// launch: vectors_wide grid=256 block=64
//   f64[768]:rand i64[512]:rand f64[1024] i64[1024]
// launch: vectors_half grid=256 block=64 from=gfx900/differs
//   f16[512]:rand f16[512]:rand f16[2560] i16[512]

__kernel void vectors_f32(__global const f32x4 *a, __global const f32x4 *b, __global f32x4 *out, __global i32x4 *flags) {
    u32 i = global_id(0), n = global_size(0);
    f32x4 x = a[i], y = b[i];
    out[i] = x + y * 2.0f - x.wzyx;
    out[n + i] = (f32x4){x.xy.yx.x, y.z, x.w, y.x} * x;
    f32x4 less = x < y ? x : y;
    less.xz = y.wy;
    out[2 * n + i] = less;
    f32x3 u = x.xyz, v = y.xyz;
    f32x3 cross = u.yzx * v.zxy - u.zxy * v.yzx;
    f32x3 product = u * v;
    out[3 * n + i] = (f32x4){cross.x, cross.y, cross.z, product.x + product.y + product.z};
    out[4 * n + i] = __builtin_shufflevector(x, y, 6, 0, 5, 3);
    out[5 * n + i] = __builtin_convertvector(__builtin_convertvector(x, i32x4) >> 1, f32x4);
    flags[i] = (x < y) + (x != x.yxwz) * 2;
}

__kernel void vectors_integer(__global const u8x16 *bytes, __global const i16x8 *shorts, __global u8x16 *bytes_out,
                              __global i16x8 *shorts_out, __global u32x2 *sums) {
    u32 i = global_id(0), n = global_size(0);
    u8x16 x = bytes[i];
    i16x8 y = shorts[i];
    u8x16 z = x + x.sfedcba9876543210;
    z.s0f = x.s78;
    bytes_out[i] = __builtin_elementwise_max(z, x) - (x >> 3);
    shorts_out[i] = __builtin_convertvector(x.odd, i16x8) * y + (y & (i16)0x0ff0);
    shorts_out[n + i] = __builtin_elementwise_min(y, y.s10325476) ^ (y << 2);
    u32x8 wide = __builtin_convertvector(x.hi, u32x8);
    u32x4 folded = wide.lo * wide.hi;
    sums[i] = folded.xy + folded.zw + (u32x2){__builtin_reduce_xor(wide), __builtin_reduce_max(wide)};
}

__kernel void vectors_wide(__global const f64 *a, __global const i64x2 *b, __global f64x4 *out, __global i64x4 *whole) {
    u32 i = global_id(0);
    f64x3 x = {a[3 * i], a[3 * i + 1], a[3 * i + 2]};
    i64x2 y = b[i];
    f64x3 square = x * x;
    out[i] = (f64x4){square.x + square.y, x.z * 3.0 - x.x, -x.y, x.x / 4.0};
    u64x2 bits = __builtin_convertvector(y, u64x2);
    whole[i] = (i64x4){(i64)(bits.x * bits.y), y.x >> 5 ^ y.y, y.x > y.y ? y.x : y.y, (i64)(bits.x + bits.y)};
}

__kernel void vectors_half(__global const f16x2 *a, __global const f16x2 *b, __global f16x2 *out, __global i16x2 *flags) {
    u32 i = global_id(0), n = global_size(0);
    f16x2 x = a[i], y = b[i];
    out[i] = x + y;
    out[n + i] = x * y - x.yx;
    out[2 * n + i] = -x * y.yy;
    out[3 * n + i] = x < y ? x : y;
    out[4 * n + i] = __builtin_convertvector(__builtin_convertvector(x, f32x2) * 0.5f, f16x2);
    flags[i] = (x < y) + __builtin_convertvector(y, i16x2);
}
