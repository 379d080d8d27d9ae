// Every conversion between number types: integers widen and wrap, floats round, and floats saturate into integers.
// launch: from_f32 grid=400 block=128
//   f32[400]:edge i64[3200] f64[400] f16[400]
// launch: from_f64 grid=400 block=128
//   f64[400]:edge i64[3200] f32[400] f16[400]
// launch: from_f16 grid=400 block=128
//   f16[400]:edge i64[3200] f32[400] f64[400]
// launch: from_integers grid=400 block=128
//   i64[400]:edge f16[3200] f32[3200] f64[3200] i64[3200]

// NaN becomes 0, what is too large the nearest integer.
#define SATURATE(x, T, low, high) (!((x) == (x)) ? (T)0 : (x) <= (F)(low) ? (T)(low) : (x) >= (F)(high) ? (T)(high) : (T)(x))
#define TO_INTEGERS(x)                                                                     \
    {                                                                                      \
        out[i] = SATURATE(x, i8, -128, 127);                                               \
        out[n + i] = SATURATE(x, u8, 0, 255);                                              \
        out[2 * n + i] = SATURATE(x, i16, -32768, 32767);                                  \
        out[3 * n + i] = SATURATE(x, u16, 0, 65535);                                       \
        out[4 * n + i] = SATURATE(x, i32, (-2147483647 - 1), 2147483647);                  \
        out[5 * n + i] = SATURATE(x, u32, 0, 4294967295u);                                 \
        out[6 * n + i] = SATURATE(x, i64, (-9223372036854775807l - 1), 9223372036854775807l); \
        out[7 * n + i] = (i64)SATURATE(x, u64, 0, 18446744073709551615ul);                 \
    }

#define F f32
__kernel void from_f32(__global const f32 *in, __global i64 *out, __global f64 *wide, __global f16 *narrow) {
    u32 i = global_id(0), n = global_size(0);
    f32 x = in[i];
    TO_INTEGERS(x)
    wide[i] = x;
    narrow[i] = (f16)x;
}
#undef F
#define F f64
__kernel void from_f64(__global const f64 *in, __global i64 *out, __global f32 *narrow, __global f16 *narrower) {
    u32 i = global_id(0), n = global_size(0);
    f64 x = in[i];
    TO_INTEGERS(x)
    narrow[i] = (f32)x;
    narrower[i] = (f16)x;
}
// The limits of wide integers are no f16; so f16 goes by f32.
__kernel void from_f16(__global const f16 *in, __global i64 *out, __global f32 *wide, __global f64 *wider) {
    u32 i = global_id(0), n = global_size(0);
    f16 narrow = in[i];
    f64 x = narrow;
    TO_INTEGERS(x)
    if (narrow == narrow && narrow < (f16)30000 && narrow > (f16)-30000) {
        out[2 * n + i] += (i16)narrow * 3 + (i32)narrow;
        out[5 * n + i] += narrow >= 0 ? (u16)narrow : 1;
    }
    wide[i] = narrow;
    wider[i] = narrow;
}

#define FROM(T, k)                      \
    {                                   \
        half_[k * n + i] = (f16)(T)x;   \
        single[k * n + i] = (f32)(T)x;  \
        double_[k * n + i] = (f64)(T)x; \
        whole[k * n + i] = (i64)(T)x;   \
    }
__kernel void from_integers(__global const i64 *in, __global f16 *half_, __global f32 *single, __global f64 *double_,
                            __global i64 *whole) {
    u32 i = global_id(0), n = global_size(0);
    i64 x = in[i];
    FROM(i8, 0)
    FROM(u8, 1)
    FROM(i16, 2)
    FROM(u16, 3)
    FROM(i32, 4)
    FROM(u32, 5)
    FROM(i64, 6)
    FROM(u64, 7)
}
