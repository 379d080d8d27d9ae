// Scales: a sample of the source for each texel of the destination.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "texels.glsl"

layout(constant_id = 1) const bool SOURCE_3D = false;

layout(binding = 0) uniform sampler2DArray layers;
layout(binding = 0) uniform sampler3D volume;

layout(push_constant) uniform Region {
    uint first_x, first_y, first_z;
    uint width, height;
    // From texels of the destination, counted from the first, to source coordinates.
    float scale_x, scale_y, scale_z;
    float offset_x, offset_y, offset_z;
};

void main() {
    uvec3 texel = gl_GlobalInvocationID;
    if (texel.x >= width || texel.y >= height) return;
    vec3 at = fma(vec3(texel) + 0.5, vec3(scale_x, scale_y, scale_z), vec3(offset_x, offset_y, offset_z));
    vec4 color = SOURCE_3D ? textureLod(volume, at, 0.0) : textureLod(layers, at, 0.0);
    store(uvec3(first_x, first_y, first_z) + texel, color);
}
