// A pointer to vectors of 16 bytes is a multiple of four.
// HOST buffer data 256 iota
// BUG HOST push &data+4
// MENDED HOST push &data+16
// HOST dispatch 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 8) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors { uvec4 v[]; };
layout(push_constant) uniform Push { Vectors data; };

void main() {
    data.v[gl_LocalInvocationIndex] = uvec4(1, 2, 3, 4); // FINDS mem
}
