// What OpenCL lets be inexact, and what the compiler lowers to the machine's own functions: each within its bound.
// launch: divide_and_root grid=512 block=64
//   f32[512]:positive f32[512]:positive f32[512]~3ulp f32[512]~3ulp f32[512]~3ulp
// launch: exponentials grid=512 block=64
//   f32[512]:unit f32[512]:positive f32[512]~4ulp f32[512]~4ulp f32[512]~0.000004 f32[512]~0.000004 f32[512]~0.000004

__kernel void divide_and_root(__global const f32 *a, __global const f32 *b, __global f32 *quotient, __global f32 *root,
                              __global f32 *inverse) {
    u32 i = global_id(0);
    quotient[i] = a[i] / b[i];
    root[i] = __builtin_sqrtf(a[i]);
    inverse[i] = 1.0f / __builtin_sqrtf(b[i]);
}

__kernel void exponentials(__global const f32 *a, __global const f32 *b, __global f32 *power, __global f32 *natural,
                           __global f32 *logarithm, __global f32 *sine, __global f32 *cosine) {
    u32 i = global_id(0);
    power[i] = __builtin_exp2f(a[i] * 40 - 20);
    natural[i] = __builtin_expf(a[i] * 20 - 10);
    logarithm[i] = __builtin_log2f(b[i]) + __builtin_logf(a[i] + 1) + __builtin_log10f(b[i]);
    sine[i] = __builtin_sinf(a[i] * 6 - 3);
    cosine[i] = __builtin_cosf(a[i] * 6 - 3);
}
