// Generators of random numbers: xoshiro256**, PCG32, Philox 4x32, and pi by throwing darts.
// launch: generators grid=200 block=64
//   u64[800]:rand u64[200] u32[200] u32[800]
// launch: darts grid=128 block=64
//   u32=12345 u32[128] f32[128]

__kernel void generators(__global const u64 *seed, __global u64 *xoshiro, __global u32 *pcg, __global u32x4 *philox) {
    u32 i = global_id(0);
    u64 s[4] = {seed[4 * i], seed[4 * i + 1], seed[4 * i + 2], seed[4 * i + 3]}, sum = 0;
    for (u32 k = 0; k < 40; k++) {
        sum ^= __builtin_rotateleft64(s[1] * 5, 7) * 9;
        u64 t = s[1] << 17;
        s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
        s[3] = __builtin_rotateleft64(s[3], 45);
    }
    xoshiro[i] = sum;
    u64 state = seed[4 * i];
    u32 out = 0;
    for (u32 k = 0; k < 40; k++) {
        u32 turned = (u32)((state >> 18 ^ state) >> 27);
        out += __builtin_rotateright32(turned, (u32)(state >> 59));
        state = state * 6364136223846793005ul + 1442695040888963407ul;
    }
    pcg[i] = out;
    u32x4 counter = {i, 1, 2, 3};
    u32x2 key = {(u32)seed[4 * i], (u32)(seed[4 * i] >> 32)};
    for (u32 round = 0; round < 10; round++) {
        u64 a = (u64)counter.x * 0xd2511f53u, b = (u64)counter.z * 0xcd9e8d57u;
        counter = (u32x4){(u32)(b >> 32) ^ counter.y ^ key.x, (u32)b, (u32)(a >> 32) ^ counter.w ^ key.y, (u32)a};
        key += (u32x2){0x9e3779b9u, 0xbb67ae85u};
    }
    philox[i] = counter;
}

__kernel void darts(u32 seed, __global u32 *hits, __global f32 *spread) {
    u32 i = global_id(0), x = mix(seed + i), inside = 0;
    f32 sum = 0;
    for (u32 k = 0; k < 100; k++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        f32 a = (f32)(x >> 8) * 0x1p-24f;
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        f32 b = (f32)(x >> 8) * 0x1p-24f;
        if (a * a + b * b < 1.0f) inside++, sum += a - b;
    }
    hits[i] = inside;
    spread[i] = sum;
}
