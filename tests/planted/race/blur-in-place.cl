// A blur reads neighbours in the buffer that it writes.
// RUN --grid 256 --block 64 --arg f32[258]:iota --arg f32[258]
__kernel void blur(__global float *samples, __global float *blurred) {
    uint i = get_global_id(0) + 1;
    float sum = samples[i - 1] + samples[i + 1]; // FINDS race read-write
#ifdef MENDED
    blurred[i] = sum * 0.5f;
#else
    samples[i] = sum * 0.5f;    // PAIR
#endif
}
