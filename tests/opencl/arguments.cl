// Arguments of every size and alignment, structs by value among them, and pointers to memory of the group.
// launch: scalars grid=64 block=32
//   i8=-100 u64=0x123456789abcdef0 u8=200 i16=-30000 f64=2.5 u16=60000 f16=1.25 i32=-7 i64[64] f32=0.5 u32=0xdeadbeef i64=-5
// launch: by_value grid=64 block=32
//   bytes(struct_config)=0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20 u32=7 bytes(struct_small)=a1b2c3 i64[128]
// launch: group_memory grid=256 block=64
//   local=256 u32[256]:rand local=1024 u32[256] local=64

__kernel void scalars(i8 a, u64 b, u8 c, i16 d, f64 e, u16 f, f16 g, i32 h, __global i64 *out, f32 j, u32 k, i64 l) {
    u32 i = global_id(0);
    i64 all[11] = {a, (i64)b, c, d, (i64)(e * 1000), f, (i64)((f32)g * 1000), h, (i64)(j * 1000), k, l};
    out[i] = all[i % 11] * 3 + a + l;
}

typedef struct { u8 kind; i32 weights[4]; u16 scale; u64 mask; } struct_config;
typedef struct { u8 r, g, b; } struct_small;

__kernel void by_value(struct_config config, u32 factor, struct_small color, __global i64 *out) {
    u32 i = global_id(0), n = global_size(0);
    config.weights[2] ^= (i32)i;
    out[i] = (i64)config.weights[i & 3] * factor + config.kind + config.scale;
    out[n + i] = (i64)(config.mask >> (i & 31)) + color.r * 65536 + color.g * 256 + color.b;
}

__kernel void group_memory(__local u32 *a, __global const u32 *in, __local u64 *b, __global u32 *out, __local u8 *c) {
    u32 t = local_id(0), i = global_id(0);
    a[t] = in[i];
    b[t] = (u64)in[i] * in[i];
    b[t + 64] = t;
    c[t] = (u8)in[i];
    barrier();
    u32 other = in[i] % 64;
    out[i] = a[other] + (u32)(b[63 - other] >> 16) + (u32)b[64 + other] + c[other ^ 1];
}
