// Component 4 of a vec4.
// RUN --groups 1 --buffer 0=vec4[32]:iota --buffer 1=f32[160]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { vec4 from[]; };
layout(set = 0, binding = 1) buffer Out { float to[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 v = from[i] * 2.0;
#ifdef MENDED
    for (uint c = 0; c < 4; c++)
#else
    for (uint c = 0; c < 5; c++)
#endif
        to[i * 5 + c] = v[c]; // FINDS mem
}
