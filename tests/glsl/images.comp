// run: --image src=rgba8[4x4]:iota --image dst=rgba8[4x4] --image counts=r32ui[4x4] --buffer o=f32[32]
#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) uniform readonly image2D src;
layout(binding = 1, rgba8) uniform writeonly image2D dst;
layout(binding = 2, r32ui) uniform uimage2D counts;
layout(std430, binding = 3) buffer O { float o[]; };
vec4 at(readonly image2D from, ivec2 place) { return imageLoad(from, place); }
// Images, and images that functions are given.
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec4 c = at(src, p.yx);
    imageStore(dst, p, c.bgra);
    imageAtomicAdd(counts, p / 2, 3u);
    memoryBarrierImage();
    barrier();
    o[gl_LocalInvocationIndex] = c.r + float(imageSize(dst).x) * 2.0;
    o[16 + gl_LocalInvocationIndex] = float(imageLoad(counts, p).x);
}
