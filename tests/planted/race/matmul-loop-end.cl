// The next tiles are loaded while others still multiply the last ones.
// RUN --grid 32,32 --block 16,16 --arg f32[1024]:iota --arg f32[1024]:iota --arg f32[1024]
__kernel void matmul(__global const float *a, __global const float *b, __global float *c) {
    __local float tile_a[16][16], tile_b[16][16];
    uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint t = 0; t < 32; t += 16) {
        tile_a[y][x] = a[row * 32 + t + x];      // PAIR
        tile_b[y][x] = b[(t + y) * 32 + column]; // PAIR
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 16; k++)
            sum += tile_a[y][k] * tile_b[k][x];  // FINDS race read-write
#ifdef MENDED
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    c[row * 32 + column] = sum;
}
