// A quotient of floats whose divisor is zero for the first work-item.
// RUN --grid 32 --block 32 --arg f32[32]:iota
__kernel void inverse(__global float *data) {
    uint i = get_global_id(0);
#ifdef MENDED
    data[i] = 1.0f / (data[i] + 1.0f);
#else
    data[i] = 1.0f / data[i]; // FINDS num
#endif
}
