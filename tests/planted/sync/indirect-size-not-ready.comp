// The size of the second dispatch is still being written when it starts.
// HOST buffer size 16 1 1 1 0
// HOST buffer out 1024
// HOST push 0
// HOST dispatch 1 1 1
// MENDED HOST barrier
// HOST push 1
// HOST indirect size
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint stage; };
layout(set = 0, binding = 0) buffer Size { uvec3 size; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };

void main() {
    if (stage == 0) {
        if (gl_LocalInvocationIndex == 0)
            size = uvec3(4, 1, 1); // FINDS sync
    } else {
        result[gl_GlobalInvocationID.x] = 1;
    }
}
