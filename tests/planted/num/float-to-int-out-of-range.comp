// A float larger than any int is converted.
// RUN --groups 1 --buffer 0=f32[4]:1,3e9,-5,7 --buffer 1=i32[4]
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float x[4]; };
layout(set = 0, binding = 1) buffer Out { int y[4]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    y[i] = int(min(x[i], 2e9));
#else
    y[i] = int(x[i]); // FINDS num
#endif
}
