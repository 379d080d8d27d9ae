// AES-128 of blocks, each under its own key; the S-box is computed by each group (FIPS 197).
// launch: aes grid=96 block=32
//   u8[1536]:rand u8[1536]:rand u8[1536]

static u8 twice(u8 x) { return (u8)(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }
static u8 times(u8 a, u8 b) {
    u8 product = 0;
    for (; b; b >>= 1, a = twice(a))
        if (b & 1) product ^= a;
    return product;
}
static u8 substitute(u8 x) {
    // The inverse is x to the 254th.
    u8 inverse = 1, power = x;
    for (u32 k = 0; k < 7; k++) power = times(power, power), inverse = times(inverse, power);
    u32 ring = inverse * 0x101u;
    return (u8)(ring ^ ring >> 4 ^ ring >> 5 ^ ring >> 6 ^ ring >> 7 ^ 0x63);
}

__kernel void aes(__global const u8 *in, __global const u8 *keys, __global u8 *out) {
    SHARED u8 box[256];
    u32 i = global_id(0);
    for (u32 k = local_id(0); k < 256; k += local_size(0)) box[k] = substitute((u8)k);
    barrier();
    u8 state[16], key[16], round_bit = 1;
    for (u32 k = 0; k < 16; k++) key[k] = keys[16 * i + k], state[k] = in[16 * i + k] ^ key[k];
    for (u32 round = 1; round <= 10; round++, round_bit = twice(round_bit)) {
        u8 next[16];
        for (u32 k = 0; k < 16; k++) next[k] = box[state[(k + 4 * (k & 3)) & 15]];
        for (u32 c = 0; c < 16; c += 4) {
            u8 all = next[c] ^ next[c + 1] ^ next[c + 2] ^ next[c + 3];
            for (u32 r = 0; r < 4; r++)
                state[c + r] = round < 10 ? next[c + r] ^ all ^ twice(next[c + r] ^ next[c + ((r + 1) & 3)]) : next[c + r];
        }
        for (u32 k = 0; k < 4; k++) key[k] ^= box[key[12 + ((k + 1) & 3)]] ^ (k == 0 ? round_bit : 0);
        for (u32 k = 4; k < 16; k++) key[k] ^= key[k - 4];
        for (u32 k = 0; k < 16; k++) state[k] ^= key[k];
    }
    for (u32 k = 0; k < 16; k++) out[16 * i + k] = state[k];
}
