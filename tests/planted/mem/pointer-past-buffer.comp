// A pointer to a buffer of 64 words is used for 65.
// HOST buffer data 256 iota
// HOST buffer other 256
// HOST push &data
// HOST bind 0 other
// HOST dispatch 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words data; };
layout(set = 0, binding = 0) buffer Out { uint result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
#ifdef MENDED
    result[i] = data.word[i];
#else
    result[i] = data.word[i + 1]; // FINDS mem
#endif
}
