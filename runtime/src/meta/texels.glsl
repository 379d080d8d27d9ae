// What blits and resolves have in common: their images, and where they write. What a texel's dwords mean is said by the formats of the
// descriptors: those of integers go through as they are.
layout(local_size_x = 8, local_size_y = 8) in;

// Whether colours are encoded here, as image stores do not write sRGB.
layout(constant_id = 0) const bool TO_SRGB = false;

layout(binding = 1) uniform writeonly image2DArray dest;

// The transfer function of IEC 61966-2-1.
vec4 encoded(vec4 color) {
    precise vec3 linear = clamp(color.rgb, 0.0, 1.0);
    precise vec3 low = linear * 12.92;
    precise vec3 high = exp2(log2(linear) * (1.0 / 2.4)) * 1.055 - 0.055;
    return vec4(mix(low, high, greaterThan(linear, vec3(0.0031308))), color.a);
}

void store(uvec3 texel, vec4 color) {
    imageStore(dest, ivec3(texel), TO_SRGB ? encoded(color) : color);
}
