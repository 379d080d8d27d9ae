// Matrix products by tiles in LDS: f32 and f64 with fused multiplication, bytes into words.
// launch: matmul_f32 grid=48,32 block=16,16
//   f32[2048]:rand f32[3072]:rand u32=64 f32[1536]
// launch: matmul_f64 grid=32,24 block=8,8
//   f64[960]:rand f64[1280]:rand u32=40 f64[768]
// launch: matmul_i8 grid=32,32 block=8,8
//   i8[2048]:rand i8[2048]:rand u32=64 i32[1024]

#define MATMUL(T, TILE, FMA)                                                                                            \
    __kernel void matmul_##T(__global const T *a, __global const T *b, u32 inner, __global T *out) {                    \
        SHARED T left[TILE][TILE];                                                                                      \
        SHARED T right[TILE][TILE];                                                                                     \
        u32 x = local_id(0), y = local_id(1), column = global_id(0), row = global_id(1), width = global_size(0);        \
        T sum = 0;                                                                                                      \
        for (u32 at = 0; at < inner; at += TILE) {                                                                      \
            left[y][x] = a[row * inner + at + x];                                                                       \
            right[y][x] = b[(at + y) * width + column];                                                                 \
            barrier();                                                                                                  \
            for (u32 k = 0; k < TILE; k++) sum = FMA(left[y][k], right[k][x], sum);                                     \
            barrier();                                                                                                  \
        }                                                                                                               \
        out[row * width + column] = sum;                                                                                \
    }

MATMUL(f32, 16, __builtin_fmaf)
MATMUL(f64, 8, __builtin_fma)

__kernel void matmul_i8(__global const i8 *a, __global const i8 *b, u32 inner, __global i32 *out) {
    i32 sum = 0;
    for (u32 k = 0; k < inner; k++) sum += a[global_id(1) * inner + k] * b[global_id(0) * inner + k];
    out[global_id(1) * global_size(0) + global_id(0)] = sum;
}
