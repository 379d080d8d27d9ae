// A filter of 16 taps reads tap 16 of a uniform block.
// RUN --groups 1 --buffer 0:iota --buffer 1=vec4[64]
// BYTES 0 272
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform Taps { vec4 tap[16]; vec4 scale; };
layout(set = 0, binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 sum = vec4(0.0);
#ifdef MENDED
    for (uint k = 0; k < 16; k++)
#else
    for (uint k = 1; k <= 16; k++)
#endif
        sum += tap[k] * float(i); // FINDS mem
    result[i] = sum * scale;
}
