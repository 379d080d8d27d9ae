// An image is read that nobody has stored to.
// BUG HOST image picture 8 8 r32f none
// MENDED HOST image picture 8 8 r32f
// HOST buffer result 256
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32f) readonly uniform image2D picture;
layout(set = 0, binding = 1) buffer Out { float result[]; };

void main() {
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    float before = imageLoad(picture, at).x; // PAIR
    result[at.y * 8 + at.x] = before + 1.0;  // FINDS init
}
