// A colour below zero is converted to an unsigned number.
// RUN --groups 1 --buffer 0=f32[4]:0.5,-0.7,1,0.2 --buffer 1=u32[4]
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float x[4]; };
layout(set = 0, binding = 1) buffer Out { uint y[4]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float level = x[i] * 255.0;
#ifdef MENDED
    level = max(level, 0.0);
#endif
    y[i] = uint(level); // FINDS num
}
