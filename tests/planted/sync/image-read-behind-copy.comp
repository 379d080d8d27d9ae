// An image is read as the copy has left it.
// HOST image picture 16 16 r32f
// HOST buffer out 1024
// HOST turn picture general source
// HOST fetch picture out source
// MENDED HOST turn picture source general
// HOST barrier
// HOST dispatch 2 2 1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32f) uniform readonly image2D picture;
layout(set = 0, binding = 1) buffer Out { float sum[256]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    sum[at.y * 16 + at.x] = imageLoad(picture, at).x; // FINDS sync layout-used
}
