// A list's last pointer is null, and is followed.
// HOST buffer data 256 iota
// BUG HOST push 0 0
// MENDED HOST push &data
// HOST dispatch 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words data; };

void main() {
    data.word[1] = data.word[2] + 1; // FINDS mem
}
