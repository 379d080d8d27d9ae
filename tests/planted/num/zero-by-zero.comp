// The weights of an invocation without neighbours sum up to nothing.
// RUN --groups 1 --buffer 0=f32[32]:iota --buffer 1=f32[32]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { float x[]; };
layout(set = 0, binding = 1) buffer Out { float mean[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float weight = max(0.0, x[i] - 10.0), sum = weight * x[i];
#ifdef MENDED
    mean[i] = weight > 0.0 ? sum / max(weight, 1e-6) : 0.0;
#else
    mean[i] = sum / weight; // FINDS num
#endif
}
