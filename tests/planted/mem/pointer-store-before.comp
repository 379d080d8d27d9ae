// A pointer that was moved back once too often.
// HOST buffer data 256 iota
// BUG HOST push &data
// MENDED HOST push &data+16
// HOST dispatch 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
layout(local_size_x = 4) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint value; };
layout(push_constant) uniform Push { Word end; };

void main() {
    Word own = end - 1 - int(gl_LocalInvocationIndex);
    own.value = 7; // FINDS mem
}
