// A matrix turned over its diagonal by padded tiles in LDS; bytes of it by words.
// launch: transpose grid=64,48 block=16,16
//   f32[3072]:rand f32[3072]
// launch: transpose_bytes grid=64,16 block=16,4
//   u32[1024]:rand u8[4096]

__kernel void transpose(__global const f32 *in, __global f32 *out) {
    SHARED f32 tile[16][17];
    u32 width = global_size(0), height = global_size(1);
    tile[local_id(1)][local_id(0)] = in[global_id(1) * width + global_id(0)];
    barrier();
    u32 x = group_id(1) * 16 + local_id(0), y = group_id(0) * 16 + local_id(1);
    out[y * height + x] = tile[local_id(0)][local_id(1)];
}

// 64 x 16 words are 64 rows of 64 bytes.
__kernel void transpose_bytes(__global const u32 *in, __global u8 *out) {
    SHARED u8 tile[16][20];
    u32 x = local_id(0), y = local_id(1), row = group_id(0) * 16 + x, column = group_id(1) * 16 + 4 * y;
    u32 word = in[row * 16 + column / 4];
    for (u32 b = 0; b < 4; b++) tile[4 * y + b][x] = (u8)(word >> 8 * b);
    barrier();
    for (u32 b = 0; b < 4; b++) out[(group_id(1) * 16 + x) * 64 + group_id(0) * 16 + 4 * y + b] = tile[x][4 * y + b];
}
