// Bytes and halves of words in global memory, LDS and scratch, at even and odd addresses; packed structs.
// launch: subdword grid=256 block=64
//   i8[1024]:rand u16[512]:rand i32[2048] u8[1024] i16[768]
// launch: packed_structs grid=200 block=64
//   u8[3400]:rand u8[3400] i64[800]
// launch: unaligned_words grid=200 block=64
//   u8[2000]:rand u32[400] u8[2000]

__kernel void subdword(__global const i8 *bytes, __global const u16 *shorts, __global i32 *out, __global u8 *bytes_out, __global i16 *shorts_out) {
    SHARED u8 byte_box[256];
    SHARED i16 short_box[128];
    u32 i = global_id(0), t = local_id(0), n = global_size(0);
    for (u32 k = 0; k < 4; k++) out[k * n + i] = bytes[4 * i + (k ^ 1)];
    for (u32 k = 0; k < 4; k++) byte_box[k * 64 + t] = (u8)bytes[4 * i + k];
    out[4 * n + i] = shorts[2 * i] - shorts[2 * i + 1];
    out[5 * n + i] = (i16)shorts[2 * i + 1];
    short_box[2 * t] = (i16)shorts[2 * i], short_box[2 * t + 1] = (i16)(shorts[2 * i + 1] >> 1);
    barrier();
    out[6 * n + i] = byte_box[255 - 3 * t] + (i8)byte_box[3 * t + 1] + short_box[127 - t];
    out[7 * n + i] = (u16)short_box[t] << 8 | byte_box[t];
    for (u32 k = 0; k < 4; k++) bytes_out[k * n + i] = (u8)(byte_box[(t * 7 + k) & 255] + k);
    shorts_out[i] = short_box[t], shorts_out[n + i] = (i16)bytes[i], shorts_out[2 * n + i] = (i16)(u8)bytes[n + i];
}

struct __attribute__((packed)) record { u8 kind; u32 size; i16 delta; u64 key; u16 crc; };

__kernel void packed_structs(__global const struct record *in, __global struct record *out, __global i64 *fields) {
    u32 i = global_id(0), n = global_size(0);
    struct record r = in[i];
    fields[i] = (i64)(r.key + r.kind), fields[n + i] = r.size, fields[2 * n + i] = r.delta, fields[3 * n + i] = in[n - 1 - i].crc;
    r.size += r.kind, r.delta = (i16)-r.delta, r.key ^= r.crc, r.crc = (u16)i;
    out[(i + 1) % n] = r;
}

typedef u32 __attribute__((aligned(1))) loose_u32;
typedef u64 __attribute__((aligned(2))) loose_u64;
__kernel void unaligned_words(__global const u8 *in, __global u32 *out, __global u8 *bytes) {
    u32 i = global_id(0), n = global_size(0);
    out[i] = *(__global const loose_u32 *)(in + 9 * i + 1);
    u64 word = *(__global const loose_u64 *)(in + 10 * i + 2 - 2 * (i == n - 1));
    out[n + i] = (u32)(word >> 32) ^ (u32)word;
    *(__global loose_u32 *)(bytes + 10 * i + 3) = out[i] * 3;
    *(__global u16 *)(bytes + 10 * i + 8) = (u16)i;
}
