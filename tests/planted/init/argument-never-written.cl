// Memory of the device is read that no copy of the host has filled.
// RUN --grid 64 --block 64 --arg f32[64]:none --arg f32[64]
// MENDED RUN --grid 64 --block 64 --arg f32[64]:iota --arg f32[64]
__kernel void halve(__global const float *in, __global float *out) {
    uint i = get_global_id(0);
    float x = in[i];    // PAIR
    out[i] = x * 0.5f;  // FINDS init
}
