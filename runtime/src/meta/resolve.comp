// Makes one texel of several samples.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "texels.glsl"

layout(constant_id = 1) const int SAMPLES = 1;
// As ResolveMode counts them.
layout(constant_id = 2) const uint MODE = 0u;
layout(constant_id = 3) const bool INTEGER = false;

const uint SAMPLE_ZERO = 0u, AVERAGE = 1u, MIN = 2u, MAX = 3u;

layout(binding = 0) uniform sampler2DMSArray source;

layout(push_constant) uniform Region {
    uint source_x, source_y, source_layer;
    uint first_x, first_y, first_layer;
    uint width, height;
};

vec4 joined(vec4 a, vec4 b) {
    if (MODE == AVERAGE) return a + b;
    uvec4 i = floatBitsToUint(a), j = floatBitsToUint(b);
    if (MODE == MIN) return INTEGER ? uintBitsToFloat(min(i, j)) : min(a, b);
    return INTEGER ? uintBitsToFloat(max(i, j)) : max(a, b);
}

void main() {
    uvec3 texel = gl_GlobalInvocationID;
    if (texel.x >= width || texel.y >= height) return;
    ivec3 at = ivec3(uvec3(source_x, source_y, source_layer) + texel);
    vec4 color = texelFetch(source, at, 0);
    if (MODE != SAMPLE_ZERO) {
        for (int i = 1; i < SAMPLES; i++) color = joined(color, texelFetch(source, at, i));
    }
    if (MODE == AVERAGE) color *= 1.0 / float(SAMPLES);
    store(uvec3(first_x, first_y, first_layer) + texel, color);
}
