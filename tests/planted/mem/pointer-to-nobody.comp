// An address that no buffer of the program has.
// HOST buffer data 256 iota
// BUG HOST push 0x12340000 0x0
// MENDED HOST push &data
// HOST dispatch 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words data; };

void main() {
    data.word[gl_LocalInvocationIndex] = 1; // FINDS mem
}
