// Two dispatches write different values to the same buffer, in no order.
// HOST buffer data 1024
// HOST push 3
// HOST dispatch 4 1 1
// MENDED HOST barrier
// HOST push 4
// HOST dispatch 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint factor; };
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    data[gl_GlobalInvocationID.x] = factor * gl_GlobalInvocationID.x; // FINDS sync, PAIR
}
