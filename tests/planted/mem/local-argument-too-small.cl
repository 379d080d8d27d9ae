// The host gives half of the local memory that the kernel uses.
// RUN --grid 128 --block 64 --arg f32[128]:iota --arg local=128
// MENDED RUN --grid 128 --block 64 --arg f32[128]:iota --arg local=256
__kernel void turn(__global float *data, __local float *words) {
    uint lane = get_local_id(0), i = get_global_id(0);
    words[lane] = data[i];       // FINDS mem
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = words[63 - lane];  // FINDS mem
}
