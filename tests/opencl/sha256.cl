// SHA-256 of messages of every length up to 100 bytes, padding included (FIPS 180-4).
// launch: sha256 grid=101 block=64
//   u8[10100]:rand u32[808]

__constant u32 K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTATE(x, by) __builtin_rotateright32(x, by)

static void block_of(u32 state[8], const u32 message[16]) {
    u32 w[64], v[8];
    for (u32 t = 0; t < 16; t++) w[t] = message[t];
    for (u32 t = 16; t < 64; t++) {
        u32 s0 = ROTATE(w[t - 15], 7) ^ ROTATE(w[t - 15], 18) ^ w[t - 15] >> 3;
        u32 s1 = ROTATE(w[t - 2], 17) ^ ROTATE(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    for (u32 k = 0; k < 8; k++) v[k] = state[k];
    for (u32 t = 0; t < 64; t++) {
        u32 s1 = ROTATE(v[4], 6) ^ ROTATE(v[4], 11) ^ ROTATE(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        u32 t1 = v[7] + s1 + choice + K[t] + w[t];
        u32 s0 = ROTATE(v[0], 2) ^ ROTATE(v[0], 13) ^ ROTATE(v[0], 22), most = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
        v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + s0 + most;
    }
    for (u32 k = 0; k < 8; k++) state[k] += v[k];
}

__kernel void sha256(__global const u8 *in, __global u32 *out) {
    u32 i = global_id(0), length = i;
    u32 state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (u32 from = 0; from < length + 9; from += 64) {
        u32 message[16] = {0};
        for (u32 k = 0; k < 64; k++) {
            u32 at = from + k, byte = at < length ? in[100 * i + at] : at == length ? 0x80 : 0;
            message[k / 4] |= byte << 8 * (3 - k % 4);
        }
        if (from + 64 >= length + 9) message[15] = 8 * length;
        block_of(state, message);
    }
    for (u32 k = 0; k < 8; k++) out[8 * i + k] = state[k];
}
