// The compiler's names for single instructions of the machine, beside their meanings written out in C.
// launch: machine_integer grid=500 block=64
//   u32[500]:rand u32[500]:edge u32[500]:rand u32[7000]
// launch: machine_float grid=500 block=64
//   f32[500]:edge f32[500]:rand f32[500]:rand f32[2000] i32[500] u32[500]

#if defined CL_HOST || GENERATION < 8
static u32 byte_of(u32 x, u32 i) { return x >> 8 * i & 255; }
static u32 permute_bytes(u32 high, u32 low, u32 selectors) {
    u32 out = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 s = byte_of(selectors, i), b;
        u64 both = (u64)high << 32 | low;
        if (s <= 7)
            b = (u32)(both >> 8 * s) & 255;
        else if (s <= 11)
            b = both >> (16 * (s - 8) + 15) & 1 ? 255 : 0;
        else
            b = s == 12 ? 0 : 255;
        out |= b << 8 * i;
    }
    return out;
}
#else
#define permute_bytes __builtin_amdgcn_perm
#endif

#ifdef CL_HOST
static u32 sum_of_differences(u32 a, u32 b, u32 add) {
    for (u32 i = 0; i < 4; i++) add += byte_of(a, i) > byte_of(b, i) ? byte_of(a, i) - byte_of(b, i) : byte_of(b, i) - byte_of(a, i);
    return add;
}
static u32 masked_differences(u32 a, u32 b, u32 add) {
    for (u32 i = 0; i < 4; i++)
        if (byte_of(b, i)) add += byte_of(a, i) > byte_of(b, i) ? byte_of(a, i) - byte_of(b, i) : byte_of(b, i) - byte_of(a, i);
    return add;
}
static u32 difference_of_halves(u32 a, u32 b, u32 add) {
    for (u32 i = 0; i < 2; i++) {
        i32 x = a >> 16 * i & 0xffff, y = b >> 16 * i & 0xffff;
        add += (u32)(x > y ? x - y : y - x);
    }
    return add;
}
static u32 average_bytes(u32 a, u32 b, u32 round) {
    u32 out = 0;
    for (u32 i = 0; i < 4; i++) out |= (byte_of(a, i) + byte_of(b, i) + (byte_of(round, i) & 1)) / 2 << 8 * i;
    return out;
}
static u32 extract(u32 x, u32 from, u32 width) {
    from &= 31, width &= 31;
    return x >> from & ((1u << width) - 1);
}
static i32 extract_signed(i32 x, u32 from, u32 width) {
    from &= 31, width &= 31;
    if (width == 0) return 0;
    u32 field = (u32)x >> from;
    if (from + width < 32) return (i32)(field << (32 - width)) >> (32 - width);
    return x >> from;
}
static f32 middle(f32 a, f32 b, f32 c) { return max(min(a, b), min(max(a, b), c)); }
static i32 exponent_of(f32 x) {
    i32 e = 0;
    if (x == 0 || !__builtin_isfinite(x)) return 0;
    (void)__builtin_frexpf(x, &e);
    return e;
}
static f32 fraction_part(f32 x) {
    f32 below = x - __builtin_floorf(x);
    return below < 0x1.fffffep-1f ? below : 0x1.fffffep-1f;
}
static u32 class_of(f32 x) {
    u32 bits = f32_bits(x), magnitude = bits & 0x7fffffff, negative = bits >> 31;
    if (magnitude > 0x7f800000) return magnitude & 0x400000 ? 2 : 1;
    u32 kind = magnitude == 0x7f800000 ? 3 : magnitude >= 0x800000 ? 2 : magnitude ? 1 : 0;
    return negative ? 4u << (3 - kind) : 64u << kind;
}
static u32 to_byte(f32 x, u32 at, u32 into) {
    u32 b = !(x > 0) ? 0 : x >= 255 ? 255 : (u32)x;
    return (into & ~(255u << 8 * at)) | b << 8 * at;
}
#else
#define sum_of_differences __builtin_amdgcn_sad_u8
#define masked_differences __builtin_amdgcn_msad_u8
#define difference_of_halves __builtin_amdgcn_sad_u16
#define average_bytes __builtin_amdgcn_lerp
#define extract __builtin_amdgcn_ubfe
#define extract_signed __builtin_amdgcn_sbfe
#define middle __builtin_amdgcn_fmed3f
#define exponent_of __builtin_amdgcn_frexp_expf
#define fraction_part __builtin_amdgcn_fractf
#define to_byte __builtin_amdgcn_cvt_pk_u8_f32
static u32 class_of(f32 x) {
    u32 out = 0;
    if (__builtin_amdgcn_classf(x, 1)) out |= 1;
    if (__builtin_amdgcn_classf(x, 2)) out |= 2;
    if (__builtin_amdgcn_classf(x, 4)) out |= 4;
    if (__builtin_amdgcn_classf(x, 8)) out |= 8;
    if (__builtin_amdgcn_classf(x, 16)) out |= 16;
    if (__builtin_amdgcn_classf(x, 32)) out |= 32;
    if (__builtin_amdgcn_classf(x, 64)) out |= 64;
    if (__builtin_amdgcn_classf(x, 128)) out |= 128;
    if (__builtin_amdgcn_classf(x, 256)) out |= 256;
    if (__builtin_amdgcn_classf(x, 512)) out |= 512;
    return out;
}
#endif

