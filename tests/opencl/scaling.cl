// Exponents and mantissas: ldexp, frexp, and what they undo.
// launch: scaling_f32 grid=400 block=64
//   f32[400]:edge i32[400]:small f32[1200] i32[400]
// launch: scaling_f64 grid=400 block=64
//   f64[400]:edge i32[400]:small f64[1200] i32[400]

#define SCALING(T, S)                                                                                         \
    __kernel void scaling_##T(__global const T *in, __global const i32 *by, __global T *out, __global i32 *exponent) { \
        u32 i = global_id(0), n = global_size(0);                                                             \
        T x = in[i];                                                                                          \
        i32 e = 0;                                                                                            \
        T finite = __builtin_isfinite(x) ? x : (T)1.5;                                                        \
        T mantissa = __builtin_frexp##S(finite, &e);                                                          \
        out[i] = __builtin_ldexp##S(x, by[i] - 500);                                                          \
        out[n + i] = mantissa;                                                                                \
        out[2 * n + i] = __builtin_ldexp##S(mantissa, e) == finite ? (T)1 : (T)0;                             \
        exponent[i] = e;                                                                                      \
    }

SCALING(f32, f)
SCALING(f64, )
