// The squares of large numbers have no room in a float.
// RUN --groups 1 --buffer 0=f32[4]:1e20,2,3,4 --buffer 1=f32[4]
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float x[4]; };
layout(set = 0, binding = 1) buffer Out { float y[4]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    float scaled = x[i] * 1e-10;
#else
    float scaled = x[i];
#endif
    y[i] = scaled * scaled; // FINDS num
}
