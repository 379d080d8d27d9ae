// The first work-item reads the element before the first.
// RUN --grid 128 --block 64 --arg f32[128]:iota --arg f32[128]
__kernel void difference(__global const float *in, __global float *out) {
    int i = get_global_id(0);
#ifdef MENDED
    float before = i > 0 ? in[i - 1] : 0;
#else
    float before = in[i - 1]; // FINDS mem
#endif
    out[i] = in[i] - before;
}
