// A hash table of no slots.
// RUN --groups 1 --push slots=0 --buffer 0=u32[64]:iota
// MENDED RUN --groups 1 --push slots=7 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint slots; };
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    data[i] = (data[i] * 2654435761u) % slots; // FINDS num
}
