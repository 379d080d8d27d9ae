// Copies, fills and comparisons of lengths known and unknown, overlapping and not, and volatile accesses.
// launch: copies grid=128 block=64
//   u8[4096]:rand u8[4096] u8[4096] u32[128]
// launch: moves grid=64 block=64
//   u8[4096]:rand u8[4096]
// launch: volatiles grid=200 block=64
//   u32[200]:rand u32[200]

__kernel void copies(__global const u8 *in, __global u8 *out, __global u8 *fills, __global u32 *same) {
    u32 i = global_id(0);
    u8 mine[48];
    u32 length = in[32 * i] & 31;
    __builtin_memset(mine, (i32)i, sizeof mine);
    __builtin_memcpy(mine + 3, in + 32 * i, 29);
    __builtin_memcpy(mine + 7, in + 32 * i, length);
    __builtin_memcpy(out + 32 * i, mine + 1, 32);
    __builtin_memset(fills + 32 * i, in[32 * i + 1], length);
    u32 equal = 0;
    for (u32 k = 0; k < 32; k++) equal += out[32 * i + k] == in[32 * i + k];
    same[i] = equal;
}

__kernel void moves(__global const u8 *in, __global u8 *out) {
    u32 i = global_id(0);
    u8 a[64], b[64];
    __builtin_memcpy(a, in + 64 * i, 64);
    u32 from = a[0] & 15, to = a[1] & 15, length = a[2] & 31;
    __builtin_memmove(a + to, a + from, length);
    __builtin_memmove(a + 20, a + 17, 40);
    __builtin_memcpy(b, a, sizeof b);
    for (u32 k = 0; k < 64; k++) out[64 * i + k] = b[63 - k];
}

__kernel void volatiles(__global const volatile u32 *in, __global volatile u32 *out) {
    SHARED volatile u32 box[64];
    u32 i = global_id(0), t = local_id(0);
    volatile u32 mine = in[i];
    volatile u16 half_ = (u16)in[i];
    box[t] = mine;
    for (volatile u32 k = 0; k < 5; k++) {
        box[t] += mine ^ k;
        mine = box[t] * 3;
        half_ = (u16)(half_ + mine);
        out[i] = mine;
    }
    out[i] += half_;
}
