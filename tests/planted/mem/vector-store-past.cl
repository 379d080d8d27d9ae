// A float4 is stored where only two floats are left.
// RUN --grid 16 --block 16 --arg f32[62]
__kernel void fill(__global float *out) {
    uint i = get_global_id(0);
#ifdef MENDED
    if (i == 15) {
        out[60] = out[61] = 1;
        return;
    }
#endif
    *(__global float4 *)(out + 4 * i) = (float4)(1, 1, 1, 1); // FINDS mem
}
