// The neighbour left of the first texel.
// RUN --groups 2,2 --image 0=r32f[16x16] --image 1=r32f[16x16]
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32f) uniform readonly image2D from;
layout(set = 0, binding = 1, r32f) uniform writeonly image2D to;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
#ifdef MENDED
    ivec2 beside = max(at - ivec2(1, 0), ivec2(0));
#else
    ivec2 beside = at - ivec2(1, 0);
#endif
    vec4 left = imageLoad(from, beside); // FINDS mem
    imageStore(to, at, left + imageLoad(from, at));
}
