// Numbers of many words: products of 512 bits, remainders, factorials, and greatest common divisors of 128 bits.
// launch: products grid=70 block=64
//   u32[1120]:rand u32[1120]:rand u32[2240]
// launch: wide_words grid=70 block=64
//   u64[280]:rand u64[280]:rand u64[560] u64[70]
// launch: factorials grid=40 block=40
//   u32[320] u32[40]

enum { WORDS = 16 };
__kernel void products(__global const u32 *a, __global const u32 *b, __global u32 *out) {
    u32 i = global_id(0), sum[2 * WORDS] = {0};
    for (u32 j = 0; j < WORDS; j++) {
        u64 carry = 0;
        for (u32 k = 0; k < WORDS; k++) {
            carry += (u64)a[WORDS * i + j] * b[WORDS * i + k] + sum[j + k];
            sum[j + k] = (u32)carry;
            carry >>= 32;
        }
        sum[j + WORDS] = (u32)carry;
    }
    for (u32 k = 0; k < 2 * WORDS; k++) out[2 * WORDS * i + k] = sum[k];
}

__kernel void wide_words(__global const u64 *a, __global const u64 *b, __global u64 *out, __global u64 *remainder) {
    u32 i = global_id(0);
    u64 sum[8] = {0};
    for (u32 j = 0; j < 4; j++) {
        u64 carry = 0;
        for (u32 k = 0; k < 4; k++) {
            u64 x = a[4 * i + j], y = b[4 * i + k], low = x * y, high = mul_hi_u64(x, y);
            low += carry, high += low < carry;
            sum[j + k] += low, high += sum[j + k] < low;
            carry = high;
        }
        sum[j + 4] = carry;
    }
    u64 rest = 0, modulus = (a[4 * i] >> 8) | 1;
    for (u32 k = 512; k-- > 0;) {
        rest = rest << 1 | (sum[k / 64] >> (k % 64) & 1);
        if (rest >= modulus) rest -= modulus;
    }
    for (u32 k = 0; k < 8; k++) out[8 * i + k] = sum[k];
    remainder[i] = rest;
}

// (i + 1) factorial, in decimal digits, nine a word.
__kernel void factorials(__global u32 *out, __global u32 *digits) {
    u32 i = global_id(0), words[8] = {1}, used = 1;
    for (u32 f = 2; f <= i + 1; f++) {
        u64 carry = 0;
        for (u32 k = 0; k < used; k++) {
            carry += (u64)words[k] * f;
            words[k] = (u32)(carry % 1000000000);
            carry /= 1000000000;
        }
        if (carry) words[used++] = (u32)carry;
    }
    u32 count = 9 * (used - 1);
    for (u32 top = words[used - 1]; top; top /= 10) count++;
    for (u32 k = 0; k < 8; k++) out[8 * i + k] = words[k];
    digits[i] = count;
}
