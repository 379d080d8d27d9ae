// An optional argument is null, and is read without being asked for.
// RUN --grid 32 --block 32 --arg null --arg f32[32]:iota
__kernel void add(__global const float *bias, __global float *data) {
    uint i = get_global_id(0);
#ifdef MENDED
    float b = bias ? bias[i] : 0;
#else
    float b = bias[i]; // FINDS mem
#endif
    data[i] += b;
}
