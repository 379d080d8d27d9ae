// A number above 65504 is packed into 16 bits.
// RUN --groups 1 --buffer 0=f32[4]:1,70000,2,3 --buffer 1=u32[4]
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float x[4]; };
layout(set = 0, binding = 1) buffer Out { uint y[4]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    float value = min(x[i], 65504.0);
#else
    float value = x[i];
#endif
    y[i] = packHalf2x16(vec2(value, 0.0)); // FINDS num
}
