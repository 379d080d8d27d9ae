// Fast Fourier transforms: radix 2 in LDS with twiddles by half-angles, and back; number-theoretic modulo 3 * 2^30 + 1.
// flags: -cl-fp32-correctly-rounded-divide-sqrt
// launch: fft grid=256 block=64
//   f32[1024]:unit f32[1024] f32[1024]
// launch: number_theoretic grid=64 block=32
//   u32[128]:rand u32[128] u32[128]

// cos and sin of 2 pi k / 128 for powers k, by halving the angle; other angles by adding.
static f32x2 root_of_unity(u32 k) {
    f32x2 out = {1, 0}, step = {-1, 0};
    f32 c = -1;
    for (u32 bit = 64; bit; bit /= 2) {
        if (k & bit) out = (f32x2){out.x * step.x - out.y * step.y, out.x * step.y + out.y * step.x};
        f32 half_ = __builtin_sqrtf((1.0f + c) * 0.5f);
        step = (f32x2){half_, __builtin_sqrtf((1.0f - c) * 0.5f)};
        c = half_;
    }
    return out;
}

static void transform(__local f32x2 *data, u32 t, f32 sign) {
    for (u32 size = 2; size <= 128; size *= 2) {
        u32 half_ = size / 2, at = t / half_ * size + t % half_;
        f32x2 w = root_of_unity(t % half_ * (128 / size));
        w.y *= sign;
        barrier();
        f32x2 a = data[at], b = data[at + half_];
        f32x2 wb = {w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x};
        data[at] = a + wb, data[at + half_] = a - wb;
    }
    barrier();
}

__kernel void fft(__global const f32x2 *in, __global f32x2 *spectrum, __global f32x2 *back) {
    SHARED f32x2 data[128];
    u32 t = local_id(0), first = group_id(0) * 128;
    for (u32 k = t; k < 128; k += 64) data[__builtin_bitreverse32(k) >> 25] = in[first + k];
    transform(data, t, -1);
    f32x2 a = data[t], b = data[t + 64];
    spectrum[first + t] = a, spectrum[first + t + 64] = b;
    barrier();
    data[__builtin_bitreverse32(t) >> 25] = a, data[__builtin_bitreverse32(t + 64) >> 25] = b;
    transform(data, t, 1);
    back[first + t] = data[t] * 0.0078125f, back[first + t + 64] = data[t + 64] * 0.0078125f;
}

enum { P = 3221225473 };
static u32 multiply(u32 a, u32 b) { return (u32)((u64)a * b % P); }
static u32 power(u32 a, u32 n) {
    u32 out = 1;
    for (; n; n /= 2, a = multiply(a, a))
        if (n & 1) out = multiply(out, a);
    return out;
}
static void transform_modulo(__local u32 *data, u32 t, u32 root) {
    for (u32 size = 2; size <= 64; size *= 2) {
        u32 half_ = size / 2, at = t / half_ * size + t % half_, w = power(root, t % half_ * (64 / size));
        barrier();
        u32 a = data[at], b = multiply(w, data[at + half_]);
        data[at] = (u32)(((u64)a + b) % P), data[at + half_] = (u32)(((u64)a + P - b) % P);
    }
    barrier();
}
__kernel void number_theoretic(__global const u32 *in, __global u32 *spectrum, __global u32 *back) {
    SHARED u32 data[64];
    u32 t = local_id(0), first = group_id(0) * 64, root = power(5, (P - 1) / 64);
    for (u32 k = t; k < 64; k += 32) data[__builtin_bitreverse32(k) >> 26] = in[first + k] % P;
    transform_modulo(data, t, root);
    u32 a = data[t], b = data[t + 32];
    spectrum[first + t] = a, spectrum[first + t + 32] = b;
    barrier();
    data[__builtin_bitreverse32(t) >> 26] = a, data[__builtin_bitreverse32(t + 32) >> 26] = b;
    transform_modulo(data, t, power(root, P - 2));
    u32 scale = power(64, P - 2);
    back[first + t] = multiply(data[t], scale), back[first + t + 32] = multiply(data[t + 32], scale);
}
