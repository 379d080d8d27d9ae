// Private arrays indexed by what is known only at run time: they live in scratch.
// launch: dynamic_index grid=300 block=64
//   u32[300]:rand u32[300] u64[300]
// launch: every_width grid=300 block=64
//   u32[300]:rand i8[300] u16[300] f16[300] f64[300]
// launch: large_frame grid=130 block=64
//   u32[130]:rand u32[130]

__kernel void dynamic_index(__global const u32 *in, __global u32 *out, __global u64 *wide) {
    u32 i = global_id(0), x = in[i];
    u32 a[16];
    u64 b[12] = {1, 2, 3};
    for (u32 k = 0; k < 16; k++) a[k] = mix(x + k);
    for (u32 k = 0; k < 40; k++) {
        u32 from = a[k & 15] >> 5 & 15, to = x >> (k & 28) & 15;
        a[to] += a[from] ^ k;
        b[from % 12] = b[to % 12] * 3 + a[from];
    }
    u32 sum = 0;
    u64 total = 0;
    for (u32 k = 0; k < 16; k++) sum = sum * 5 + a[k];
    for (u32 k = 0; k < 12; k++) total = total * 7 + b[k];
    out[i] = sum;
    wide[i] = total;
}

__kernel void every_width(__global const u32 *in, __global i8 *bytes, __global u16 *shorts, __global f16 *halves, __global f64 *doubles) {
    u32 i = global_id(0), x = in[i];
    i8 a[37];
    u16 b[21];
    f16 c[9];
    f64 d[7];
    u32x3 e[5];
    for (u32 k = 0; k < 37; k++) a[k] = (i8)(x >> (k & 7));
    for (u32 k = 0; k < 21; k++) b[k] = (u16)(x * (k + 1));
    for (u32 k = 0; k < 9; k++) c[k] = (f16)((x >> k & 63) * 0.5f);
    for (u32 k = 0; k < 7; k++) d[k] = (f64)x / (k + 1);
    for (u32 k = 0; k < 5; k++) e[k] = (u32x3){x, k, x ^ k};
    for (u32 k = 0; k < 20; k++) {
        u32 at = mix(x + k);
        a[at % 37] ^= a[at / 37 % 37];
        b[at % 21] += (u16)a[at % 36 + 1];
        c[at % 9] = c[at / 9 % 9] + (f16)0.25f;
        d[at % 7] -= d[at / 7 % 7] * 0.5;
        e[at % 5] += e[at / 5 % 5].zxy;
    }
    bytes[i] = a[x % 37];
    shorts[i] = (u16)(b[x % 21] + e[x % 5].y);
    halves[i] = c[x % 9];
    doubles[i] = d[x % 7] + (f64)(e[(x + 1) % 5].x >> 8);
}

// 9 KiB: offsets that no instruction can hold.
__kernel void large_frame(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), x = in[i];
    u32 low[1100], high[1200];
    for (u32 k = 0; k < 1100; k++) low[k] = x + k;
    for (u32 k = 0; k < 1200; k += 3) high[k] = x ^ k, high[k + 1] = k, high[k + 2] = x >> (k & 31);
    u32 at = x % 1100, sum = 0;
    for (u32 k = 0; k < 100; k++) {
        u32 next = (low[at] + high[(at + k) % 1200]) % 1100;
        low[at] = next * 3 + k;
        sum = sum * 9 + low[1099 - next] + high[1199 - next];
        at = next;
    }
    out[i] = sum + at;
}
