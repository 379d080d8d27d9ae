// An image is stored to that was made ready to be read.
// HOST image picture 16 16 r32f
// BUG HOST turn picture general read
// HOST dispatch 2 2 1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32f) uniform image2D picture;

void main() {
    imageStore(picture, ivec2(gl_GlobalInvocationID.xy), vec4(1.0)); // FINDS sync layout-used
}
