// A barrier takes an image from a layout that it has left before.
// HOST image picture 16 16 r32f
// HOST buffer out 1024
// HOST bind 0 picture
// HOST turn picture general source
// HOST fetch picture out source
// BUG HOST turn picture general read // FINDS sync layout-said
// MENDED HOST turn picture source general
// BUG HOST turn picture read general
// HOST dispatch 2 2 1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32f) uniform image2D picture;

void main() {
    imageStore(picture, ivec2(gl_GlobalInvocationID.xy), vec4(1.0));
}
