// The logarithm of an empty bin of a histogram.
// RUN --groups 1 --buffer 0=f32[32]:iota --buffer 1=f32[32]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { float counts[]; };
layout(set = 0, binding = 1) buffer Out { float entropy[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float p = counts[i] / 496.0;
#ifdef MENDED
    p = max(p, 1e-6);
#endif
    float bits = log2(p); // FINDS num
    entropy[i] = bits;
}
