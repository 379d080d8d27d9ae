// A picture is made smaller, of which nobody has drawn anything.
// BUG HOST image picture 16 16 r32f none
// MENDED HOST image picture 16 16 r32f
// HOST image small 8 8 r32f none
// HOST buffer result 256
// HOST barrier
// HOST blit picture small
// HOST barrier
// HOST bind 0 small
// HOST bind 1 result
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32f) readonly uniform image2D picture;
layout(set = 0, binding = 1) buffer Out { float result[]; };

void main() {
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    float here = imageLoad(picture, at).x; // PAIR
    result[at.y * 8 + at.x] = here + 1.0;  // FINDS init
}
