// A buffer is destroyed, and its address is still used.
// HOST buffer data 256 iota
// HOST buffer kept 256 iota
// BUG HOST push &data
// MENDED HOST push &kept
// HOST destroy data
// HOST bind 0 kept
// HOST dispatch 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words data; };
layout(set = 0, binding = 0) buffer Out { uint result[]; };

void main() {
    data.word[gl_LocalInvocationIndex] = 5; // FINDS mem
    if (data.word[gl_LocalInvocationIndex] == 1)
        result[0] = 1;
}
