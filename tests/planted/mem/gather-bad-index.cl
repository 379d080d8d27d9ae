// One of the indices that are gathered by is not one.
// RUN --grid 8 --block 8 --arg u32[8]:1,2,3,4,5,6,7,70000 --arg f32[8]:iota --arg f32[8]
__kernel void gather(__global const uint *indices, __global const float *values, __global float *out) {
    uint i = get_global_id(0);
    uint index = indices[i];
#ifdef MENDED
    if (index >= 8)
        return;
#endif
    float value = values[index]; // FINDS mem
    out[i] = value;
}
