// Sums, extremes and products of a group by trees in LDS; groups of 256 and of 1024.
// launch: sum grid=2048 block=256
//   i32[2048]:rand i32[8]
// launch: extremes grid=3072 block=1024
//   f32[3072]:rand f32[6]
// launch: strided grid=512 block=128
//   u64[5000]:rand u32=5000 u64[4]

__kernel void sum(__global const i32 *in, __global i32 *out) {
    SHARED u32 part[256];
    u32 t = local_id(0);
    part[t] = (u32)in[global_id(0)];
    barrier();
    for (u32 half_ = local_size(0) / 2; half_; half_ /= 2) {
        if (t < half_) part[t] += part[t + half_];
        barrier();
    }
    if (t == 0) out[group_id(0)] = (i32)part[0];
}

#ifndef CL_HOST
__attribute__((reqd_work_group_size(1024, 1, 1)))
#endif
__kernel void extremes(__global const f32 *in, __global f32 *out) {
    SHARED f32 low[1024];
    SHARED f32 high[1024];
    u32 t = local_id(0);
    low[t] = high[t] = in[global_id(0)];
    for (u32 step = 1; step < 1024; step *= 2) {
        barrier();
        if (t % (2 * step) == 0) {
            low[t] = low[t] < low[t + step] ? low[t] : low[t + step];
            high[t] = high[t] > high[t + step] ? high[t] : high[t + step];
        }
    }
    barrier();
    if (t == 1023) out[2 * group_id(0)] = low[0], out[2 * group_id(0) + 1] = high[0];
}

__kernel void strided(__global const u64 *in, u32 count, __global u64 *out) {
    SHARED u64 part[128];
    u32 t = local_id(0);
    u64 product = 1;
    for (u32 i = global_id(0); i < count; i += global_size(0)) product *= in[i] | 1;
    part[t] = product;
    barrier();
    if (t < 64) part[t] *= part[t + 64];
    barrier();
    if (t == 0) {
        for (u32 i = 1; i < 64; i++) product *= part[i];
        out[group_id(0)] = product ^ part[0];
    }
}
