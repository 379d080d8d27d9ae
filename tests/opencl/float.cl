// Arithmetic, rounding, comparing and taking apart of f16, f32 and f64, denormals, infinities and NaNs among them.
// Quotients and roots are apart: f16's may be one unit off, since LLVM computes them by v_rcp_f32 and v_sqrt_f16; and so
// may denormal quotients, since v_div_fmas scales them after rounding.
// For gfx600 LLVM makes floor of f64 from V_FRACT_F64, and takes at least 2^-53 from it, so a small negative number's is
// -(1 - 2^-53). Where there is no arithmetic on f16 it computes in f32, and does not round between two operations.
// flags: -cl-fp32-correctly-rounded-divide-sqrt
// launch: float_f32 grid=400 block=64
//   f32[400]:edge f32[400]:rand f32[400]:edge f32[7600] f32[2000] f32[1200]~1ulp i32[1600]
// launch: float_f64 grid=400 block=64 from=gfx701/differs
//   f64[400]:edge f64[400]:rand f64[400]:edge f64[7600] f64[2000] f64[1200]~1ulp i32[1600]
// launch: float_f16 grid=400 block=64 from=gfx900/differs
//   f16[400]:edge f16[400]:rand f16[400]:edge f16[7600] f16[2000]~1ulp f16[1200]~1ulp i32[1600]

#define FMA_f16 fma_f16
#define FMA_f32 __builtin_fmaf
#define FMA_f64 __builtin_fma

// T the type, S the suffix of its builtins, LEAST the least normal number.
#define FLOAT(T, S, LEAST)                                                                                              \
    __kernel void float_##T(__global const T *a, __global const T *b, __global const T *c, __global T *out,     \
                            __global T *roots, __global T *tiny, __global i32 *flags) {                         \
        T quotients[3], least = LEAST;                                                                          \
        u32 i = global_id(0), n = global_size(0), k = 0;                                                        \
        T x = a[i], y = b[i], z = c[(i * 7 + 3) % n];                                                           \
        out[n * k++ + i] = x + y;                                                                               \
        out[n * k++ + i] = x - y;                                                                               \
        out[n * k++ + i] = x * y;                                                                               \
        quotients[0] = x / y, quotients[1] = y / z, quotients[2] = (T)1 / x;                                    \
        for (u32 q = 0; q < 3; q++) {                                                                           \
            u32 denormal = __builtin_fabs##S(quotients[q]) < least;                                             \
            roots[n * q + i] = denormal ? 0 : quotients[q];                                                     \
            tiny[n * q + i] = denormal ? quotients[q] : 0;                                                      \
        }                                                                                                       \
        roots[n * 3 + i] = __builtin_sqrt##S(__builtin_fabs##S(x));                                             \
        roots[n * 4 + i] = __builtin_sqrt##S(x);                                                                \
        out[n * k++ + i] = FMA_##T(x, y, z);                                                                    \
        out[n * k++ + i] = FMA_##T(-z, (T)0.75, y);                                                             \
        out[n * k++ + i] = x * y + z;                                                                           \
        out[n * k++ + i] = __builtin_floor##S(x);                                                               \
        out[n * k++ + i] = __builtin_ceil##S(x);                                                                \
        out[n * k++ + i] = __builtin_trunc##S(y);                                                               \
        out[n * k++ + i] = __builtin_rint##S(x * (T)0.5);                                                       \
        out[n * k++ + i] = __builtin_round##S(y * (T)0.25);                                                     \
        out[n * k++ + i] = __builtin_copysign##S(x, y);                                                         \
        out[n * k++ + i] = -__builtin_fabs##S(z);                                                               \
        out[n * k++ + i] = x < y ? x : y;                                                                       \
        out[n * k++ + i] = x > z ? z : y;                                                                       \
        out[n * k++ + i] = __builtin_fmin##S(x, (T)2.5) + (T)1;                                                 \
        out[n * k++ + i] = __builtin_fmax##S(z, (T)-2.5) + (T)1;                                                \
        out[n * k++ + i] = y * (T)0.1 - (T)3;                                                                   \
        out[n * k++ + i] = (x + y) * (x - y);                                                                   \
        flags[i] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * (x > y) + 32 * (x >= y);         \
        flags[n + i] = !(x < z) + 2 * !(x <= z) + 4 * !(x > z) + 8 * !(x >= z) + 16 * (x != x) + 32 * (x == z); \
        flags[2 * n + i] = __builtin_isnan(x) + 2 * __builtin_isinf(x) + 4 * __builtin_isfinite(z);             \
        flags[3 * n + i] = __builtin_isnormal(z) + 2 * __builtin_signbit(z) + 4 * __builtin_isunordered(x, z);  \
    }

FLOAT(f32, f, 0x1p-126f)
FLOAT(f64, , 0x1p-1022)
FLOAT(f16, f16, 0x1p-14f)
