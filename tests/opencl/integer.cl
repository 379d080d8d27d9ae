// What C can do with two integers, for every integer type.
// launch: integer_i8 grid=300 block=64
//   i8[300]:edge i8[300]:rand i8[9600]
// launch: integer_u8 grid=300 block=64
//   u8[300]:edge u8[300]:rand u8[9600]
// launch: integer_i16 grid=300 block=64
//   i16[300]:edge i16[300]:rand i16[9600]
// launch: integer_u16 grid=300 block=64
//   u16[300]:edge u16[300]:rand u16[9600]
// launch: integer_i32 grid=300 block=64
//   i32[300]:edge i32[300]:rand i32[9600]
// launch: integer_u32 grid=300 block=64
//   u32[300]:edge u32[300]:rand u32[9600]
// launch: integer_i64 grid=300 block=64
//   i64[300]:edge i64[300]:rand i64[9600]
// launch: integer_u64 grid=300 block=64
//   u64[300]:edge u64[300]:rand u64[9600]

#define HIGH_8(x, y) (((i32)(x) * (i32)(y)) >> 8)
#define HIGH_16(x, y) (((i64)(x) * (i64)(y)) >> 16)
#define HIGH_i32(x, y) (((i64)(x) * (i64)(y)) >> 32)
#define HIGH_u32(x, y) (((u64)(x) * (u64)(y)) >> 32)

// T the type, U its unsigned twin, W an unsigned type that neither is promoted nor overflows.
#define INTEGER(T, U, W, BITS, HIGH)                                                                           \
    __kernel void integer_##T(__global const T *a, __global const T *b, __global T *out) {                     \
        u32 i = global_id(0), n = global_size(0), k = 0;                                                       \
        T x = a[i], y = b[i];                                                                                  \
        u32 by = (u32)y & (BITS - 1);                                                                          \
        T most_negative = (T)((W)1 << (BITS - 1));                                                             \
        T d = y == 0 || (y == (T)-1 && x == most_negative) ? 3 : y;                                            \
        T e = x == 0 || (x == (T)-1 && y == most_negative) ? 7 : x;                                            \
        T sum, difference, product;                                                                            \
        out[n * k++ + i] = (T)((W)x + (W)y);                                                                   \
        out[n * k++ + i] = (T)((W)x - (W)y);                                                                   \
        out[n * k++ + i] = (T)((W)x * (W)y);                                                                   \
        out[n * k++ + i] = (T)(x / d);                                                                         \
        out[n * k++ + i] = (T)(x % d);                                                                         \
        out[n * k++ + i] = (T)(y / e);                                                                         \
        out[n * k++ + i] = (T)(y % e);                                                                         \
        out[n * k++ + i] = (T)(x / 7);                                                                         \
        out[n * k++ + i] = (T)(x % 100);                                                                       \
        out[n * k++ + i] = (T)(x / 64);                                                                        \
        out[n * k++ + i] = (T)HIGH(x, y);                                                                      \
        out[n * k++ + i] = (T)((W)x << by);                                                                    \
        out[n * k++ + i] = (T)(x >> by);                                                                       \
        out[n * k++ + i] = (T)((U)x >> by);                                                                    \
        out[n * k++ + i] = (T)((W)x << 3);                                                                     \
        out[n * k++ + i] = (T)(x >> 3);                                                                        \
        out[n * k++ + i] = x & y;                                                                              \
        out[n * k++ + i] = x | y;                                                                              \
        out[n * k++ + i] = x ^ (T)~y;                                                                          \
        out[n * k++ + i] = (T)(0 - (W)x);                                                                      \
        out[n * k++ + i] = min(x, y);                                                                          \
        out[n * k++ + i] = max(x, y);                                                                          \
        out[n * k++ + i] = x > y ? (T)((W)x - (W)y) : (T)((W)y - (W)x);                                        \
        out[n * k++ + i] = __builtin_elementwise_add_sat(x, y);                                                \
        out[n * k++ + i] = __builtin_elementwise_sub_sat(x, y);                                                \
        out[n * k++ + i] = (T)((W)(x & y) + (W)((x ^ y) >> 1));                                                \
        out[n * k++ + i] = (T)(__builtin_add_overflow(x, y, &sum) + 2 * __builtin_sub_overflow(x, y, &difference) + \
                               4 * __builtin_mul_overflow(x, (T)13, &product));                                \
        out[n * k++ + i] = (T)((W)sum ^ (W)difference ^ (W)product);                                           \
        out[n * k++ + i] = (T)((x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x > 0) + 16 * (y >= (T)100));      \
        out[n * k++ + i] = (T)((W)x * (W)y + (W)e);                                                            \
        out[n * k++ + i] = (T)(!x + (x && y) * 2 + (x || y) * 4);                                              \
        out[n * k++ + i] = (T)((W)(x ? y : e) * 5 + by);                                                       \
    }

INTEGER(i8, u8, u32, 8, HIGH_8)
INTEGER(u8, u8, u32, 8, HIGH_8)
INTEGER(i16, u16, u32, 16, HIGH_16)
INTEGER(u16, u16, u32, 16, HIGH_16)
INTEGER(i32, u32, u32, 32, HIGH_i32)
INTEGER(u32, u32, u32, 32, HIGH_u32)
INTEGER(i64, u64, u64, 64, mul_hi_i64)
INTEGER(u64, u64, u64, 64, mul_hi_u64)