#ifdef CL_HOST
static u32 align_bits(u32 a, u32 b, u32 by) { return (u32)(((u64)a << 32 | b) >> (by & 31)); }
static u32 align_bytes(u32 a, u32 b, u32 by) { return (u32)(((u64)a << 32 | b) >> 8 * (by & 3)); }
#else
#define align_bits __builtin_amdgcn_alignbit
#define align_bytes __builtin_amdgcn_alignbyte
#endif

__kernel void machine_integer(__global const u32 *a, __global const u32 *b, __global const u32 *c, __global u32 *out) {
    u32 i = global_id(0), n = global_size(0), k = 0, x = a[i], y = b[i], z = c[i];
    out[n * k++ + i] = permute_bytes(x, y, z & 0x0f0f0f0f);
    out[n * k++ + i] = permute_bytes(y, x, 0x0c010d06);
    out[n * k++ + i] = sum_of_differences(x, z, y);
    out[n * k++ + i] = masked_differences(x, z & 0xff00ffff, y);
    out[n * k++ + i] = difference_of_halves(x, y, z);
    out[n * k++ + i] = average_bytes(x, y, z);
    out[n * k++ + i] = extract(x, y, z);
    out[n * k++ + i] = (u32)extract_signed((i32)x, y, z);
    out[n * k++ + i] = extract(z, 5, 11);
    out[n * k++ + i] = (u32)extract_signed((i32)z, 9, 7);
    out[n * k++ + i] = align_bits(x, y, z);
    out[n * k++ + i] = align_bytes(x, y, z);
    out[n * k++ + i] = (x & 0xffffff) * (z & 0xffffff) + y;
    out[n * k++ + i] = min(max(x, y), max(min(x, y), z));
}

__kernel void machine_float(__global const f32 *a, __global const f32 *b, __global const f32 *c, __global f32 *out,
                            __global i32 *exponent, __global u32 *classes) {
    u32 i = global_id(0), n = global_size(0);
    f32 x = a[i], y = b[i], z = c[i];
    out[i] = middle(y, z, 0.5f);
    out[n + i] = fraction_part(y * 0.125f);
    // Of whole numbers only: the ISA does not say how this rounds.
    out[2 * n + i] = bits_f32(to_byte(__builtin_truncf(y), 2, 0x40400000 + i));
    out[3 * n + i] = bits_f32(to_byte(__builtin_truncf(x), 0, 0x3f800000));
    exponent[i] = exponent_of(x);
    classes[i] = class_of(x);
}
