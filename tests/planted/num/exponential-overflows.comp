// A softmax that does not take off the highest first.
// RUN --groups 1 --buffer 0=f32[4]:10,200,30,40 --buffer 1=f32[4]
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float x[4]; };
layout(set = 0, binding = 1) buffer Out { float y[4]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    float highest = 200.0;
#else
    float highest = 0.0;
#endif
    float e = exp2(x[i] - highest); // FINDS num
    y[i] = e;
}
