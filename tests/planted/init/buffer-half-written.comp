// The first dispatch writes half of what the second one reads.
// HOST buffer data 512 none
// HOST buffer result 512
// HOST push 0
// BUG HOST dispatch 1 1 1
// MENDED HOST dispatch 2 1 1
// HOST barrier
// HOST push 1
// HOST dispatch 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint stage; };
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (stage == 0)
        data[i] = i;
    else
        result[i] = data[i] + 1; // FINDS init
}
