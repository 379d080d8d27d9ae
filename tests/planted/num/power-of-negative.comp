// A gamma curve is taken of a colour below zero.
// RUN --groups 1 --buffer 0=f32[4]:0.5,0.1,-0.2,1 --buffer 1=f32[4]
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float x[4]; };
layout(set = 0, binding = 1) buffer Out { float y[4]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    y[i] = pow(abs(x[i]), 2.2);
#else
    y[i] = pow(x[i], 2.2); // FINDS num
#endif
}
