// A copy says that an image is in a layout that no barrier has given it.
// HOST image picture 16 16 r32f
// HOST buffer out 1024
// HOST bind 0 picture
// HOST dispatch 2 2 1
// HOST barrier
// MENDED HOST turn picture general source
// BUG HOST fetch picture out source // FINDS sync layout-said
// MENDED HOST fetch picture out source
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32f) uniform image2D picture;

void main() {
    imageStore(picture, ivec2(gl_GlobalInvocationID.xy), vec4(1.0));
}
