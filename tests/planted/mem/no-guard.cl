// More work-items than elements, and no guard against it.
// RUN --grid 128 --block 64 --arg f32[100]:iota --arg f32[100]
__kernel void scale(__global const float *x, __global float *y) {
    uint i = get_global_id(0);
#ifdef MENDED
    if (i >= 100)
        return;
#endif
    y[i] = 2.5f * x[i]; // FINDS mem
}
